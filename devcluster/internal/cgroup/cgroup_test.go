package cgroup

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseMount(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		want Hierarchy
		ok   bool
	}{
		"version 1": {
			line: "36 35 0:31 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct",
			want: Hierarchy{Path: "/sys/fs/cgroup/cpu", Controllers: []string{"rw", "cpu", "cpuacct"}}, ok: true,
		},
		"version 2 that is not there": {line: "36 35 0:31 / /no/such/folder rw - cgroup2 cgroup2 rw"},
		"another file system":         {line: "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw"},
		"no line of mountinfo":        {line: "36 35"},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := parseMount(test.line)
			if diff := cmp.Diff(test.want, got); diff != "" || ok != test.ok {
				t.Errorf("parseMount() = %t (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// group makes a control group with two below it, for only the lowest may have processes.
func group(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("devcluster-test-%d", os.Getpid())
	if err := errors.Join(Ensure(name+"/one"), Ensure(name+"/two")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Remove(name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// A group weighs as much as a program on each processor.
func TestWeigh(t *testing.T) {
	name := group(t)
	if err := Weigh(name); err != nil {
		t.Fatal(err)
	}
	hierarchies, err := Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	weighed := false
	for _, h := range hierarchies {
		for file, each := range map[string]int{"cpu.shares": 1024, "cpu.weight": 100} {
			content, err := os.ReadFile(filepath.Join(h.Path, name, file))
			if err != nil {
				continue
			}
			weighed = true
			if got, want := strings.TrimSpace(string(content)), strconv.Itoa(each*runtime.NumCPU()); got != want {
				t.Errorf("%s is %s, want %s", file, got, want)
			}
		}
	}
	if !weighed {
		t.Error("no hierarchy has the weight of processors")
	}
}

// start runs a shell that is in the group from its first instruction on, since all that it starts is, too.
func start(t *testing.T, group, script string) *exec.Cmd {
	t.Helper()
	hierarchies, err := Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	enter := ""
	for _, h := range hierarchies {
		enter += "echo $$ > " + filepath.Join(h.Path, group, "cgroup.procs") + "; "
	}
	cmd := exec.Command("sh", "-ec", enter+"echo in; "+script)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "in\n" {
		t.Fatalf("the process did not enter the group: %q, %v", line, err)
	}
	return cmd
}

// Processes that ignore a polite end, have children, or go on starting others are all gone when Remove returns, and so
// are the groups. Nobody has waited for them yet: they are zombies, which hold no group.
func TestRemoveEndsWhatIsInTheGroup(t *testing.T) {
	name := group(t)
	start(t, name+"/one", "trap '' TERM; while :; do sleep 60; done")
	start(t, name+"/two", "sleep 60 & sleep 60 & wait")
	start(t, name+"/one", "while :; do sleep 0.001 & done")
	found, err := Processes(name)
	if err != nil || len(found) < 3 {
		t.Fatalf("the group has the processes %v: %v", found, err)
	}
	if err := Remove(name); err != nil {
		t.Fatal(err)
	}
	if left, err := Processes(name); err != nil || len(left) != 0 {
		t.Errorf("the group has the processes %v: %v", left, err)
	}
	hierarchies, err := Hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hierarchies {
		if _, err := os.Stat(filepath.Join(h.Path, name)); !os.IsNotExist(err) {
			t.Errorf("the group is still in %s: %v", h.Path, err)
		}
	}
}

func TestRemoveOfNothing(t *testing.T) {
	if err := Remove("devcluster-test-that-never-was"); err != nil {
		t.Error(err)
	}
}

// A process that does not end, as one in a hung file system, is told of after the time that was given, not waited for.
func TestAwaitEnds(t *testing.T) {
	err := await([]unix.PollFd{descriptor(t, os.Getpid())}, 30*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "does not end") {
		t.Errorf("waiting for a process that runs: %v", err)
	}
}

// Many processes may take longer together than one that hangs is given.
func TestAwaitGoesByEach(t *testing.T) {
	var dying []unix.PollFd
	for n := range 5 {
		cmd := exec.Command("sleep", fmt.Sprint(0.4*float64(n+1)))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Wait() })
		dying = append(dying, descriptor(t, cmd.Process.Pid))
	}
	if err := await(dying, 1500*time.Millisecond); err != nil {
		t.Error(err)
	}
}

// descriptor is what tells of the end of a process.
func descriptor(t *testing.T, pid int) unix.PollFd {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	return unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
}
