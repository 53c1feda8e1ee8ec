package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"stackwright.dev/stackwright/test/bench/contender/box"
)

// outside runs the replay as the first process of namespaces of its own: mounts, processes and networks end with it,
// however it ends. Folders and control groups are what is left to take away.
func outside(o options) error {
	if _, err := os.Stat(o.work); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("folder %s of another replay is there; remove it when that one has ended", o.work)
	}
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return fmt.Errorf("making the folder for volumes: %w", err)
	}
	err := alone(append([]string{"--inside"}, os.Args[1:]...))
	if o.logs != "" {
		err = errors.Join(err, keep(filepath.Join(o.work, "logs"), o.logs))
	}
	return errors.Join(err, os.RemoveAll(o.work), ungroup())
}

// keep copies logs. Those of a replay before go.
func keep(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("keeping logs: %w", err)
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil // it ended before anything was started
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("keeping logs: %w", err)
	}
	return nil
}

func alone(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	// The kernel ends the child when the thread ends that has started it.
	runtime.LockOSThread()
	cmd := exec.Command(self, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true,
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS |
			syscall.CLONE_NEWIPC}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the replay: %w", err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM)
	defer signal.Stop(stop)
	go func() {
		if _, ok := <-stop; ok {
			_ = cmd.Process.Kill()
		}
	}()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("the replay: %w", err)
	}
	return nil
}

// settle makes mounts and processes of the namespaces what they are to be.
func settle() error {
	if os.Getpid() != 1 {
		return errors.New("--inside is for the program itself, which runs in namespaces of its own then")
	}
	err := errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
		unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"))
	if err != nil {
		return fmt.Errorf("mounting what the replay has for itself: %w", err)
	}
	return nil
}

// groupsWithin is how long the kernel may take to let go of control groups whose processes have ended.
const groupsWithin = 10 * time.Second

// ungroup takes the control groups away, the inner ones first.
func ungroup() error {
	var err error
	for began := time.Now(); time.Since(began) < groupsWithin; <-time.After(100 * time.Millisecond) {
		var left []string
		trees, _ := filepath.Glob("/sys/fs/cgroup/*" + box.Groups)
		for _, tree := range append(trees, "/sys/fs/cgroup"+box.Groups) {
			_ = filepath.WalkDir(tree, func(path string, d fs.DirEntry, failed error) error {
				if failed == nil && d.IsDir() {
					left = append(left, path)
				}
				return nil
			})
		}
		if err = nil; len(left) == 0 {
			return nil
		}
		for _, path := range slices.Backward(left) {
			err = errors.Join(err, os.Remove(path))
		}
		if err == nil {
			return nil
		}
	}
	return fmt.Errorf("taking control groups away: %w", err)
}
