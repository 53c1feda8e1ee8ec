package machine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fake puts a shell script in place of a program, and keeps others within reach.
func fake(t *testing.T, program, script string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	return folder
}

// On a bare machine two programs of ours install packages at the same time, and one has the lock of the lists first.
func TestALockedAptIsAwaited(t *testing.T) {
	fake(t, "apt-get", "cd ${0%/*}; [ -e tried ] && exit 0; : >tried\n"+
		"echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 42 (apt-get)' >&2; exit 100\n")
	if err := apt(t.Context(), "update"); err != nil {
		t.Errorf("who waits for the lock gets %v", err)
	}
	fake(t, "apt-get", "exit 100\n")
	if err := apt(t.Context(), "update"); err == nil {
		t.Error("another failure is not told")
	}
}

// Lists of packages are fetched only when apt-get cannot install with those it has.
func TestInstall(t *testing.T) {
	t.Setenv("DEBIAN_FRONTEND", "dialog")
	for name, c := range map[string]struct {
		script string
		runs   []string
		says   string
	}{
		"lists that have all": {script: "exit 0", runs: []string{"install"}},
		"lists that are old": {script: "[ $verb = update ] || [ -e update ] || exit 100",
			runs: []string{"install", "update", "install"}},
		"no network": {script: "echo 'E: Could not resolve'; exit 100", runs: []string{"install", "update"},
			says: "apt-get update: exit status 100: E: Could not resolve"},
		"no such package": {script: "[ $verb = update ] || { echo 'E: Unable to locate package runc'; exit 100; }",
			runs: []string{"install", "update", "install"}, says: "E: Unable to locate package runc"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := fake(t, "apt-get", `cd ${0%/*}; [ "$DEBIAN_FRONTEND" = noninteractive ] || exit 1
for verb; do case $verb in install|update) break; esac; done; echo "$*" >>ran
`+c.script+"; status=$?; : >$verb; exit $status\n")
			err := Install(t.Context(), []string{"runc", "nftables"})
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("the answer is %v, want one that says %q", err, c.says)
			}
			ran, err := os.ReadFile(filepath.Join(folder, "ran"))
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			for _, verb := range c.runs {
				want += "--quiet -o DPkg::Lock::Timeout=300 " + map[string]string{"update": "update",
					"install": "install --yes --no-install-recommends runc nftables"}[verb] + "\n"
			}
			if diff := cmp.Diff(want, string(ran)); diff != "" {
				t.Errorf("apt-get was run (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstallWithoutDebian(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := Install(t.Context(), []string{"runc", "nftables"})
	if want := "missing runc, nftables, and this is no Debian"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the answer is %v, want one that says %q", err, want)
	}
}

// A package is installed when its file is not there: what runs containers, connects pods, filters, and leads.
func TestMissing(t *testing.T) {
	files := map[string]string{"runc": "usr/sbin/runc", "containernetworking-plugins": "usr/lib/cni/ptp",
		"nftables": "usr/sbin/nft", "iptables": "usr/sbin/iptables", "iproute2": "sbin/ip"}
	root := t.TempDir()
	if got := missing(root); len(got) != len(files) {
		t.Errorf("a bare machine lacks %q, want all of %v", got, files)
	}
	for _, file := range files {
		path := filepath.Join(root, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := missing(root); len(got) > 0 {
		t.Errorf("a machine with all files lacks %q", got)
	}
	for name, file := range files {
		path := filepath.Join(root, file)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{name}, missing(root)); diff != "" {
			t.Errorf("a machine without %s lacks (-want +got):\n%s", file, diff)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
}

// What a program says first tells what is wrong: nft ends with a drawing of where.
func TestRunTellsTheFirstLine(t *testing.T) {
	fake(t, "nft", "printf 'Error: Could not process rule: Operation not supported\\nadd table\\n^^^\\n' >&2; exit 1\n")
	if err := run("nft"); err == nil || err.Error() != "Error: Could not process rule: Operation not supported" {
		t.Errorf("the error is %v", err)
	}
	fake(t, "nft", "exit 3\n")
	if err := run("nft"); err == nil || err.Error() != "exit status 3" {
		t.Errorf("the error of a program that prints nothing is %v", err)
	}
}
