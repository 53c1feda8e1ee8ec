package image

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/image/oci"
	"stackwright.dev/stackwright/internal/version"
)

// description is a release whose single image needs no packages.
func description() fstest.MapFS {
	tool := fmt.Sprintf("users: [{name: tool, uid: %d, gid: %d, home: /home/tool}]\n"+
		"files: [{path: /usr/bin/tool, binary: tool, mode: '0755'}]\n"+
		"image: {title: Tool, user: tool, entrypoint: [/usr/bin/tool]}\n", max(1, os.Getuid()), max(1, os.Getgid()))
	return fstest.MapFS{
		"r/release.yaml": {Data: []byte("codename: trixie\ncomponents: [main]\nsuites: [{mirror: main, name: trixie}]\n")},
		"r/tool.yaml":    {Data: []byte(tool)},
	}
}

// options are for description in a cache of its own. The program is the test itself.
func options(t *testing.T) Options {
	t.Helper()
	o := Options{Files: description(), Release: "r", Cache: filepath.Join(t.TempDir(), "cache"), Binaries: t.TempDir()}
	program, err := os.Executable()
	must(t, err)
	must(t, os.Link(program, filepath.Join(o.Binaries, "tool")))
	return o
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBuild(t *testing.T) {
	o := options(t)
	images, err := Build(t.Context(), o)
	must(t, err)
	image := images.Images["tool"]
	if want := Registry + "/tool:r-" + strings.TrimPrefix(image.Digest, "sha256:")[:12]; image.Ref != want {
		t.Errorf("reference is %s, want %s", image.Ref, want)
	}
	if got := image.In("registry.example/team/"); !strings.HasPrefix(got, "registry.example/team/tool:r-") {
		t.Errorf("pushed reference is %s", got)
	}
	read, err := ReadIndex(o.Cache, "r")
	must(t, err)
	if diff := cmp.Diff(images, read); diff != "" {
		t.Error(diff)
	}
	if document, err := os.ReadFile(image.SBOM); err != nil || !strings.Contains(string(document), image.Digest) {
		t.Errorf("the SBOM is not about the image: %v", err)
	}
	named, err := oci.Open(image.Layout)
	must(t, err)
	config, err := named.Image.ConfigFile()
	must(t, err)
	if want := fmt.Sprintf("%d:%d", image.UID, image.GID); config.Config.User != want {
		t.Errorf("user is %s, want %s", config.Config.User, want)
	}
	if got := config.Config.Labels[oci.LabelInputs]; got != image.Layers[0] {
		t.Errorf("label of inputs is %s, want %s", got, image.Layers[0])
	}
}

// The label with the version is that of the main package, as dpkg knows it, or without one of the program, as it knows
// it itself. An image whose main package is not there has none.
func TestVersionLabel(t *testing.T) {
	const status = "Package: libtool\nStatus: install ok installed\nVersion: 9\nArchitecture: amd64\n\n" +
		"Package: tool\nStatus: install ok installed\nVersion: 2:27.0.0-3\nArchitecture: all\n\n" +
		"Package: gone\nStatus: deinstall ok config-files\nVersion: 1\nArchitecture: all\n"
	for name, c := range map[string]struct{ main, want string }{
		"the main package's": {"tool", "2:27.0.0-3"},
		"not installed":      {"gone", ""},
		"not there":          {"other", ""},
		"the program's":      {`""`, version.Info().Version},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			files := description()
			text := string(files["r/tool.yaml"].Data)
			file := fmt.Sprintf("files: [{path: /var/lib/dpkg/status, content: %q}, ", status)
			text = strings.Replace(text, "files: [", file, 1)
			text = strings.Replace(text, "title: Tool", "title: Tool, mainPackage: "+c.main, 1)
			files["r/tool.yaml"].Data = []byte(text)
			o.Files = files
			images, err := Build(t.Context(), o)
			must(t, err)
			named, err := oci.Open(images.Images["tool"].Layout)
			must(t, err)
			config, err := named.Image.ConfigFile()
			must(t, err)
			got, labelled := config.Config.Labels["org.opencontainers.image.version"]
			if got != c.want || labelled != (c.want != "") || images.Images["tool"].Version != c.want {
				t.Errorf("the label is %q, the index has %q, want %q", got, images.Images["tool"].Version, c.want)
			}
		})
	}
}

func TestBuildAgainDoesNothing(t *testing.T) {
	o := options(t)
	first, err := Build(t.Context(), o)
	must(t, err)
	o.Progress = func(message string) { t.Errorf("the second build did something: %s", message) }
	second, err := Build(t.Context(), o)
	must(t, err)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Error(diff)
	}
}

// made builds and returns the layers that were built in it.
func made(t *testing.T, o Options) []string {
	t.Helper()
	var names []string
	o.Progress = func(message string) {
		if said, _, ok := strings.Cut(message, ": done"); ok {
			names = append(names, said[strings.LastIndexByte(said, ' ')+1:])
		}
	}
	_, err := Build(t.Context(), o)
	must(t, err)
	return names
}

// A layer that an image takes files of is kept although it is none of the image's own.
func TestOnlyWhatChangedIsBuilt(t *testing.T) {
	o := options(t)
	files := description()
	files["r/notes.yaml"] = &fstest.MapFile{Data: []byte("files: [{path: /notes, content: x}]\n")}
	swap := func(file, from, to string) {
		files[file].Data = []byte(strings.Replace(string(files[file].Data), from, to, 1))
	}
	swap("r/tool.yaml", "files: [", "files: [{path: /notes, layer: notes, source: /notes, package: notes}, ")
	o.Files = files
	for _, step := range []struct {
		name   string
		change func()
		want   []string
	}{
		{"all", func() {}, []string{"notes", "tool"}},
		{"nothing", func() {}, nil},
		{"a file of the image", func() { swap("r/tool.yaml", "'0755'", "'0700'") }, []string{"tool"}},
		{"what the file comes from", func() { swap("r/notes.yaml", "content: x", "content: y") }, []string{"notes", "tool"}},
		{"the image alone", func() { swap("r/tool.yaml", "title: Tool", "title: Other") }, nil},
	} {
		step.change()
		if diff := cmp.Diff(step.want, made(t, o)); diff != "" {
			t.Errorf("%s: other layers were built (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestBuildInAnotherCacheGivesTheSameDigest(t *testing.T) {
	o := options(t)
	first, err := Build(t.Context(), o)
	must(t, err)
	o.Cache = filepath.Join(t.TempDir(), "other")
	second, err := Build(t.Context(), o)
	must(t, err)
	if first.Images["tool"].Digest != second.Images["tool"].Digest {
		t.Errorf("digests are %s and %s", first.Images["tool"].Digest, second.Images["tool"].Digest)
	}
}

func TestChangedProgramMakesAnotherImage(t *testing.T) {
	o := options(t)
	first, err := Build(t.Context(), o)
	must(t, err)
	program, err := os.ReadFile(filepath.Join(o.Binaries, "tool"))
	must(t, err)
	must(t, os.Remove(filepath.Join(o.Binaries, "tool")))
	must(t, os.WriteFile(filepath.Join(o.Binaries, "tool"), append(program, 0), 0o755))
	second, err := Build(t.Context(), o)
	must(t, err)
	if first.Images["tool"].Ref == second.Images["tool"].Ref {
		t.Errorf("both are %s", first.Images["tool"].Ref)
	}
	layers, err := os.ReadDir(filepath.Join(o.Cache, "layers"))
	must(t, err)
	if len(layers) != 1 {
		t.Errorf("%d layers are kept, want the one that is used", len(layers))
	}
}

func TestBuildSaysWhatIsWrong(t *testing.T) {
	tests := map[string]struct {
		change func(*Options)
		want   string
	}{
		"unknown release": {func(o *Options) { o.Release = "s" }, `there is no release "s": choose one of r`},
		"unknown image":   {func(o *Options) { o.Images = []string{"tol"} }, `no image "tol": choose from tool`},
		"missing program": {func(o *Options) { o.Binaries = filepath.Dir(o.Binaries) }, "build it with make build"},
		"missing lock":    {func(o *Options) { o.Lock = "/nonexistent" }, "reading the lock"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			test.change(&o)
			if _, err := Build(t.Context(), o); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want it to say %q", err, test.want)
			}
		})
	}
}

func TestIndexSaysWhatToDo(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("STACKWRIGHT_CACHE", cache)
	if _, err := Index("r"); err == nil || !strings.Contains(err.Error(), "run stackwright images build --release r") {
		t.Errorf("error is %v", err)
	}
	_, err := writeIndex(cache, "r", map[string]Image{"a": {Ref: "x"}})
	must(t, err)
	images, err := writeIndex(cache, "r", map[string]Image{"b": {Ref: "y"}})
	must(t, err)
	if len(images.Images) != 2 {
		t.Errorf("the index has %v, want both builds", images.Images)
	}
	if _, err := images.Only([]string{"c"}); err == nil || !strings.Contains(err.Error(), "image c has not been built") {
		t.Errorf("error is %v", err)
	}
	must(t, os.WriteFile(filepath.Join(cache, "images-r.json"), []byte("{"), 0o644))
	if _, err := Index("r"); err == nil || !strings.Contains(err.Error(), "remove it and build the images again") {
		t.Errorf("error is %v", err)
	}
}
