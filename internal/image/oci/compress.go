package oci

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// compress gives the same image with compressed layers, which it keeps in dir.
func compress(image v1.Image, dir string) (v1.Image, error) {
	layers, err := image.Layers()
	if err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	var packed []v1.Layer
	for _, layer := range layers {
		p, err := pack(layer, dir)
		if err != nil {
			return nil, fmt.Errorf("compressing: %w", err)
		}
		packed = append(packed, p)
	}
	compressed := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if compressed, err = mutate.AppendLayers(compressed, packed...); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	if compressed, err = mutate.ConfigFile(compressed, config); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	return compressed, nil
}

// packed is a layer that is compressed in a file.
type packed struct {
	file
	diffID v1.Hash
}

func (p *packed) DiffID() (v1.Hash, error)            { return p.diffID, nil }
func (p *packed) MediaType() (types.MediaType, error) { return types.OCILayer, nil }

func (p *packed) Uncompressed() (io.ReadCloser, error) {
	compressed, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(compressed)
	if err != nil {
		return nil, errors.Join(err, compressed.Close())
	}
	return &unpacking{Reader: reader, file: compressed}, nil
}

type unpacking struct {
	*gzip.Reader
	file *os.File
}

func (u *unpacking) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }

func pack(layer v1.Layer, dir string) (v1.Layer, error) {
	diffID, err := layer.DiffID()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, diffID.Hex+".tar.gz")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		err = packInto(path, layer)
		if err != nil {
			return nil, err
		}
	}
	compressed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer compressed.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, compressed)
	if err != nil {
		return nil, err
	}
	digest := v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(hash.Sum(nil))}
	return &packed{file: file{path: path, hash: digest, size: size}, diffID: diffID}, nil
}

// packInto compresses fast rather than well: most of a push is spent here.
func packInto(path string, layer v1.Layer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	out, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	content, err := layer.Uncompressed()
	if err != nil {
		return err
	}
	defer content.Close()
	writer, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := io.Copy(writer, content); err != nil {
		return err
	}
	if err := errors.Join(writer.Close(), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), path)
}
