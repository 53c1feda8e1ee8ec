package image

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Pause is the name of the image of every pod's first container.
const Pause = "localhost/devcluster/pause:1"

// ImportPause brings the image of every pod's first container, made from the given program, into the store.
func (s *Store) ImportPause(ctx context.Context, program string) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return fmt.Errorf("reading the pause program: %w", err)
	}
	layout, err := single(Pause, "/pause", content)
	if err != nil {
		return err
	}
	images, err := layout.Images()
	if err != nil {
		return err
	}
	_, err = s.Import(ctx, layout, images[0])
	return err
}

// single is a layout of one image that consists of one program.
func single(name, path string, program []byte) (*Layout, error) {
	layer, err := archive(path, program)
	if err != nil {
		return nil, err
	}
	files := map[string]*io.SectionReader{}
	layerDescriptor := add(files, ocispec.MediaTypeImageLayer, layer)
	config, err := json.Marshal(ocispec.Image{
		Platform: ocispec.Platform{OS: "linux", Architecture: runtime.GOARCH},
		Config:   ocispec.ImageConfig{Entrypoint: []string{path}},
		RootFS:   ocispec.RootFS{Type: "layers", DiffIDs: []digest.Digest{layerDescriptor.Digest}},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding image configuration: %w", err)
	}
	manifest, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2},
		MediaType: ocispec.MediaTypeImageManifest,
		Config:    add(files, ocispec.MediaTypeImageConfig, config),
		Layers:    []ocispec.Descriptor{layerDescriptor},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding image manifest: %w", err)
	}
	target := add(files, ocispec.MediaTypeImageManifest, manifest)
	target.Annotations = map[string]string{ociName: name}
	index, err := json.Marshal(ocispec.Index{
		Versioned: specs.Versioned{SchemaVersion: 2}, Manifests: []ocispec.Descriptor{target},
	})
	if err != nil {
		return nil, fmt.Errorf("encoding image index: %w", err)
	}
	files["index.json"] = io.NewSectionReader(bytes.NewReader(index), 0, int64(len(index)))
	return &Layout{source: name, open: lookup(files), Close: func() {}}, nil
}

func add(files map[string]*io.SectionReader, mediaType string, content []byte) ocispec.Descriptor {
	descriptor := ocispec.Descriptor{
		MediaType: mediaType, Digest: digest.FromBytes(content), Size: int64(len(content)),
	}
	files[blobPath(descriptor.Digest)] = io.NewSectionReader(bytes.NewReader(content), 0, descriptor.Size)
	return descriptor
}

func archive(path string, program []byte) ([]byte, error) {
	buffer := &bytes.Buffer{}
	writer := tar.NewWriter(buffer)
	header := &tar.Header{Name: path[1:], Mode: 0o755, Size: int64(len(program)), Typeflag: tar.TypeReg}
	if err := writer.WriteHeader(header); err != nil {
		return nil, fmt.Errorf("packing %s: %w", path, err)
	}
	if _, err := writer.Write(program); err != nil {
		return nil, fmt.Errorf("packing %s: %w", path, err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("packing %s: %w", path, err)
	}
	return buffer.Bytes(), nil
}
