package sbom

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const status = `Package: mariadb-server
Status: install ok installed
Maintainer: Debian MySQL Maintainers <m@example.org>
Architecture: amd64
Source: mariadb (1:11.8)
Version: 1:11.8.6-0+deb13u1

Package: removed
Status: deinstall ok config-files
Architecture: all
Version: 1

Package: adduser
Status: install ok installed
Architecture: all
Version: 3.152
`

func TestAddPackages(t *testing.T) {
	tests := map[string]struct {
		only []string
		want []Component
	}{
		"all": {nil, []Component{
			{Name: "mariadb-server", Version: "1:11.8.6-0+deb13u1", Arch: "amd64", Source: "mariadb",
				Supplier: "Debian MySQL Maintainers <m@example.org>", SHA256: "abc",
				URL: "pkg:deb/debian/mariadb-server@1%3A11.8.6-0%2Bdeb13u1?arch=amd64&distro=trixie"},
			{Name: "adduser", Version: "3.152", Arch: "all", Source: "adduser",
				URL: "pkg:deb/debian/adduser@3.152?arch=all&distro=trixie"},
		}},
		"one": {[]string{"adduser"}, []Component{
			{Name: "adduser", Version: "3.152", Arch: "all", Source: "adduser",
				URL: "pkg:deb/debian/adduser@3.152?arch=all&distro=trixie"},
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			contents := &Contents{}
			contents.AddPackages(status, "trixie", map[string]string{"mariadb-server": "abc"}, test.only...)
			if diff := cmp.Diff(test.want, contents.Components); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAddModules(t *testing.T) {
	contents := &Contents{}
	contents.addModules(&debug.BuildInfo{GoVersion: "go1.26.8", Path: "a.example/cmd/tool",
		Main: debug.Module{Path: "a.example"},
		Deps: []*debug.Module{
			{Path: "github.com/Masterminds/semver/v3", Version: "v3.4.0"},
			{Path: "b.example", Version: "v1.0.0", Replace: &debug.Module{Path: "c.example", Version: "v2.0.0"}},
			{Path: "d.example", Version: "v0.0.0", Replace: &debug.Module{Path: "../d"}},
		}})
	const program = "a.example/cmd/tool"
	want := []Component{
		{Name: "a.example", Version: "devel", Source: program, URL: "pkg:golang/a.example@devel"},
		{Name: "stdlib", Version: "1.26.8", Source: program, URL: "pkg:golang/stdlib@1.26.8"},
		{Name: "github.com/Masterminds/semver/v3", Version: "v3.4.0", Source: program,
			URL: "pkg:golang/github.com/masterminds/semver/v3@v3.4.0"},
		{Name: "c.example", Version: "v2.0.0", Source: program, URL: "pkg:golang/c.example@v2.0.0"},
		{Name: "d.example", Version: "v0.0.0", Source: program, URL: "pkg:golang/d.example@v0.0.0"},
	}
	if diff := cmp.Diff(want, contents.Components); diff != "" {
		t.Error(diff)
	}
}

// The test itself is a Go program.
func TestAddProgram(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	contents := &Contents{}
	if err := contents.AddProgram(program); err != nil {
		t.Fatal(err)
	}
	if contents.Version("stdlib") == "" {
		t.Errorf("the program is made of %v", contents.Components)
	}
	if err := contents.AddProgram("/etc/passwd"); err == nil {
		t.Error("a text is no program")
	}
}

func TestSPDX(t *testing.T) {
	contents := &Contents{}
	contents.AddPackages(status, "trixie", nil)
	created := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := contents.SPDX("images.example/a:r", "sha256:00ff", created)
	if err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var names []string
	ids := map[string]bool{}
	for _, entry := range doc.Packages {
		names = append(names, entry.Name)
		ids[entry.ID] = true
	}
	if diff := cmp.Diff([]string{"images.example/a:r", "adduser", "mariadb-server"}, names); diff != "" {
		t.Error(diff)
	}
	for _, relation := range doc.Relationships {
		if !ids[relation.To] {
			t.Errorf("relationship to %s, which is not there", relation.To)
		}
	}
	if doc.Version != "SPDX-2.3" || doc.Creation.Created != "2026-01-02T03:04:05Z" || len(ids) != 3 {
		t.Errorf("document is %+v", doc)
	}
	if got := contents.Version("adduser"); got != "3.152" {
		t.Errorf("version is %q", got)
	}
}
