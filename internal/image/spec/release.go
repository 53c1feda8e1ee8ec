// Package spec is the format of the files under images/: which layers a release has, what is in each and which of them
// are published as images.
package spec

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// releaseFile describes the release itself; every other file of the folder is a layer.
const releaseFile = "release.yaml"

// Release is one OpenStack release: a set of layers made from one Debian suite.
type Release struct {
	// Name is the folder's name, like epoxy.
	Name string `json:"-"`
	// Title is what people call the release.
	Title string `json:"title"`
	// Codename is the Debian release that the packages come from.
	Codename string `json:"codename"`
	// Components are the parts of the archive that are used.
	Components []string `json:"components"`
	// Suites are the package indexes that are read.
	Suites []Suite `json:"suites"`
	// Layers by name.
	Layers map[string]*Layer `json:"-"`
}

// Mirrors of Debian that a suite can be on.
const (
	MirrorMain     = "main"
	MirrorSecurity = "security"
)

// Suite is one package index of the archive.
type Suite struct {
	// Mirror is MirrorMain or MirrorSecurity.
	Mirror string `json:"mirror"`
	// Name is the suite, like trixie-updates.
	Name string `json:"name"`
}

// Releases lists the releases that files describes.
func Releases(files fs.FS) ([]string, error) {
	found, err := fs.Glob(files, "*/"+releaseFile)
	if err != nil {
		return nil, fmt.Errorf("listing releases: %w", err)
	}
	for i, file := range found {
		found[i] = path.Dir(file)
	}
	return found, nil
}

// Load reads and checks one release.
func Load(files fs.FS, name string) (*Release, error) {
	names, err := Releases(files)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no release %q: choose one of %s", name, strings.Join(names, ", "))
	}
	release := &Release{Name: name, Layers: map[string]*Layer{}}
	if err := read(files, path.Join(name, releaseFile), release); err != nil {
		return nil, err
	}
	found, err := fs.Glob(files, name+"/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing layers: %w", err)
	}
	for _, file := range found {
		if path.Base(file) == releaseFile {
			continue
		}
		layer := &Layer{Name: strings.TrimSuffix(path.Base(file), ".yaml")}
		if err := read(files, file, layer); err != nil {
			return nil, err
		}
		release.Layers[layer.Name] = layer
	}
	if err := release.validate(); err != nil {
		return nil, fmt.Errorf("checking images/%s: %w", name, err)
	}
	return release, nil
}

func read(files fs.FS, name string, into any) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("reading images: %w", err)
	}
	if err := yaml.UnmarshalStrict(data, into); err != nil {
		return fmt.Errorf("reading images/%s: %w", name, err)
	}
	return nil
}

// Images lists the layers that are published, sorted.
func (r *Release) Images() []string {
	var names []string
	for name, layer := range r.Layers {
		if layer.Image != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Select returns the named images, or all of them when none is named.
func (r *Release) Select(names []string) ([]string, error) {
	all := r.Images()
	if len(names) == 0 {
		return all, nil
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("release %s has no image %q: choose from %s", r.Name, name, strings.Join(all, ", "))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names))), nil
}

// Order returns the named layers and all that they are made from, each after those it needs.
func (r *Release) Order(names []string) []*Layer {
	var order []*Layer
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, need := range r.Layers[name].Needs() {
			visit(need)
		}
		order = append(order, r.Layers[name])
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		visit(name)
	}
	return order
}

// All lists every layer's name, sorted.
func (r *Release) All() []string { return slices.Sorted(maps.Keys(r.Layers)) }

// Chain returns the layer and its parents, the lowest first.
func (r *Release) Chain(name string) []*Layer {
	var chain []*Layer
	for name != "" {
		chain = append(chain, r.Layers[name])
		name = r.Layers[name].Parent
	}
	slices.Reverse(chain)
	return chain
}

// User finds a fixed user of the layer or of one of its parents.
func (r *Release) User(layer, name string) (User, bool) {
	for _, l := range r.Chain(layer) {
		for _, user := range l.Users {
			if user.Name == name {
				return user, true
			}
		}
	}
	return User{}, false
}
