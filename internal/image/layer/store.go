package layer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Store keeps built layers in a folder, one folder per address.
type Store struct {
	Dir string
}

// Built describes a layer that is in the store.
type Built struct {
	// ID is the layer's address, Name what it was built as.
	ID   string `json:"id"`
	Name string `json:"name"`
	// Digest and Size are of the layer's uncompressed tar.
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
	// Epoch is the time in seconds that stands for "now" in the layer: when the newest package was made.
	Epoch int64 `json:"epoch"`
	// Settled tells that the content which is kept unpacked has the times of the archive.
	Settled bool `json:"settled,omitempty"`
	// Packages is the number of packages that the layer adds.
	Packages int `json:"packages"`
	// Dir is the layer's folder.
	Dir string `json:"-"`
}

// Tar is the layer's archive.
func (b *Built) Tar() string { return filepath.Join(b.Dir, "layer.tar") }

// Root is the layer's unpacked content, in overlayfs' form.
func (b *Built) Root() string { return filepath.Join(b.Dir, "root") }

// Get returns the layer with an address; ok is false when it is not there.
func (s *Store) Get(id string) (built *Built, ok bool, err error) {
	dir := filepath.Join(s.Dir, id)
	data, err := os.ReadFile(filepath.Join(dir, "layer.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading layer %s: %w", id, err)
	}
	built = &Built{Dir: dir}
	if err := json.Unmarshal(data, built); err != nil {
		return nil, false, fmt.Errorf("reading layer %s: %w", id, err)
	}
	return built, true, nil
}

// begin makes a work folder for one build.
func (s *Store) begin(name string) (string, error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", fmt.Errorf("making the layer store: %w", err)
	}
	work, err := os.MkdirTemp(s.Dir, ".building-"+name+"-")
	if err != nil {
		return "", fmt.Errorf("making the layer store: %w", err)
	}
	// overlayfs gives the merged root the upper folder's mode.
	for _, sub := range []string{"upper", "scratch", "merged", "debs", "staged", "none"} {
		if err := os.Mkdir(filepath.Join(work, sub), 0o755); err != nil {
			return "", fmt.Errorf("making the layer store: %w", err)
		}
	}
	return work, nil
}

// commit moves a finished build to its address.
func (s *Store) commit(work string, built *Built) error {
	staged := filepath.Join(work, "layer")
	built.Dir = filepath.Join(s.Dir, built.ID)
	data, err := json.MarshalIndent(built, "", "  ")
	if err != nil {
		return fmt.Errorf("describing layer %s: %w", built.Name, err)
	}
	steps := []func() error{
		func() error { return os.Rename(filepath.Join(work, "upper"), filepath.Join(staged, "root")) },
		func() error { return os.WriteFile(filepath.Join(staged, "layer.json"), data, 0o644) },
		func() error { return os.Rename(staged, built.Dir) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("keeping layer %s: %w", built.Name, err)
		}
	}
	return nil
}

// Sweep removes what interrupted builds left. Only one build may use the store at a time.
func (s *Store) Sweep() error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the layer store: %w", err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".building-") {
			if err := os.RemoveAll(filepath.Join(s.Dir, entry.Name())); err != nil {
				return fmt.Errorf("removing an interrupted build: %w", err)
			}
		}
	}
	return nil
}
