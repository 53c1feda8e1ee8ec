package machine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// able is a machine that can run a cluster.
func able() facts {
	return facts{
		user:        func() int { return 0 },
		exists:      func(string) bool { return true },
		controllers: func() ([]string, error) { return []string{"cpu", "cpuset", "io", "memory", "pids"}, nil },
		filesystems: func() ([]byte, error) { return []byte("nodev\tproc\n\text4\nnodev\toverlay\n"), nil },
		run: func(program string, _ ...string) error {
			if program == "modprobe" {
				return errors.New("not found")
			}
			return nil
		},
		scratch: func(f func() error) error { return f() },
		link:    func(netlink.Link) error { return nil },
	}
}

// What a machine lacks is said by name, with what to do, and all at once.
func TestCheck(t *testing.T) {
	for name, c := range map[string]lack{
		"nothing": {lacks: func(*facts) {}},
		"root": {lacks: func(f *facts) { f.user = func() int { return 1000 } },
			says: []string{"needs root", "run it with sudo"}},
		"a program": {lacks: func(f *facts) {
			f.exists = func(file string) bool { return filepath.Base(file) != "coredns" }
		}, says: []string{"missing in /programs: coredns", "build all programs of devcluster"}},
		"control groups": {lacks: func(f *facts) {
			f.controllers = func() ([]string, error) { return []string{"cpu", "cpuset"}, nil }
		}, says: []string{"no control group controllers memory, pids", "without cgroup_disable="}},
		"knowledge of control groups": {lacks: func(f *facts) {
			f.controllers = func() ([]string, error) { return nil, errors.New("no /proc/cgroups") }
		}, says: []string{"no /proc/cgroups"}},
		"overlay": {lacks: func(f *facts) {
			f.filesystems = func() ([]byte, error) { return []byte("\text4\nnodev\tfuse.overlay\n"), nil }
		}, says: []string{"no file system overlay", "modprobe overlay"}},
		"overlay that is a module": {lacks: func(f *facts) {
			f.filesystems = func() ([]byte, error) { return []byte("\text4\n"), nil }
			f.run = func(string, ...string) error { return nil }
		}},
		"several things": {lacks: func(f *facts) {
			f.exists = func(string) bool { return false }
			f.controllers = func() ([]string, error) { return nil, nil }
			f.filesystems = func() ([]byte, error) { return nil, nil }
		}, says: []string{"containerd, containerd-shim-runc-v2, coredns, pause", "cpu, cpuset, memory, pids", "overlay"}},
	} {
		t.Run(name, c.test)
	}
}

// The kernel refuses what it cannot do, and what root of a container may not do: a module does not help there.
func TestCheckOfLinks(t *testing.T) {
	for name, c := range map[string]lack{
		"links": {lacks: func(f *facts) { f.link = func(netlink.Link) error { return unix.EOPNOTSUPP } },
			says: []string{"no veth links (operation not supported): load the module with `modprobe veth`",
				"no bridges (operation not supported): load the module with `modprobe bridge`"}},
		"packet rules": {lacks: func(f *facts) {
			f.run = func(program string, _ ...string) error { return fmt.Errorf("%s: refused", program) }
		}, says: []string{"by nftables (nft: refused): load the module with `modprobe nf_tables`"}},
		"the right to make namespaces": {lacks: func(f *facts) {
			f.scratch = func(func() error) error { return fmt.Errorf("making network namespace: %w", unix.EPERM) }
		}, says: []string{"root has no CAP_SYS_ADMIN here (making network namespace: operation not permitted): run " +
			"devcluster on the machine itself, or in a privileged container"}},
		"the right to make links": {lacks: func(f *facts) {
			f.link = func(netlink.Link) error { return fmt.Errorf("%w: by the kernel", unix.EPERM) }
		}, says: []string{"root has no CAP_NET_ADMIN here (operation not permitted: by the kernel): run devcluster on " +
			"the machine itself, or in a privileged container"}, not: "modprobe"},
		"namespaces, by another cause": {lacks: func(f *facts) {
			f.scratch = func(func() error) error { return unix.ENOSPC }
		}, says: []string{"no space left on device"}, not: "CAP_"},
	} {
		t.Run(name, c.test)
	}
}

// lack is what a machine that is able otherwise lacks, and what is said of it.
type lack struct {
	lacks func(*facts)
	says  []string
	not   string // what would lead astray
}

func (l lack) test(t *testing.T) {
	t.Helper()
	f := able()
	l.lacks(&f)
	err := f.check("/programs")
	if (err == nil) != (l.says == nil) {
		t.Fatalf("the answer is %v", err)
	}
	for _, text := range l.says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("nothing says %q: %v", text, err)
		}
	}
	if l.not != "" && strings.Contains(err.Error(), l.not) {
		t.Errorf("something says %q: %v", l.not, err)
	}
}
