package box

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"stackwright.dev/stackwright/internal/image"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/oci"
)

// Images are those that were built on this machine, by reference.
type Images struct {
	all   map[string]image.Image
	store layer.Store
}

// Image is one of them.
type Image struct {
	// Layers are the folders of the layers, the lowest first.
	Layers []string
	// Config is what a process begins with.
	Config v1.Config
}

// Built reads which images there are.
func Built(release string) (*Images, error) {
	cache, err := image.CacheDir()
	if err != nil {
		return nil, err
	}
	index, err := image.ReadIndex(cache, release)
	if err != nil {
		return nil, err
	}
	s := &Images{all: map[string]image.Image{}, store: layer.Store{Dir: filepath.Join(cache, "layers")}}
	for _, i := range index.Images {
		s.all[i.Ref] = i
	}
	return s, nil
}

// Find looks for an image by its reference.
func (s *Images) Find(ref string) (*Image, error) {
	i, ok := s.all[ref]
	if !ok {
		return nil, fmt.Errorf("looking for image %s: it is not among those that were built", ref)
	}
	named, err := oci.Open(i.Layout)
	if err != nil {
		return nil, err
	}
	config, err := named.Image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading image %s: %w", ref, err)
	}
	out := &Image{Config: config.Config}
	for _, id := range i.Layers {
		l, ok, err := s.store.Get(id)
		if err == nil && !ok {
			err = fmt.Errorf("layer %s is gone from the cache; build the images again", id)
		}
		if err == nil {
			_, err = os.Stat(l.Root())
		}
		if err != nil {
			return nil, fmt.Errorf("reading image %s: %w", ref, err)
		}
		out.Layers = append(out.Layers, l.Root())
	}
	return out, nil
}

// lower is what overlayfs takes: the topmost first.
func (i *Image) lower() []string {
	out := slices.Clone(i.Layers)
	slices.Reverse(out)
	return out
}

// Named is the reference of the image of a name, such as guest.
func (s *Images) Named(name string) (string, error) {
	for ref := range s.all {
		if strings.HasPrefix(ref, image.Registry+"/"+name+":") {
			return ref, nil
		}
	}
	return "", fmt.Errorf("image %s is not among those that were built", name)
}

// Warm reads the files of images, so that they are in memory as those of images that were just loaded into a cluster.
func (s *Images) Warm(refs []string) error {
	read := map[string]bool{}
	for _, ref := range refs {
		i, err := s.Find(ref)
		if err != nil {
			return err
		}
		for _, folder := range i.Layers {
			if read[folder] {
				continue
			}
			read[folder] = true
			if err := filepath.WalkDir(folder, readFile); err != nil {
				return fmt.Errorf("reading the layers of %s: %w", ref, err)
			}
		}
	}
	return nil
}

func readFile(path string, d fs.DirEntry, err error) error {
	if err != nil || !d.Type().IsRegular() {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, f)
	return errors.Join(err, f.Close())
}
