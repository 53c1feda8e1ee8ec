package libvirt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// guests is the control group of libvirtd and its guests, beside that of the pods of the node.
const guests = "stackwright-guests"

// Leave takes this process out of its pod's control groups and makes it the daemon, which ends with the process that
// started it. Its host has the given name, whatever the machine's is.
func Leave(_ context.Context, args []string) error {
	c, err := read("leave", args)
	if err != nil {
		return err
	}
	parent := os.Getppid()
	// Names and views are a thread's; it is the one that becomes the daemon.
	runtime.LockOSThread()
	if err := c.leave(); err != nil {
		return err
	}
	if err := rename(c.Name); err != nil {
		return err
	}
	if err := c.decide(); err != nil {
		return err
	}
	if err := endWithParent(parent); err != nil {
		return err
	}
	path, err := exec.LookPath(c.Daemon[0])
	if err != nil {
		return fmt.Errorf("finding the daemon: %w", err)
	}
	return fmt.Errorf("becoming %s: %w", path, syscall.Exec(path, c.Daemon, os.Environ()))
}

// endWithParent makes the kernel end this process when its parent ends, in whatever way. That holds for what this
// process becomes, and not for what it starts.
func endWithParent(parent int) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("asking to end with the agent: %w", err)
	}
	if os.Getppid() != parent {
		return errors.New("the agent has ended")
	}
	return nil
}

// errNoPod says that a process is in no group of a pod.
var errNoPod = errors.New("no control group of this process is one of a pod, with kubepods in its path")

// leave takes this process out of its pod's control groups.
func (c Config) leave() error {
	err := enterOwn(c.Groups)
	if !errors.Is(err, errNoPod) {
		return err
	}
	// With version 2 a container sees its own group as the root.
	if err := view(); err != nil {
		return err
	}
	return enterOwn(c.Groups)
}

func enterOwn(root string) error {
	own, err := os.ReadFile("/proc/thread-self/cgroup")
	if err != nil {
		return fmt.Errorf("reading the control groups of this process: %w", err)
	}
	return enter(root, string(own), os.Getpid())
}

// view makes this thread see control groups as the node does.
func view() error {
	ns, err := os.Open("/proc/1/ns/cgroup")
	if err != nil {
		return fmt.Errorf("opening the node's view of control groups: %w; the pod needs hostPID and SYS_PTRACE", err)
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWCGROUP); err != nil {
		return fmt.Errorf("seeing control groups as the node does: %w; the container needs SYS_ADMIN", err)
	}
	return nil
}

// rename gives this process a name of its host of its own.
func rename(name string) error {
	if err := unix.Unshare(unix.CLONE_NEWUTS); err != nil {
		return fmt.Errorf("leaving the host's name: %w; the container needs SYS_ADMIN", err)
	}
	if err := unix.Sethostname([]byte(name)); err != nil {
		return fmt.Errorf("naming the host: %w", err)
	}
	return nil
}

// enter moves a process out of its pod's group in every tree under root. own is the process's /proc/self/cgroup, see
// cgroups(7).
func enter(root, own string, pid int) error {
	moved := 0
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			return fmt.Errorf("reading control group %q: want number:controllers:path", line)
		}
		target, ok := beside(parts[2])
		if !ok {
			continue
		}
		tree, ok := treeOf(root, parts[1])
		if !ok {
			continue // it has no group for pods to be in
		}
		if err := enterGroup(tree, target, pid); err != nil {
			return err
		}
		moved++
	}
	if moved == 0 {
		return fmt.Errorf("%w: it is in\n%s", errNoPod, own)
	}
	return nil
}

// beside is the group of guests that belongs to a pod's: beside kubepods, under which the kubelet's groups are, so that
// whoever is above holds for guests, too. It is kubepods.slice with systemd.
func beside(group string) (string, bool) {
	parts := strings.Split(group, "/")
	for i, p := range parts {
		if p == "kubepods" || p == "kubepods.slice" {
			return strings.Join(append(parts[:i:i], guests), "/"), true
		}
	}
	return "", false
}

// treeOf finds where the tree with these controllers is mounted: "" are those of version 2, alone or beside version 1.
func treeOf(root, controllers string) (string, bool) {
	names := []string{strings.TrimPrefix(controllers, "name=")}
	if controllers == "" {
		names = []string{"", "unified"}
	}
	for _, name := range names {
		path := filepath.Join(root, name)
		if _, err := os.Stat(filepath.Join(path, "cgroup.procs")); err == nil {
			return path, true
		}
	}
	return "", false
}

func enterGroup(tree, group string, pid int) error {
	path := filepath.Join(tree, group)
	if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the guests' control group: %w; the node's control groups have to be mounted there", err)
	}
	// Version 1 lets no process into a group that has no processors and no memory.
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		if value, err := os.ReadFile(filepath.Join(filepath.Dir(path), name)); err == nil {
			if err := os.WriteFile(filepath.Join(path, name), value, 0o644); err != nil {
				return fmt.Errorf("giving guests their parent's %s: %w", name, err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(path, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644); err != nil {
		return fmt.Errorf("entering the guests' control group: %w", err)
	}
	return nil
}
