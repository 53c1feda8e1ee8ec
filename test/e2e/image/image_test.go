//go:build e2e

// Package image builds images from the archive's packages, which needs root and the network, and looks into them.
package image

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/images"
	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/releases"
	"stackwright.dev/stackwright/test/e2e/story"
)

// binaries is where make build puts the programs.
const binaries = "../../../bin"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// build brings images up to date, in the cache that all of this machine use unless another is named.
func build(t *testing.T, cache, lock string, names ...string) *image.Images {
	t.Helper()
	if cache == "" {
		var err error
		cache, err = image.CacheDir()
		must(t, err)
	}
	built, err := image.Build(t.Context(), options(t, cache, lock, names...))
	must(t, err)
	return built
}

func options(t *testing.T, cache, lock string, names ...string) image.Options {
	t.Helper()
	return image.Options{Files: images.Files, Known: releases.Files, Release: "epoxy", Images: names, Cache: cache,
		Binaries: binaries, Lock: lock, Progress: func(message string) { t.Log(message) }}
}

// cold is how long the images of the core may take where nothing is cached. All images took two minutes on two cores.
// The test is red at twice its value: other stories play beside it, and networks differ.
const cold = 4 * time.Minute

// Two machines with one lock make the same image. The first one has nothing cached.
func TestSameInputsGiveTheSameDigest(t *testing.T) {
	story.Slow(t)
	if built := same(t, t.TempDir()); len(built) < 6 {
		t.Errorf("%d images were built", len(built))
	}
}

// same builds images in a new cache, and in another one with the lock of the first, and compares them.
func same(t *testing.T, second string, names ...string) map[string]image.Image {
	t.Helper()
	first, began := t.TempDir(), time.Now()
	want := build(t, first, "", names...).Images
	took := time.Since(began)
	t.Logf("with nothing cached %d images take %s, and the core may take %s", len(want), took.Round(time.Second), cold)
	if took > 2*cold {
		t.Errorf("with nothing cached images take %s, at most %s", took.Round(time.Second), 2*cold)
	}
	got := build(t, second, filepath.Join(first, "lock-epoxy.yaml"), names...).Images
	for name := range want {
		if diff := cmp.Diff(want[name].Layers, got[name].Layers); diff != "" {
			t.Errorf("inputs of %s differ: %s", name, diff)
		}
		if want[name].Digest != got[name].Digest {
			t.Errorf("digests of %s are %s and %s", name, want[name].Digest, got[name].Digest)
		}
		t.Logf("%s %s", name, got[name].Digest)
	}
	if len(got) != len(want) {
		t.Errorf("%d images were built, and then %d", len(want), len(got))
	}
	return got
}

// One image stands for all of them, which TestSameInputsGiveTheSameDigest takes minutes for. Then its program changes,
// which is one layer: the packages below are not installed again.
func TestMemcachedTwiceAndWithANewProgram(t *testing.T) {
	story.InCI(t)
	o := options(t, t.TempDir(), "", "memcached")
	before := same(t, o.Cache, o.Images...)["memcached"].Layers
	program, err := os.ReadFile(filepath.Join(binaries, "stackwright-agent"))
	must(t, err)
	o.Binaries = t.TempDir()
	must(t, os.WriteFile(filepath.Join(o.Binaries, "stackwright-agent"), append(program, 0), 0o755))
	done := regexp.MustCompile(`(\S+): done`)
	var made []string
	o.Progress = func(message string) {
		for _, found := range done.FindAllStringSubmatch(message, -1) {
			made = append(made, found[1])
		}
	}
	built, err := image.Build(t.Context(), o)
	must(t, err)
	after := built.Images["memcached"].Layers
	top := len(before) - 1
	if top < 2 || len(after) != len(before) || !slices.Equal(after[:top], before[:top]) || after[top] == before[top] {
		t.Errorf("the layers are %v, and were %v", after, before)
	}
	if diff := cmp.Diff([]string{"memcached"}, made); diff != "" {
		t.Errorf("other layers were built (-want +got):\n%s", diff)
	}
}

// To see that there is nothing to do takes two seconds at most, of all images.
func TestNothingToDoIsQuick(t *testing.T) {
	build(t, "", "")
	best := time.Hour
	for range 3 {
		start := time.Now()
		build(t, "", "")
		best = min(best, time.Since(start))
	}
	t.Logf("it takes %v", best)
	if best > 2*time.Second {
		t.Errorf("building what is built takes %v, want 2 s at most", best)
	}
}

func TestUnknownPackageIsNamed(t *testing.T) {
	data := os.DirFS("testdata")
	wrong := image.Options{Files: data, Release: "wrong", Cache: t.TempDir(), Binaries: binaries}
	_, err := image.Build(t.Context(), wrong)
	const want = "package not found in trixie: keystoen"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want it to say %q", err, want)
	}
}

// The operators check configurations against the catalogue in releases/.
func TestCataloguesAreTheImages(t *testing.T) {
	have, err := fs.ReadDir(releases.Files, "epoxy/options")
	must(t, err)
	made := 0
	for name, built := range build(t, "", "").Images {
		if built.Options == "" {
			continue
		}
		made++
		want, err := os.ReadFile(built.Options)
		must(t, err)
		got, err := catalogue.Load(releases.Files, "epoxy", name)
		must(t, err)
		encoded, err := got.Encode()
		must(t, err)
		if diff := cmp.Diff(string(want), string(encoded)); diff != "" {
			t.Errorf("run stackwright images options --write releases: %s", diff)
		}
	}
	if made == 0 || made != len(have) {
		t.Errorf("the images have %d catalogues, releases has %d", made, len(have))
	}
}

// dashboard prints Horizon's version and whether the list of its compressed files is in order.
const dashboard = `import heat_dashboard, importlib.metadata, json
files = json.load(open("/var/lib/openstack-dashboard/static/dashboard/manifest.json"))
print(importlib.metadata.version("horizon")[:4], "sorted", len(files) > 3 and list(files) == sorted(files))`

// imports prints Glance's version and which addresses a person's import may fetch: those of the machine itself and of
// its cloud's metadata are Glance's to refuse, and so are ports of services.
const imports = `import importlib.metadata
from glance.async_.flows import _internal_plugins
from glance.common import utils
print(importlib.metadata.version("glance")[:4], [utils.validate_uri(u) for u in ("http://127.0.0.1/",
    "http://169.254.169.254/", "http://[fe80::1]/", "http://[::ffff:127.0.0.1]/", "http://192.0.2.1:5000/",
    "http://192.0.2.1/")])`

func TestProgramsRun(t *testing.T) {
	tests := map[string]struct {
		program []string
		want    string
	}{
		"ceph":            {[]string{"ceph-osd", "--version"}, "18.2"},
		"cinder":          {[]string{"cinder-manage", "--version"}, "26.0"},
		"glance":          {[]string{"python3", "-c", imports}, "30.0 [False, False, False, False, False, True]"},
		"guest":           {[]string{"guest-disk", "/tmp"}, "/tmp/disk.raw"},
		"keystone":        {[]string{"keystone-manage", "--version"}, "27.0"},
		"libvirt":         {[]string{"libvirtd", "--version"}, "11.3"},
		"mariadb":         {[]string{"mariadbd", "--version"}, "11.8"},
		"memcached":       {[]string{"memcached", "--version"}, "1.6"},
		"neutron":         {[]string{"neutron-rpc-server", "--version"}, "26.0"},
		"barbican":        {[]string{"barbican-manage", "--version"}, "20.0"},
		"heat":            {[]string{"heat-manage", "--version"}, "24.0"},
		"horizon":         {[]string{"python3", "-c", dashboard}, "25.3 sorted True"},
		"nova":            {[]string{"nova-manage", "--version"}, "31.0"},
		"nova-compute":    {[]string{"python3", "-c", "import libvirt, nova.virt.fake as f; print(f)"}, "nova.virt"},
		"openstackclient": {[]string{"openstack", "--version"}, "openstack 7"},
		"operator":        {[]string{"stackwright-operator", "--version"}, "stackwright "},
		"ovn":             {[]string{"ovn-northd", "--version"}, "25.03"},
		"ovn-chassis":     {[]string{"ovn-controller", "--version"}, "25.03"},
		"ovn-metadata":    {[]string{"neutron-ovn-metadata-agent", "--version"}, "26.0"},
		"placement":       {[]string{"placement-manage", "--version"}, "13.0"},
		"rabbitmq":        {[]string{"ls", "/usr/lib/rabbitmq/bin/rabbitmq-server"}, "rabbitmq-server"},
	}
	built := build(t, "", "")
	for name := range built.Images {
		if _, ok := tests[name]; !ok {
			t.Errorf("no program of image %s is tried", name)
		}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := layer.Exec(t.Context(), stored(t, built.Images[name]), "", test.program...)
			must(t, err)
			if !strings.Contains(string(out), test.want) {
				t.Errorf("%v prints %q", test.program, out)
			}
			packages, err := os.ReadFile(built.Images[name].SBOM)
			must(t, err)
			if v := built.Images[name].Version; v == "" || !bytes.Contains(packages, []byte(v)) {
				t.Errorf("the label has the version %q, which is of no package in %s", v, built.Images[name].SBOM)
			}
		})
	}
}

func stored(t *testing.T, built image.Image) []*layer.Built {
	t.Helper()
	cache, err := image.CacheDir()
	must(t, err)
	store := &layer.Store{Dir: filepath.Join(cache, "layers")}
	var layers []*layer.Built
	for _, id := range built.Layers {
		l, ok, err := store.Get(id)
		must(t, err)
		if !ok {
			t.Fatalf("layer %s is not in the store", id)
		}
		layers = append(layers, l)
	}
	return layers
}

var (
	// leftover are files that differ between two builds, or say something of the machine.
	leftover = regexp.MustCompile(`^(var/log/.*[^/]|var/cache/apt/.*\.bin|var/lib/apt/lists/.*[^/]|` +
		`etc/(hostname|resolv\.conf)|etc/nvme/host(id|nqn)|etc/iscsi/initiatorname\.iscsi|` +
		`tmp/.+|run/.+|dev/.+|.*-old|etc/(passwd|group|shadow)-)$`)
	// secret are files that a package may make at install and that would be the same everywhere.
	secret = regexp.MustCompile(`fernet-keys/|credential-keys/|ssl-cert-snakeoil\.key|` +
		`\.erlang\.cookie|keystone\.db|/ibdata1$`)
	hashed = regexp.MustCompile(`(?m)^[^:]+:[^:!*]`)
)

func TestImagesHoldNothingOfTheMachine(t *testing.T) {
	for name, built := range build(t, "", "").Images {
		for _, l := range stored(t, built) {
			inspect(t, name, l)
		}
	}
}

func inspect(t *testing.T, name string, l *layer.Built) {
	t.Helper()
	file, err := os.Open(l.Tar())
	must(t, err)
	defer file.Close()
	for reader := tar.NewReader(file); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		must(t, err)
		regular := header.Typeflag == tar.TypeReg
		switch {
		case regular && leftover.MatchString(header.Name), regular && secret.MatchString(header.Name):
			t.Errorf("image %s, layer %s has /%s", name, l.Name, header.Name)
		case header.ModTime.Unix() > l.Epoch:
			t.Errorf("image %s, layer %s: /%s is of %s", name, l.Name, header.Name, header.ModTime)
		}
		if regular && strings.HasSuffix(header.Name, ".pyc") {
			if second := compiledFrom(t, reader); second > l.Epoch {
				t.Errorf("image %s, layer %s: /%s was compiled from a file of %s", name, l.Name, header.Name,
					time.Unix(second, 0).UTC())
			}
			continue
		}
		content := &bytes.Buffer{}
		if header.Name == "etc/shadow" || header.Name == "etc/machine-id" {
			_, err := io.Copy(content, reader)
			must(t, err)
		}
		if hashed.Match(content.Bytes()) || header.Name == "etc/machine-id" && content.Len() > 0 {
			t.Errorf("image %s, layer %s: /%s says %s", name, l.Name, header.Name, content)
		}
	}
}

// compiledFrom is the time of the source, in seconds of the epoch, that compiled Python code says it was made from: the
// third of the 32-bit numbers it begins with (PEP 552); zero if it goes by the source's hash.
func compiledFrom(t *testing.T, content io.Reader) int64 {
	t.Helper()
	var head struct{ Magic, Flags, Second, Size uint32 }
	must(t, binary.Read(content, binary.LittleEndian, &head))
	if head.Flags != 0 {
		return 0
	}
	return int64(head.Second)
}
