package oci

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// Save writes the layouts in dirs as one archive that container tools can load. The order of the content is fixed,
// and no file has a time, so that the same images give the same bytes.
func Save(out io.Writer, scratch string, dirs ...string) error {
	merged, err := os.MkdirTemp(scratch, ".saving-")
	if err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	defer os.RemoveAll(merged)
	if err := os.MkdirAll(filepath.Join(merged, "blobs", "sha256"), 0o755); err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	var images []Named
	for _, dir := range dirs {
		named, err := Open(dir)
		if err != nil {
			return err
		}
		images = append(images, named)
		if err := linkBlobs(dir, merged); err != nil {
			return fmt.Errorf("saving %s: %w", named.Ref, err)
		}
	}
	if _, err := layout.Write(merged, Index(images...)); err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	archive := tar.NewWriter(out)
	if err := pour(archive, merged); err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	return nil
}

func linkBlobs(from, to string) error {
	blobs, err := filepath.Glob(filepath.Join(from, "blobs", "sha256", "*"))
	if err != nil {
		return err
	}
	for _, blob := range blobs {
		err := os.Link(blob, filepath.Join(to, "blobs", "sha256", filepath.Base(blob)))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

func pour(archive *tar.Writer, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size()}); err != nil {
			return err
		}
		_, err = io.Copy(archive, file)
		return err
	})
}
