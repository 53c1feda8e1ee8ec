// Package process starts the programs a cluster consists of, finds again those that outlived the process that started
// them, and keeps them running.
package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/namespace"
)

const largestLog = 16 << 20

// Spec is how a program is run.
type Spec struct {
	Name       string
	Command    []string // program and arguments; unique on the machine, as a process is found again by them
	Env        []string
	Folder     string
	Log        string
	Namespaces namespace.Set
}

// Process is a running program, whoever started it.
type Process struct {
	PID     int
	Started time.Time
	Adopted bool
	done    chan struct{}
}

// Start runs the program.
func Start(spec Spec) (*Process, error) {
	log, err := openLog(spec.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command(spec.Command[0], spec.Command[1:]...)
	command.Env, command.Dir = append(os.Environ(), spec.Env...), spec.Folder
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &unix.SysProcAttr{Setsid: true} // the keys pressed in a terminal are not for it
	if err := spec.Namespaces.Do(command.Start); err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	process := &Process{PID: command.Process.Pid, Started: time.Now(), done: make(chan struct{})}
	go func() {
		_ = command.Wait() // the log tells why
		close(process.done)
	}()
	return process, nil
}

// Adopt takes over the process that runs this very command in the control group; nil when there is none.
func Adopt(spec Spec, group string) (*Process, error) {
	pids, err := cgroup.Processes(group)
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		descriptor, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // it just ended
		}
		// Looked at only now, the number cannot have passed on to another process unnoticed.
		if !slices.Equal(commandOf(pid), spec.Command) || forked(pid) {
			_ = unix.Close(descriptor)
			continue
		}
		process := &Process{PID: pid, Started: startOf(pid), Adopted: true, done: make(chan struct{})}
		go func() {
			waitReadable(descriptor)
			_ = unix.Close(descriptor)
			close(process.done)
		}()
		return process, nil
	}
	return nil, nil
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop asks the process to end and, after patience, makes it.
func (p *Process) Stop(patience time.Duration) {
	_ = unix.Kill(p.PID, unix.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = unix.Kill(p.PID, unix.SIGKILL)
		<-p.done
	}
}

// KillStrangers ends the processes in the control group that run one of the programs but none of the commands: what a
// former supervisor started and this one would not.
func KillStrangers(group string, programs []string, commands [][]string) error {
	pids, err := cgroup.Processes(group)
	if err != nil {
		return err
	}
	for _, pid := range pids {
		command := commandOf(pid)
		if pid == os.Getpid() || len(command) == 0 || !slices.Contains(programs, filepath.Base(command[0])) {
			continue
		}
		known := slices.ContainsFunc(commands, func(c []string) bool { return slices.Equal(c, command) })
		if !known {
			err = errors.Join(err, unix.Kill(pid, unix.SIGKILL))
		}
	}
	return err
}

// ResidentBytes is the memory a process holds, not counting what it shares with others; zero when it is gone.
func ResidentBytes(pid int) (resident, proportional int64) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, 0
	}
	return number(content, "Rss:") << 10, number(content, "Pss:") << 10
}

// number is the first one in the line of a table of the kernel's that begins with key.
func number(content []byte, key string) int64 {
	for line := range bytes.Lines(content) {
		fields := bytes.Fields(line)
		if len(fields) > 1 && string(fields[0]) == key {
			value, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			return value
		}
	}
	return 0
}

func commandOf(pid int) []string {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(content) == 0 {
		return nil
	}
	var command []string
	for argument := range bytes.SplitSeq(bytes.TrimSuffix(content, []byte{0}), []byte{0}) {
		command = append(command, string(argument))
	}
	return command
}

// forked tells whether a process has been forked only: until it runs a program of its own it has its parent's command.
func forked(pid int) bool {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	parent := int(number(content, "PPid:"))
	return err == nil && parent > 0 && slices.Equal(commandOf(parent), commandOf(pid))
}

func startOf(pid int) time.Time {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}

// openLog appends to a log, keeping one older part when it has grown large.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("making log folder: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > largestLog {
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("turning log over: %w", err)
		}
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening log: %w", err)
	}
	return log, nil
}
