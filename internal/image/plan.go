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

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/spec"
)

// plan is what a run has to do: every layer with its inputs, in the order of need.
type plan struct {
	order []*task
	tasks map[string]*task
}

// task is one layer of a plan.
type task struct {
	layer *spec.Layer
	input *layer.Input
	id    string
	// needs are the layers this one is made from, chain its parents, the lowest first.
	needs, chain []*task
	// built is set once the layer is in the store, done is closed then.
	built *layer.Built
	done  chan struct{}
	// fetched is closed when the packages are here.
	fetched chan struct{}
}

// plan computes every layer's address and looks which are there.
func (b *build) plan(order []*spec.Layer) (*plan, error) {
	p := &plan{tasks: map[string]*task{}}
	for _, l := range order {
		t := &task{layer: l, done: make(chan struct{}), fetched: make(chan struct{})}
		for _, need := range l.Needs() {
			t.needs = append(t.needs, p.tasks[need])
		}
		for _, parent := range b.release.Chain(l.Parent) {
			t.chain = append(t.chain, p.tasks[parent.Name])
		}
		if err := b.describe(t, p); err != nil {
			return nil, err
		}
		p.tasks[l.Name] = t
		p.order = append(p.order, t)
	}
	return p, nil
}

func (b *build) describe(t *task, p *plan) error {
	t.input = &layer.Input{
		Layer:    t.layer,
		Codename: b.release.Codename,
		Sources:  apt.Sources(b.release),
		Packages: b.resolver.lock.Layers[t.layer.Name].Packages,
	}
	if t.layer.Parent != "" {
		t.input.Parent = p.tasks[t.layer.Parent].id
	}
	for _, file := range t.layer.Files {
		content, err := b.content(file, p)
		if err != nil {
			return fmt.Errorf("layer %s: %w", t.layer.Name, err)
		}
		t.input.Files = append(t.input.Files, content)
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

func (b *build) content(file spec.File, p *plan) (layer.File, error) {
	switch {
	case file.Layer != "":
		return layer.File{SHA256: p.tasks[file.Layer].id}, nil
	case file.Binary == "":
		sum := sha256.Sum256([]byte(file.Content))
		return layer.File{Content: []byte(file.Content), SHA256: hex.EncodeToString(sum[:])}, nil
	}
	path := filepath.Join(b.Binaries, file.Binary)
	sum, err := b.sum(path)
	if errors.Is(err, fs.ErrNotExist) {
		return layer.File{}, fmt.Errorf("program %s is not in %s: build it with make build, or give its folder with --binaries",
			file.Binary, b.Binaries)
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
