package image

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// Registry is the registry part of the references that images have on this machine.
const Registry = "images.stackwright.dev"

// Images are the images of one release that were built on this machine.
type Images struct {
	Release string           `json:"release"`
	Images  map[string]Image `json:"images"`
}

// Image is one built image.
type Image struct {
	// Ref is the reference by which a cluster that was loaded with the image knows it. It changes with the content.
	Ref string `json:"ref"`
	// Digest is of the image's manifest.
	Digest string `json:"digest"`
	// Version is the main package's.
	Version string `json:"version"`
	// UID and GID run the processes.
	UID int `json:"uid"`
	GID int `json:"gid"`
	// Size is the sum of the layers in bytes, uncompressed.
	Size int64 `json:"size"`
	// Layers are the addresses of the layers, the lowest first.
	Layers []string `json:"layers"`
	// Sources are the addresses of further layers, from which files of the image are taken.
	Sources []string `json:"sources,omitempty"`
	// Layout is the folder with the image as an OCI layout.
	Layout string `json:"layout"`
	// SBOM is the file with the list of what is in the image.
	SBOM string `json:"sbom"`
	// Options is the file with the catalogue of configuration options, for services that have one.
	Options string `json:"options,omitempty"`
}

// In is the reference under which the image is pushed to a registry, given as HOST[:PORT][/PATH].
func (i Image) In(registry string) string {
	return strings.TrimSuffix(registry, "/") + strings.TrimPrefix(i.Ref, Registry)
}

// Only keeps the named images; one that was not built is an error.
func (i *Images) Only(names []string) (*Images, error) {
	some := &Images{Release: i.Release, Images: map[string]Image{}}
	for _, name := range names {
		image, ok := i.Images[name]
		if !ok {
			return nil, fmt.Errorf("image %s has not been built: run stackwright images build --release %s %s",
				name, i.Release, name)
		}
		some.Images[name] = image
	}
	return some, nil
}

// CacheDir is where all that is built is kept.
func CacheDir() (string, error) {
	if dir := os.Getenv("STACKWRIGHT_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w: set STACKWRIGHT_CACHE", err)
	}
	return filepath.Join(dir, "stackwright"), nil
}

// Index reads which images of a release were built.
func Index(release string) (*Images, error) {
	cache, err := CacheDir()
	if err != nil {
		return nil, err
	}
	return ReadIndex(cache, release)
}

// ReadIndex is Index for a given cache folder.
func ReadIndex(cache, release string) (*Images, error) {
	data, err := os.ReadFile(indexFile(cache, release))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no image of release %s has been built: run stackwright images build --release %s",
			release, release)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the index of images: %w", err)
	}
	images := &Images{}
	if err := json.Unmarshal(data, images); err != nil {
		return nil, fmt.Errorf("reading %s: %w: remove it and build the images again", indexFile(cache, release), err)
	}
	return images, nil
}

func indexFile(cache, release string) string { return filepath.Join(cache, "images-"+release+".json") }

// writeIndex adds images to those that were built before.
func writeIndex(cache, release string, built map[string]Image) (*Images, error) {
	images, err := ReadIndex(cache, release)
	if err != nil {
		images = &Images{Release: release, Images: map[string]Image{}}
	}
	maps.Copy(images.Images, built)
	data, err := json.MarshalIndent(images, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the index of images: %w", err)
	}
	return images, replaceFile(indexFile(cache, release), append(data, '\n'))
}

// replaceFile writes a file in one step for whoever reads it.
func replaceFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if had, err := os.ReadFile(name); err == nil && string(had) == string(data) {
		return nil
	}
	if err := os.WriteFile(name+".new", data, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}
