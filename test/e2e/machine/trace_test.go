//go:build e2e

package machine

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// traces lists what a cluster could leave on the machine, one line each, but what docs/devcluster.md says that stays.
func traces(t *testing.T) []string {
	t.Helper()
	var list []string
	add := func(kind string, names ...string) {
		for _, name := range names {
			list = append(list, kind+" "+name)
		}
	}
	add("process", processes(t)...)
	add("mount", mounts(t)...)
	add("interface", children("/sys/class/net")...)
	add("namespace", children("/run/netns")...)
	add("rule", rules(t)...)
	add("control group", below("/sys/fs/cgroup", 5, true)...)
	for top, depth := range map[string]int{"/etc": 2, "/run": 2, "/tmp": 1, "/opt": 2, "/srv": 2, "/usr/libexec": 2,
		"/usr/local": 2, "/var/cache": 2, "/var/lib": 2, "/var/log": 2, "/var/tmp": 1, home(t): 2} {
		add("file", below(top, depth, false)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func home(t *testing.T) string {
	t.Helper()
	dir, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// processes are those that run in other namespaces than we do, or a program of ours.
func processes(t *testing.T) []string {
	t.Helper()
	self, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, dir := range children("/proc") {
		network, err := os.Readlink(filepath.Join("/proc", dir, "ns/net"))
		if err != nil {
			continue
		}
		program, _ := os.Readlink(filepath.Join("/proc", dir, "exe"))
		ours := strings.HasPrefix(program, filepath.Dir(bin(t))) && filepath.Base(filepath.Dir(program)) == "bin"
		if network != self || ours {
			list = append(list, program)
		}
	}
	return list
}

func mounts(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(content)) {
		list = append(list, strings.Fields(line)[4])
	}
	return list
}

// rules are those of the firewall, in the kernel's newer interface and its older one; a machine without a program that
// lists them has none.
func rules(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, command := range [][]string{
		{"nft", "--stateless", "list", "ruleset"}, {"iptables-legacy-save"}, {"ip6tables-legacy-save"},
	} {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue
		}
		out, err := exec.CommandContext(context.WithoutCancel(t.Context()), command[0], command[1:]...).Output()
		if err != nil {
			t.Fatalf("listing firewall rules by %s: %v", command[0], err)
		}
		list = append(list, strings.Split(timeAndCounts.ReplaceAllString(string(out), ""), "\n")...)
	}
	return list
}

// timeAndCounts are of the older interface: comments, and numbers of packets and bytes.
var timeAndCounts = regexp.MustCompile(`(?m)^#.*$| \[\d+:\d+\]$`)

func children(dir string) []string {
	entries, _ := os.ReadDir(dir)
	list := make([]string, 0, len(entries))
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// noise is what programs other than ours keep changing.
var noise = regexp.MustCompile(`^(\.cache|apt|dpkg|go|systemd|journal|udev|utmp|go-build.*)$`)

// below lists what is in top to a depth.
func below(top string, depth int, foldersOnly bool) []string {
	var list []string
	_ = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || noise.MatchString(d.Name()) {
			return skip(d)
		}
		if d.IsDir() || !foldersOnly {
			list = append(list, path)
		}
		if d.IsDir() && strings.Count(strings.TrimPrefix(path, top), "/") >= depth {
			return fs.SkipDir
		}
		return nil
	})
	return list
}

func skip(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// left returns what is in after and not in before.
func left(before, after []string) []string {
	var list []string
	for _, line := range after {
		if _, found := slices.BinarySearch(before, line); !found {
			list = append(list, line)
		}
	}
	return list
}
