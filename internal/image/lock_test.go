package image

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/spec"
)

func chain() *spec.Release {
	return &spec.Release{Name: "r", Codename: "trixie", Layers: map[string]*spec.Layer{
		"base":  {Name: "base", Packages: []string{"curl"}},
		"app":   {Name: "app", Parent: "base", Packages: []string{"app"}},
		"plain": {Name: "plain", Parent: "base"},
	}}
}

func TestLockCovers(t *testing.T) {
	tests := map[string]struct {
		change func(*spec.Release)
		layer  string
		want   bool
	}{
		"unchanged":               {func(*spec.Release) {}, "app", true},
		"own packages changed":    {func(r *spec.Release) { r.Layers["app"].Packages = []string{"other"} }, "app", false},
		"parent's changed":        {func(r *spec.Release) { r.Layers["base"].Packages = []string{"wget"} }, "app", false},
		"suite changed":           {func(r *spec.Release) { r.Codename = "forky" }, "app", false},
		"files changed":           {func(r *spec.Release) { r.Layers["app"].Remove = []string{"/a"} }, "app", true},
		"layer without packages":  {func(*spec.Release) {}, "plain", true},
		"layer not resolved":      {func(*spec.Release) {}, "base", false},
		"package added to no one": {func(r *spec.Release) { r.Layers["plain"].Packages = []string{"x"} }, "plain", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			release := chain()
			lock := &Lock{Layers: map[string]Locked{"app": {Request: request(release, "app")}}}
			test.change(release)
			if got := lock.covers(release, test.layer); got != test.want {
				t.Errorf("covers is %v", got)
			}
		})
	}
}

func TestLockIsReadAsWritten(t *testing.T) {
	cache := t.TempDir()
	empty, err := readOwnLock(cache, "r")
	must(t, err)
	if len(empty.Layers) != 0 {
		t.Errorf("a lock that is not there has %v", empty.Layers)
	}
	want := &Lock{Release: "r", Architecture: apt.Architecture(), Indexes: "i", Layers: map[string]Locked{
		"app": {Request: "q", Packages: []apt.Package{{Name: "a", Version: "1:2", Arch: "all", SHA256: "s"}}}}}
	must(t, want.write(cache))
	got, err := readOwnLock(cache, "r")
	must(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLockIsRefused(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"other release":      {"release: q\narchitecture: " + apt.Architecture(), "is for release q"},
		"other architecture": {"release: r\narchitecture: vax", "on vax"},
		"unknown field":      {"release: r\nlayer: {}", "unknown field"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "lock.yaml")
			must(t, os.WriteFile(file, []byte(test.text), 0o644))
			if _, err := ReadLock(file, "r"); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want it to say %q", err, test.want)
			}
		})
	}
}
