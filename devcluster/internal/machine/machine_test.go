package machine

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// able is a machine that can run a cluster.
func able() facts {
	return facts{
		user:        func() int { return 0 },
		exists:      func(string) bool { return true },
		controllers: func() ([]string, error) { return []string{"cpu", "cpuset", "io", "memory", "pids"}, nil },
		filesystems: func() ([]byte, error) { return []byte("nodev\tproc\n\text4\nnodev\toverlay\n"), nil },
		modprobe:    func(string) error { return errors.New("not found") },
		links:       func() error { return nil },
	}
}

// What a machine lacks is said by name, with what to do, and all at once.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		lacks func(*facts)
		says  []string
	}{
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
			f.modprobe = func(string) error { return nil }
		}},
		"links": {lacks: func(f *facts) { f.links = func() error { return errors.New("no veth: load it") } },
			says: []string{"no veth: load it"}},
		"several things": {lacks: func(f *facts) {
			f.exists = func(string) bool { return false }
			f.controllers = func() ([]string, error) { return nil, nil }
			f.filesystems = func() ([]byte, error) { return nil, nil }
		}, says: []string{"containerd, containerd-shim-runc-v2, coredns, pause", "cpu, cpuset, memory, pids", "overlay"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := able()
			c.lacks(&f)
			err := f.check("/programs")
			if (err == nil) != (c.says == nil) {
				t.Fatalf("the answer is %v", err)
			}
			for _, text := range c.says {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("nothing says %q: %v", text, err)
				}
			}
		})
	}
}
