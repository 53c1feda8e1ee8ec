// Package oci turns layers into OCI images: the configuration, layouts on disk, archives and pushes to registries.
package oci

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Labels of an image's configuration.
const (
	LabelTitle   = "org.opencontainers.image.title"
	LabelVersion = "org.opencontainers.image.version"
	LabelBase    = "org.opencontainers.image.base.name"
	// LabelInputs carries the address of the image's highest layer.
	LabelInputs = "stackwright.dev/inputs"
)

// SBOMType is the media type of an SPDX document in JSON.
const SBOMType types.MediaType = "application/spdx+json"

// Layer is an uncompressed layer that is a file on this machine.
type Layer struct {
	File string
	// Root has the same content unpacked, in overlayfs' form; empty when nothing has.
	Root   string
	Digest string
	Size   int64
	// Comment says in the image's history what the layer is.
	Comment string
}

// Config is what an image says about itself.
type Config struct {
	User       string
	Env        []string
	Entrypoint []string
	WorkingDir string
	Labels     map[string]string
	// Created is the image's time.
	Created time.Time
}

// Compose makes an image of layers, the lowest first. Nothing is read but what the arguments say.
func Compose(layers []Layer, config Config) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	var adds []mutate.Addendum
	for _, l := range layers {
		hash, err := v1.NewHash(l.Digest)
		if err != nil {
			return nil, fmt.Errorf("composing an image: %w", err)
		}
		adds = append(adds, mutate.Addendum{
			Layer: &file{path: l.File, root: l.Root, hash: hash, size: l.Size},
			History: v1.History{
				Created:   v1.Time{Time: config.Created},
				CreatedBy: "stackwright images build",
				Comment:   l.Comment,
			},
		})
	}
	image, err := mutate.Append(image, adds...)
	if err != nil {
		return nil, fmt.Errorf("composing an image: %w", err)
	}
	had, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("composing an image: %w", err)
	}
	full := had.DeepCopy()
	full.OS, full.Architecture, full.Created = "linux", runtime.GOARCH, v1.Time{Time: config.Created}
	full.Config = v1.Config{User: config.User, Env: config.Env, Entrypoint: config.Entrypoint,
		WorkingDir: config.WorkingDir, Labels: config.Labels}
	if image, err = mutate.ConfigFile(image, full); err != nil {
		return nil, fmt.Errorf("composing an image: %w", err)
	}
	return image, nil
}

// Attach makes an artifact that a registry lists as a referrer of the subject.
func Attach(subject v1.Image, content []byte, mediaType types.MediaType) (v1.Image, error) {
	descriptor, err := partial.Descriptor(subject)
	if err != nil {
		return nil, fmt.Errorf("describing an image: %w", err)
	}
	artifact := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), mediaType)
	artifact, err = mutate.AppendLayers(artifact, static.NewLayer(content, mediaType))
	if err != nil {
		return nil, fmt.Errorf("making an artifact: %w", err)
	}
	attached, ok := mutate.Subject(artifact, *descriptor).(v1.Image)
	if !ok {
		return nil, fmt.Errorf("making an artifact: not an image any more")
	}
	return attached, nil
}

// file is a layer whose bytes are an uncompressed tar.
type file struct {
	path string
	root string
	hash v1.Hash
	size int64
}

func (f *file) Digest() (v1.Hash, error)             { return f.hash, nil }
func (f *file) DiffID() (v1.Hash, error)             { return f.hash, nil }
func (f *file) Compressed() (io.ReadCloser, error)   { return os.Open(f.path) }
func (f *file) Uncompressed() (io.ReadCloser, error) { return os.Open(f.path) }
func (f *file) Size() (int64, error)                 { return f.size, nil }

func (f *file) MediaType() (types.MediaType, error) { return types.OCIUncompressedLayer, nil }
