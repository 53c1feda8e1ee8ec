package image

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/spec"
)

// task is one layer of a run.
type task struct {
	layer *spec.Layer
	input *layer.Input
	id    string
	// needs are the tasks of the layers this one is made from, chain of its parents, the lowest first.
	needs, chain []*task
	// publish tells that the layer's image is wanted.
	publish bool
	state   state
	// dependents is how many others wait for this one.
	dependents int
	// built is the layer once it is in the store.
	built *layer.Built
}

// state is how far a task is.
type state int

const (
	// waiting for its packages to be known and here.
	waiting state = iota
	ready
	started
	finished
)

// plan makes the tasks, in the order of need, and finds the programs that go into images.
func (b *build) plan(order []*spec.Layer, wanted []string) ([]*task, error) {
	var tasks []*task
	byName := map[string]*task{}
	for _, l := range order {
		t := &task{layer: l, publish: slices.Contains(wanted, l.Name)}
		t.input = &layer.Input{Layer: l, Codename: b.release.Codename, Sources: apt.Sources(b.release)}
		for _, need := range l.Needs() {
			t.needs = append(t.needs, byName[need])
		}
		for _, lower := range b.release.Order([]string{l.Name}) {
			if lower != l {
				byName[lower.Name].dependents++
			}
		}
		for _, parent := range b.release.Chain(l.Parent) {
			t.chain = append(t.chain, byName[parent.Name])
		}
		for _, file := range l.Files {
			content, err := b.content(file)
			if err != nil {
				return nil, fmt.Errorf("layer %s: %w", l.Name, err)
			}
			t.input.Files = append(t.input.Files, content)
		}
		byName[l.Name] = t
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// describe computes the address of a task whose packages are known and looks whether the layer is there.
func (b *build) describe(t *task) error {
	if len(t.chain) > 0 {
		t.input.Parent = t.chain[len(t.chain)-1].id
	}
	for i, file := range t.layer.Files {
		if file.Layer != "" {
			t.input.Files[i].SHA256 = t.need(file.Layer).id
		}
	}
	var err error
	if t.id, err = t.input.ID(); err != nil {
		return err
	}
	built, ok, err := b.layers.Store.Get(t.id)
	if ok {
		t.built = built
	}
	return err
}

func (t *task) need(name string) *task {
	for _, need := range t.needs {
		if need.layer.Name == name {
			return need
		}
	}
	return nil
}

func (b *build) content(file spec.File) (layer.File, error) {
	switch {
	case file.Layer != "":
		return layer.File{}, nil
	case file.Binary == "":
		sum := sha256.Sum256([]byte(file.Content))
		return layer.File{Content: []byte(file.Content), SHA256: hex.EncodeToString(sum[:])}, nil
	}
	path := filepath.Join(b.Binaries, file.Binary)
	sum, err := b.sum(path)
	if errors.Is(err, fs.ErrNotExist) {
		return layer.File{}, fmt.Errorf(
			"program %s is not in %s: build it with make build, or give its folder with --binaries", file.Binary, b.Binaries)
	}
	return layer.File{Path: path, SHA256: sum}, err
}

// sum is a file's checksum; programs are in several images.
func (b *build) sum(path string) (string, error) {
	if sum, ok := b.sums[path]; ok {
		return sum, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading program: %w", err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("reading program: %w", err)
	}
	b.sums[path] = hex.EncodeToString(hash.Sum(nil))
	return b.sums[path], nil
}
