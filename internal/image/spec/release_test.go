package spec

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/images"
)

// minimal is a release that is right.
var minimal = map[string]string{
	"r/release.yaml": "codename: trixie\ncomponents: [main]\nsuites: [{mirror: main, name: trixie}]\n",
	"r/base.yaml":    "packages: [curl]\n",
	"r/app.yaml": "parent: base\nusers: [{name: app, uid: 42000, gid: 42000, home: /var/lib/app}]\n" +
		"image: {title: App, user: app}\n",
}

// with is minimal with one file changed.
func with(name, content string) fstest.MapFS {
	files := fstest.MapFS{}
	for file, text := range minimal {
		files[file] = &fstest.MapFile{Data: []byte(text)}
	}
	files[name] = &fstest.MapFile{Data: []byte(content)}
	return files
}

func TestLoadRefuses(t *testing.T) {
	tests := map[string]struct{ file, content, want string }{
		"unknown field": {"r/app.yaml", "parnt: base\n", "unknown field"},
		"unknown parent": {"r/app.yaml", "parent: bsae\n",
			`app.yaml: there is no layer "bsae": the layers are app, base`},
		"parent without packages": {"r/base.yaml", "files: [{path: /a, content: x}]\n", "nothing can be built on it"},
		"cycle": {"r/base.yaml", "parent: app\npackages: [curl]\n",
			"layers need each other: app -> base -> app"},
		"package name":   {"r/base.yaml", "packages: ['curl; rm']\n", `"curl; rm" is not a package name`},
		"layer name":     {"r/App.yaml", "parent: base\n", "is not a name"},
		"user name":      {"r/app.yaml", user("App", 42000, "/x"), "is not a user name"},
		"uid too small":  {"r/app.yaml", user("app", 0, "/x"), "uid and a gid between"},
		"uid too large":  {"r/app.yaml", user("app", 65534, "/x"), "uid and a gid between"},
		"relative home":  {"r/app.yaml", user("app", 42000, "x"), "absolute, clean path"},
		"unclean remove": {"r/app.yaml", "parent: base\nremove: [/etc/../x]\n", "absolute, clean path"},
		"empty all":      {"r/app.yaml", "parent: base\nempty: [/]\n", "absolute, clean path"},
		"file of two sources": {"r/app.yaml", "parent: base\nfiles: [{path: /a, content: x, binary: y}]\n",
			"exactly one of binary, content and layer"},
		"file of none":    {"r/app.yaml", "parent: base\nfiles: [{path: /a}]\n", "exactly one of binary"},
		"binary's folder": {"r/app.yaml", "parent: base\nfiles: [{path: /a, binary: ../b}]\n", "name without a folder"},
		"mode":            {"r/app.yaml", "parent: base\nfiles: [{path: /a, content: x, mode: '0799'}]\n", "must be octal"},
		"file of a layer": {"r/app.yaml", "parent: base\nfiles: [{path: /a, layer: base, source: /b}]\n", "set package"},
		"image's user": {"r/app.yaml", "parent: base\nimage: {title: App, user: app}\n",
			`image.user "app" is not among the users`},
		"options of nowhere": {"r/app.yaml", options("{}"), "exactly one of namespaces and lenses"},
		"options of both": {"r/app.yaml", options("{namespaces: [a], lenses: [b]}"),
			"exactly one of namespaces and lenses"},
		"lens":      {"r/app.yaml", options("{lenses: [../b]}"), `"../b" is not the name of a lens`},
		"no suites": {"r/release.yaml", "codename: trixie\ncomponents: [main]\n", "must set codename"},
		"unknown mirror": {"r/release.yaml", "codename: t\ncomponents: [main]\nsuites: [{mirror: x, name: t}]\n",
			"must set mirror"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(with(test.file, test.content), "r")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want it to say %q", err, test.want)
			}
		})
	}
}

func options(o string) string {
	return minimal["r/app.yaml"][:len(minimal["r/app.yaml"])-2] + ", options: " + o + "}\n"
}

func user(name string, uid int, home string) string {
	return fmt.Sprintf("parent: base\nusers: [{name: %s, uid: %d, gid: 42000, home: %s}]\n", name, uid, home)
}

func TestLoadNamesReleases(t *testing.T) {
	_, err := Load(with("q/release.yaml", minimal["r/release.yaml"]), "epoxi")
	if want := `there is no release "epoxi": choose one of q, r`; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %q", err, want)
	}
}

func TestSelect(t *testing.T) {
	release, err := Load(with("r/zoo.yaml", minimal["r/app.yaml"]), "r")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		names, want []string
		wantErr     string
	}{
		"all":     {nil, []string{"app", "zoo"}, ""},
		"some":    {[]string{"zoo", "zoo"}, []string{"zoo"}, ""},
		"unknown": {[]string{"base"}, nil, `release r has no image "base": choose from app, zoo`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := release.Select(test.names)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if test.wantErr != "" && (err == nil || err.Error() != test.wantErr) {
				t.Errorf("error is %v, want %q", err, test.wantErr)
			}
		})
	}
}

func TestOrderPutsNeedsFirst(t *testing.T) {
	files := with("r/tool.yaml", "files: [{path: /a, layer: app, source: /b, package: curl}]\n")
	release, err := Load(files, "r")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, layer := range release.Order([]string{"tool"}) {
		got = append(got, layer.Name)
	}
	if diff := cmp.Diff([]string{"base", "app", "tool"}, got); diff != "" {
		t.Error(diff)
	}
}

// The numbers are those under which volumes of running control planes are owned: they must never change.
func TestUsersOfEpoxy(t *testing.T) {
	release, err := Load(images.Files, "epoxy")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"keystone": 42425, "mariadb": 42434, "memcached": 42457, "openstackclient": 42400,
		"operator": 65532, "glance": 64062, "neutron": 42435, "nova": 64060, "ovn": 42424, "placement": 42482,
		"rabbitmq": 42439, "ceph": 64045, "libvirt": 64060, "nova-compute": 64060, "ovn-metadata": 42435,
		"barbican": 42403, "heat": 42418, "cinder": 64061, "horizon": 42420, "guest": 42500, "ovn-chassis": 42424}
	got := map[string]int{}
	for _, name := range release.Images() {
		user, ok := release.User(name, release.Layers[name].Image.User)
		if !ok || user.UID != user.GID {
			t.Errorf("image %s has user %+v, found %v", name, user, ok)
		}
		got[name] = user.UID
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("images run as others (-want +got):\n%s", diff)
	}
}

func TestUsersHaveOneNumber(t *testing.T) {
	names, err := Releases(images.Files)
	if err != nil || len(names) == 0 {
		t.Fatalf("releases are %v: %v", names, err)
	}
	for _, name := range names {
		release, err := Load(images.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		owner := map[int]string{}
		for _, layer := range release.All() {
			for _, user := range release.Layers[layer].Users {
				if had, ok := owner[user.UID]; ok && had != user.Name {
					t.Errorf("release %s: uid %d is given to %s and to %s", name, user.UID, had, user.Name)
				}
				owner[user.UID] = user.Name
			}
		}
	}
}
