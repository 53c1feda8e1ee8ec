package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/registry"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/image"
)

// bench is a machine with descriptions of one image that needs no packages, and a program to put into it.
type bench struct {
	data, cache, programs string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{data: t.TempDir(), cache: t.TempDir(), programs: t.TempDir()}
	must(t, os.Mkdir(filepath.Join(b.data, "r"), 0o755))
	files := map[string]string{
		"release.yaml": "codename: trixie\ncomponents: [main]\nsuites: [{mirror: main, name: trixie}]\n",
		"tool.yaml": fmt.Sprintf("users: [{name: tool, uid: %d, gid: %d, home: /home/tool}]\n"+
			"files: [{path: /usr/bin/tool, binary: tool}]\nimage: {title: Tool, user: tool}\n",
			max(1, os.Getuid()), max(1, os.Getgid())),
	}
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(b.data, "r", name), []byte(text), 0o644))
	}
	program, err := os.Executable()
	must(t, err)
	must(t, os.Link(program, filepath.Join(b.programs, "tool")))
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run executes a verb and returns what it prints.
func (b *bench) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := command(&settings{programs: func() (string, error) { return b.programs, nil }})
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	cmd.SilenceUsage = true
	cmd.SetArgs(append([]string{"--data", b.data, "--cache", b.cache, "--release", "r"}, args...))
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func (b *bench) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := b.run(t, args...)
	must(t, err)
	return out
}

func TestList(t *testing.T) {
	b := newBench(t)
	b.must(t, "build")
	want, err := image.ReadIndex(b.cache, "r")
	must(t, err)
	if out := b.must(t, "list"); !strings.Contains(out, "REFERENCE\n") || !strings.Contains(out, want.Images["tool"].Ref) {
		t.Errorf("table is:\n%s", out)
	}
	var fromJSON, fromYAML image.Images
	must(t, json.Unmarshal([]byte(b.must(t, "list", "-o", "json")), &fromJSON))
	must(t, yaml.Unmarshal([]byte(b.must(t, "list", "-o", "yaml", "tool")), &fromYAML))
	for name, got := range map[string]image.Images{"json": fromJSON, "yaml": fromYAML} {
		if diff := cmp.Diff(*want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestSBOM(t *testing.T) {
	b := newBench(t)
	b.must(t, "build")
	if out := b.must(t, "sbom", "tool"); !json.Valid([]byte(out)) || !strings.Contains(out, "SPDX-2.3") {
		t.Errorf("SBOM is %s", out)
	}
}

func TestPush(t *testing.T) {
	b := newBench(t)
	b.must(t, "build")
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	target := strings.TrimPrefix(server.URL, "http://") + "/team"
	if out := b.must(t, "push", target); !strings.HasPrefix(out, target+"/tool:r-") || !strings.Contains(out, "@sha256:") {
		t.Errorf("push prints %q", out)
	}
}

func TestSave(t *testing.T) {
	b := newBench(t)
	b.must(t, "build")
	file := filepath.Join(t.TempDir(), "images.tar")
	b.must(t, "save", "-o", file)
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("nothing was saved: %v", err)
	}
}

func TestLoadCallsDevcluster(t *testing.T) {
	b := newBench(t)
	b.must(t, "build")
	if _, err := b.run(t, "load"); err == nil || !strings.Contains(err.Error(), "build it with make build") {
		t.Errorf("error without devcluster is %v", err)
	}
	script := "#!/bin/sh\necho \"$@\"\n"
	must(t, os.WriteFile(filepath.Join(b.programs, "devcluster"), []byte(script), 0o755))
	want := "load --name two " + filepath.Join(b.cache, "oci", "r", "tool") + "\n"
	if got := b.must(t, "load", "--cluster", "two"); got != want {
		t.Errorf("devcluster was called with %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"unknown release":      {[]string{"list", "--release", "s"}, `there is no release "s"`},
		"unknown image":        {[]string{"list", "tol"}, `no image "tol": choose from tool`},
		"nothing built":        {[]string{"list"}, "run stackwright images build"},
		"unknown output":       {[]string{"list", "-o", "xml"}, "use table, json or yaml"},
		"no file to save to":   {[]string{"save"}, `required flag(s) "output" not set`},
		"no registry":          {[]string{"push"}, "requires at least 1 arg"},
		"image has no options": {[]string{"options", "tool"}, "no catalogue of options"},
	}
	built := newBench(t)
	built.must(t, "build")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := built
			if name == "nothing built" {
				b = newBench(t)
			}
			if _, err := b.run(t, test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want it to say %q", err, test.want)
			}
		})
	}
}
