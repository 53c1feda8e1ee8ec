// Package cgroup keeps the control groups of a cluster, in version 1 and version 2 of the kernel's interface. They
// limit pods, and they tell without doubt which processes belong to a cluster.
package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// emptyTimeout is for a whole group. Hundreds of processes on a busy machine take a good part of it.
	emptyTimeout = 2 * time.Minute
	emptyPoll    = 20 * time.Millisecond
	// patience is for one process since the one before it has ended: one that hangs does not end at all.
	patience = 10 * time.Second
)

// Hierarchy is one mounted tree of control groups.
type Hierarchy struct {
	Path        string
	Controllers []string
	Unified     bool
}

// Hierarchies lists the trees of the machine.
func Hierarchies() ([]Hierarchy, error) {
	file, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("listing mounts: %w", err)
	}
	defer file.Close()
	var found []Hierarchy
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		if hierarchy, ok := parseMount(scanner.Text()); ok {
			found = append(found, hierarchy)
		}
	}
	return found, scanner.Err()
}

// parseMount reads a line of mountinfo: "36 35 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu".
func parseMount(line string) (Hierarchy, bool) {
	head, rest, ok := strings.Cut(line, " - ")
	if !ok {
		return Hierarchy{}, false
	}
	path, kind := strings.Fields(head)[4], strings.Fields(rest)
	switch kind[0] {
	case "cgroup":
		return Hierarchy{Path: path, Controllers: strings.Split(kind[len(kind)-1], ",")}, true
	case "cgroup2":
		content, err := os.ReadFile(filepath.Join(path, "cgroup.controllers"))
		if err != nil {
			return Hierarchy{}, false
		}
		return Hierarchy{Path: path, Controllers: strings.Fields(string(content)), Unified: true}, true
	}
	return Hierarchy{}, false
}

// Ensure makes the group in every tree, with all controllers of its parents at its disposal.
func Ensure(group string) error {
	return each(func(h Hierarchy) error {
		path := h.Path
		for name := range strings.SplitSeq(strings.Trim(group, "/"), "/") {
			if err := h.delegate(path); err != nil {
				return err
			}
			path = filepath.Join(path, name)
			if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("making control group: %w", err)
			}
			if err := h.inherit(path); err != nil {
				return err
			}
		}
		return nil
	})
}

// Weigh gives a group the part of a busy machine that a program on each of its processors would have. Without it all
// that runs in the group weighs as much as one program beside it.
func Weigh(group string) error {
	return each(func(h Hierarchy) error {
		file, weight := "cpu.shares", 1024*runtime.NumCPU()
		if h.Unified {
			file, weight = "cpu.weight", min(100*runtime.NumCPU(), 10000)
		}
		if !slices.Contains(h.Controllers, "cpu") {
			return nil
		}
		err := os.WriteFile(filepath.Join(h.Path, group, file), []byte(strconv.Itoa(weight)), 0o644)
		if err != nil {
			return fmt.Errorf("weighing control group %s: %w", group, err)
		}
		return nil
	})
}

// delegate lets the children of a group use its controllers, which version 2 wants to be told.
func (h Hierarchy) delegate(path string) error {
	if !h.Unified {
		return nil
	}
	for _, controller := range h.Controllers {
		err := os.WriteFile(filepath.Join(path, "cgroup.subtree_control"), []byte("+"+controller), 0o644)
		if err != nil {
			return fmt.Errorf("delegating controller %s in %s: %w", controller, path, err)
		}
	}
	return nil
}

// inherit gives a new group its parent's processors and memory, without which version 1 lets no process in.
func (h Hierarchy) inherit(path string) error {
	if h.Unified || !slices.Contains(h.Controllers, "cpuset") {
		return nil
	}
	for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err == nil {
			err = os.WriteFile(filepath.Join(path, name), value, 0o644)
		}
		if err != nil {
			return fmt.Errorf("inheriting %s: %w", name, err)
		}
	}
	return nil
}

// Enter moves this process into the group; what it starts follows.
func Enter(group string) error {
	return each(func(h Hierarchy) error {
		path := filepath.Join(h.Path, group, "cgroup.procs")
		if err := os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
			return fmt.Errorf("entering control group: %w", err)
		}
		return nil
	})
}

// Processes lists the processes in the group and in those below it.
func Processes(group string) ([]int, error) {
	var found []int
	err := each(func(h Hierarchy) error {
		return walk(filepath.Join(h.Path, group), func(folder string) error {
			content, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
			for field := range strings.FieldsSeq(string(content)) {
				if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
					found = append(found, pid)
				}
			}
			return err
		})
	})
	slices.Sort(found)
	return slices.Compact(found), err
}

// Remove kills every process in the group and below, and removes the groups once all have ended.
func Remove(group string) error {
	deadline := time.Now().Add(emptyTimeout)
	for {
		ended, err := killAll(group)
		if err != nil {
			return err
		}
		err = removeFolders(group)
		// What was started while we killed is killed in the next round. A group in which nobody is but that the kernel
		// still has for busy tells nothing when that ends, so there is a pause.
		if err == nil || !time.Now().Before(deadline) {
			return err
		}
		if ended == 0 {
			<-time.After(emptyPoll)
		}
	}
}

// killAll kills the processes of a group and waits until the kernel says of each that it has ended. It returns how many
// there were.
func killAll(group string) (int, error) {
	processes, err := Processes(group)
	if err != nil {
		return 0, err
	}
	var dying []unix.PollFd
	for _, pid := range processes {
		// The descriptor comes first: after it the number means this process and no later one.
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // gone, which is what we want
		}
		defer func() { _ = unix.Close(fd) }()
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		dying = append(dying, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	if err := await(dying, patience); err != nil {
		return len(dying), fmt.Errorf("waiting for the processes of control group %s: %w", group, err)
	}
	return len(dying), nil
}

// await waits for all descriptors, for each so long since the one before it.
func await(fds []unix.PollFd, each time.Duration) error {
	for i := range fds {
		if err := awaitOne(fds[i:i+1], each); err != nil {
			return err
		}
	}
	return nil
}

func awaitOne(fds []unix.PollFd, within time.Duration) error {
	deadline := time.Now().Add(within)
	for {
		left := time.Until(deadline).Milliseconds()
		n, err := unix.Poll(fds, int(max(left, 0)))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case n > 0:
			return nil
		case left <= 0:
			return fmt.Errorf("one does not end within %s: see ps for its state", within)
		}
	}
}

func removeFolders(group string) error {
	return each(func(h Hierarchy) error {
		var folders []string
		err := walk(filepath.Join(h.Path, group), func(folder string) error {
			folders = append(folders, folder)
			return nil
		})
		for _, folder := range slices.Backward(folders) {
			if err := unix.Rmdir(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("removing control group %s: %w", folder, err)
			}
		}
		return err
	})
}

// RemoveIfEmpty removes the group where nothing is in it.
func RemoveIfEmpty(group string) error {
	return each(func(h Hierarchy) error {
		err := unix.Rmdir(filepath.Join(h.Path, group))
		if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

func each(f func(Hierarchy) error) error {
	hierarchies, err := Hierarchies()
	if err != nil {
		return err
	}
	for _, hierarchy := range hierarchies {
		if err := f(hierarchy); err != nil {
			return err
		}
	}
	return nil
}

// walk visits the folder and all below it, parents first. Groups may vanish meanwhile.
func walk(root string, visit func(string) error) error {
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = visit(path)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("reading control groups: %w", err)
	}
	return nil
}
