package layer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"stackwright.dev/stackwright/internal/image/apt"
)

// Builder builds layers into a store.
type Builder struct {
	Store *Store
	// Packages is the folder that holds the packages' files.
	Packages string
	// Logs is where the output of each build is kept.
	Logs string
	// Progress is told what a build does, if set.
	Progress func(layer, message string)
}

// Build builds a layer on the given ones, of which the lowest comes first, and puts it into the store.
func (b *Builder) Build(ctx context.Context, in *Input, below []*Built) (*Built, error) {
	id, err := in.ID()
	if err != nil {
		return nil, err
	}
	work, err := b.Store.begin(in.Layer.Name)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	built := &Built{ID: id, Name: in.Layer.Name, Packages: len(in.Packages)}
	if built.Epoch, err = b.epoch(in, below); err != nil {
		return nil, err
	}
	if in.Layer.Scratch() {
		err = assemble(in, filepath.Join(work, "upper"))
	} else {
		err = b.install(ctx, in, below, work)
	}
	if err != nil {
		return nil, fmt.Errorf("building layer %s: %w", in.Layer.Name, err)
	}
	b.progress(in, "archiving")
	if err := os.Mkdir(filepath.Join(work, "layer"), 0o755); err != nil {
		return nil, fmt.Errorf("archiving layer %s: %w", in.Layer.Name, err)
	}
	archive := &writer{root: filepath.Join(work, "upper"), lower: roots(below), epoch: time.Unix(built.Epoch, 0)}
	built.Digest, built.Size, err = archive.write(filepath.Join(work, "layer", "layer.tar"))
	if err != nil {
		return nil, fmt.Errorf("archiving layer %s: %w", in.Layer.Name, err)
	}
	built.Settled = true
	return built, b.Store.commit(work, built)
}

func (b *Builder) progress(in *Input, message string) {
	if b.Progress != nil {
		b.Progress(in.Layer.Name, message)
	}
}

// epoch is when the newest package of the layer or of those below was made.
func (b *Builder) epoch(in *Input, below []*Built) (int64, error) {
	newest := in.NotBefore
	for _, lower := range below {
		newest = max(newest, lower.Epoch)
	}
	for _, p := range in.Packages {
		made, err := apt.Made(filepath.Join(b.Packages, p.FileName()))
		if err != nil {
			return 0, err
		}
		newest = max(newest, made)
	}
	return newest, nil
}

// install runs the recipe.
func (b *Builder) install(ctx context.Context, in *Input, below []*Built, work string) error {
	if err := b.stage(ctx, in, work); err != nil {
		return err
	}
	lower := filepath.Join(work, "none")
	if len(below) > 0 {
		lower = lowers(below)
	}
	script := filepath.Join(work, "build.sh")
	cmd := exec.CommandContext(ctx, "/bin/sh", script, work, lower, in.Codename)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/root", "TMPDIR=/tmp"}
	return b.run(cmd, in)
}

// run executes a command in namespaces of its own, keeps its output and reports the steps it announces.
func (b *Builder) run(cmd *exec.Cmd, in *Input) error {
	if err := os.MkdirAll(b.Logs, 0o755); err != nil {
		return fmt.Errorf("making the log folder: %w", err)
	}
	logName := filepath.Join(b.Logs, in.Layer.Name+".log")
	log, err := os.Create(logName)
	if err != nil {
		return fmt.Errorf("making the log: %w", err)
	}
	defer log.Close()
	cmd.SysProcAttr = namespaces()
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	done := make(chan string)
	go func() { done <- b.follow(reader, log, in) }()
	err = cmd.Run()
	// The reader sees the end of the output; there is no error to have.
	_ = writer.Close()
	said := <-done
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.EPERM) {
		return errors.New("making namespaces and mounts needs root: run as root")
	}
	if said == "" {
		said = err.Error()
	}
	return fmt.Errorf("%s (all output is in %s)", said, logName)
}

// follow copies the output to the log and returns what it says about an error.
func (b *Builder) follow(output io.Reader, log io.Writer, in *Input) string {
	var said []string
	lines := bufio.NewScanner(output)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		fmt.Fprintln(log, line)
		if step, ok := strings.CutPrefix(line, "step: "); ok {
			b.progress(in, step)
		}
		for _, prefix := range []string{"error: ", "E: ", "dpkg: error "} {
			if rest, ok := strings.CutPrefix(line, prefix); ok && len(said) < 3 {
				said = append(said, rest)
			}
		}
	}
	// A line too long for the scanner ends the loop, but must not block the build.
	_, _ = io.Copy(io.Discard, output)
	return strings.Join(said, "; ")
}

// namespaces isolate a build. When this process dies the kernel ends the build and takes its mounts away.
func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
			syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Pdeathsig: syscall.SIGKILL,
	}
}
