package apt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/image/spec"
)

var release = &spec.Release{Codename: "trixie", Components: []string{"main"}, Suites: []spec.Suite{
	{Mirror: spec.MirrorMain, Name: "trixie"}, {Mirror: spec.MirrorSecurity, Name: "trixie-security"},
}}

func TestParseMirrors(t *testing.T) {
	tests := map[string]struct {
		targets string
		want    Mirrors
	}{
		"none": {"", Mirrors{CanonicalMain, CanonicalSecurity}},
		"own mirror": {"Packages http://mirror.example/debian/ bookworm\n" +
			"Packages http://mirror.example/debian-security/ bookworm-security\n",
			Mirrors{"http://mirror.example/debian", "http://mirror.example/debian-security"}},
		"snapshot": {"Packages http://s.example/archive/debian/20261101T000000Z/ trixie\n",
			Mirrors{"http://s.example/archive/debian/20261101T000000Z", CanonicalSecurity}},
		"first wins": {"Packages http://a.example/debian bookworm\nPackages http://b.example/debian bookworm\n",
			Mirrors{"http://a.example/debian", CanonicalSecurity}},
		"backports are elsewhere": {"Packages http://a.example/debian bookworm-backports\n",
			Mirrors{CanonicalMain, CanonicalSecurity}},
		"others are ignored": {"Packages https://deb.example/node_20.x nodistro\nDEP-11 http://a.example/debian bookworm\n",
			Mirrors{CanonicalMain, CanonicalSecurity}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parseMirrors(test.targets)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSourcesNameCanonicalMirrors(t *testing.T) {
	want := "deb http://deb.debian.org/debian trixie main\n" +
		"deb http://deb.debian.org/debian-security trixie-security main\n"
	if diff := cmp.Diff(want, Sources(release)); diff != "" {
		t.Error(diff)
	}
}

func TestParseSimulation(t *testing.T) {
	const out = `Reading package lists...
Inst libc6 [2.41-12] (2.41-12+deb13u1 Debian-Security:13/stable-security [amd64]) []
Inst adduser (3.152 Debian:13.2/stable [all])
Conf adduser (3.152 Debian:13.2/stable [all])
`
	got, err := parseSimulation(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"libc6:amd64=2.41-12+deb13u1", "adduser:all=3.152"}, got); diff != "" {
		t.Error(diff)
	}
	_, err = parseSimulation("Remv exim4 [4.98]\n")
	if err == nil || !strings.Contains(err.Error(), "would remove exim4") {
		t.Errorf("error is %v", err)
	}
}

func TestExplainNamesMissingPackages(t *testing.T) {
	archive := &Archive{release: release}
	failed := &Error{Command: "apt-get install", cause: errors.New("exit status 100"), Output: "W: old\n" +
		"E: Unable to locate package keystoen\nE: Package 'nova' has no installation candidate\n"}
	missing, ok := errors.AsType[*NotFoundError](archive.explain(failed))
	if !ok {
		t.Fatalf("error is %v", archive.explain(failed))
	}
	want := &NotFoundError{Packages: []string{"keystoen", "nova"}, Suites: []string{"trixie", "trixie-security"}}
	if diff := cmp.Diff(want, missing); diff != "" {
		t.Error(diff)
	}
	other := &Error{Command: "apt-get install", Output: "E: Broken packages\n"}
	if got := archive.explain(other).Error(); got != "apt-get install: Broken packages" {
		t.Errorf("another error became %q", got)
	}
}

func TestStanza(t *testing.T) {
	const text = "Package: a\nVersion: 1:2\nDescription: x\n Package: b\n\nPackage: c\nStatus: install ok installed\n"
	stanzas := ParseStanzas(text)
	if len(stanzas) != 2 {
		t.Fatalf("%d stanzas", len(stanzas))
	}
	if got := stanzas[0].Get("Package"); got != "a" {
		t.Errorf("Package is %q", got)
	}
	if got := stanzas[0].Get("Version"); got != "1:2" {
		t.Errorf("Version is %q", got)
	}
	if got := stanzas[0].With("Version", "3").Get("Version"); got != "3" {
		t.Errorf("Version is %q after With", got)
	}
	if got := stanzas[1].Get("Absent"); got != "" {
		t.Errorf("an absent field is %q", got)
	}
}

// deb is the beginning of a package's file.
func deb(made string) []byte {
	return fmt.Appendf(nil, "!<arch>\n%-16s%-12s%-6s%-6s%-8s%-10s`\n2.0\n", "debian-binary", made, "0", "0", "100644", "4")
}

func TestMade(t *testing.T) {
	dir := t.TempDir()
	tests := map[string]struct {
		content []byte
		want    int64
		wantErr bool
	}{
		"package": {deb("1762840271"), 1762840271, false},
		"short":   {[]byte("!<arch>\n"), 0, true},
		"other":   {bytes.Repeat([]byte("x"), 100), 0, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, test.content, 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := Made(file)
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("made at %d, %v", got, err)
			}
		})
	}
}

func TestPackageFiles(t *testing.T) {
	dir := t.TempDir()
	p := Package{Name: "uwsgi", Version: "1:2.0", Arch: "amd64",
		SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
	if got := p.FileName(); got != "uwsgi_1%3a2.0_amd64.deb" {
		t.Errorf("file is %q", got)
	}
	if got := Missing(dir, []Package{p}); len(got) != 1 {
		t.Errorf("missing are %v", got)
	}
	file := filepath.Join(dir, p.FileName())
	for content, right := range map[string]bool{"test": true, "tset": false} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := Verify(dir, p); (err == nil) != right {
			t.Errorf("verifying %q gives %v", content, err)
		}
	}
	if got := Missing(dir, []Package{p}); len(got) != 0 {
		t.Errorf("missing are %v", got)
	}
}
