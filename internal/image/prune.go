package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// prune removes layers that no image of any release is made from any more, and packages that no lock names.
func (b *build) prune() error {
	layers, packages := map[string]bool{}, map[string]bool{}
	indexes, err := filepath.Glob(indexFile(b.Cache, "*"))
	if err != nil {
		return fmt.Errorf("looking for indexes: %w", err)
	}
	for _, file := range indexes {
		release := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "images-"), ".json")
		images, err := ReadIndex(b.Cache, release)
		if err != nil {
			return err
		}
		lock, err := readOwnLock(b.Cache, release)
		if err != nil {
			return err
		}
		for _, image := range images.Images {
			for _, id := range slices.Concat(image.Layers, image.Sources) {
				layers[id] = true
			}
		}
		for _, locked := range lock.Layers {
			for _, p := range locked.Packages {
				packages[p.FileName()] = true
			}
		}
	}
	if err := b.keepOnly(b.layers.Store.Dir, layers); err != nil {
		return err
	}
	return b.keepOnly(b.layers.Packages, packages)
}

func (b *build) keepOnly(dir string, keep map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for what is not used: %w", err)
	}
	for _, entry := range entries {
		if keep[entry.Name()] {
			continue
		}
		b.say("removing %s, which nothing uses any more", entry.Name())
		if err := os.RemoveAll(filepath.Join(dir, entry.Name())); err != nil {
			return fmt.Errorf("removing what is not used: %w", err)
		}
	}
	return nil
}
