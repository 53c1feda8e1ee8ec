package process

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// WithParent returns a context that ends when the parent process does, or when standard input, if it is a pipe, closes.
//
// A parent death signal would fire when the thread that forked us ends, which a Go parent may let happen at any time.
func WithParent(ctx context.Context) (context.Context, error) {
	ctx, cancel := context.WithCancel(ctx)
	parent, err := unix.PidfdOpen(os.Getppid(), 0)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("watching the parent process: %w", err)
	}
	go func() {
		defer cancel()
		waitReadable(parent)
	}()
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		go func() {
			defer cancel()
			_, _ = io.Copy(io.Discard, os.Stdin) // however reading ends, nobody holds the other end any more
		}()
	}
	return ctx, nil
}

// waitReadable blocks until the descriptor is readable: for a pidfd, until its process has ended.
func waitReadable(descriptor int) {
	for {
		events := []unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}
		if _, err := unix.Poll(events, -1); err != unix.EINTR {
			return
		}
	}
}
