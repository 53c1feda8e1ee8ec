package oci

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Names under which tools find an image of a layout: the specification's and containerd's.
const (
	annotationRef  = "org.opencontainers.image.ref.name"
	annotationName = "io.containerd.image.name"
)

// Named is an image with its reference and what is attached to it.
type Named struct {
	Ref      string
	Image    v1.Image
	Attached []v1.Image
}

// Holds tells whether the layout in dir is of the given manifest and reference.
func Holds(dir, digest, ref string) bool {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return false
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return false
	}
	for _, descriptor := range manifest.Manifests {
		if descriptor.Digest.String() == digest && descriptor.Annotations[annotationRef] == ref {
			return true
		}
	}
	return false
}

// unpacked is a folder of a layout that the specification does not know: by the digest of a layer's archive, where its
// content is unpacked in overlayfs' form. devcluster takes it from there.
const unpacked = "unpacked"

// WriteLayout replaces dir by a layout of one image. The layers' files become part of it by a link, not by a copy.
func WriteLayout(dir string, named Named) error {
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(filepath.Join(fresh, "blobs", "sha256"), 0o755)); err != nil {
		return fmt.Errorf("writing layout %s: %w", dir, err)
	}
	if err := link(fresh, named.Image); err != nil {
		return fmt.Errorf("writing layout %s: %w", dir, err)
	}
	if _, err := layout.Write(fresh, Index(named)); err != nil {
		return fmt.Errorf("writing layout %s: %w", dir, err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(fresh, dir)); err != nil {
		return fmt.Errorf("writing layout %s: %w", dir, err)
	}
	return nil
}

// Index lists images with their references, as a layout does.
func Index(images ...Named) v1.ImageIndex {
	index := v1.ImageIndex(empty.Index)
	for _, named := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: named.Image, Descriptor: v1.Descriptor{
			Platform:    &v1.Platform{OS: "linux", Architecture: runtime.GOARCH},
			Annotations: map[string]string{annotationRef: named.Ref, annotationName: named.Ref},
		}})
		for _, attached := range named.Attached {
			index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: attached})
		}
	}
	return index
}

func link(dir string, image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, layer := range layers {
		hash, err := layer.Digest()
		if err != nil {
			return err
		}
		local, ok := layer.(*file)
		if !ok {
			continue
		}
		err = os.Link(local.path, filepath.Join(dir, "blobs", "sha256", hash.Hex))
		if err == nil && local.root != "" {
			err = point(filepath.Join(dir, unpacked, hash.Algorithm), hash.Hex, local.root)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func point(dir, name, to string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.Symlink(to, filepath.Join(dir, name))
}
