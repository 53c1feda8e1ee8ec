package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// tailLines is how many of its last lines a process is remembered by.
const tailLines = 40

// Process is a supervised daemon. Its output goes to the agent's, its last lines are kept.
type Process struct {
	cmd  *exec.Cmd
	tail *Tail
	done chan struct{}
	err  error
}

// Start runs a command. env is added to the agent's environment.
func Start(path string, args, env []string) (*Process, error) {
	p := &Process{cmd: exec.Command(path, args...), tail: &Tail{}, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = io.MultiWriter(os.Stdout, p.tail), io.MultiWriter(os.Stderr, p.tail)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A script that a killed daemon left behind may hold the pipes open.
	p.cmd.WaitDelay = 2 * time.Second
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", path, err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// PID of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Running tells whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Err tells how the process ended; call it after Done.
func (p *Process) Err() error { return p.err }

// Tail returns the last lines of output.
func (p *Process) Tail() []string { return p.tail.Lines() }

// Signal sends a signal to the process.
func (p *Process) Signal(s os.Signal) {
	if p.Running() {
		_ = p.cmd.Process.Signal(s)
	}
}

// Reap kills what the ended process has left in its process group, such as a half-way state transfer.
func (p *Process) Reap() { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) }

// Tail is a writer that keeps the last lines.
type Tail struct {
	mu    sync.Mutex
	lines []string
	part  []byte
}

// Write keeps the last lines of b. It never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			t.part = append(t.part, b...)
			if len(t.part) > 4096 {
				t.part = t.part[:4096]
			}
			return n, nil
		}
		t.lines = append(t.lines, string(append(t.part, b[:i]...)))
		t.part, b = nil, b[i+1:]
		if len(t.lines) > tailLines {
			t.lines = slices.Delete(t.lines, 0, len(t.lines)-tailLines)
		}
	}
}

// Lines returns a copy of the last lines.
func (t *Tail) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}
