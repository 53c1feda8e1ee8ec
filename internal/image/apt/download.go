package apt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Missing lists the packages whose files are not in dir.
func Missing(dir string, packages []Package) []Package {
	return slices.DeleteFunc(slices.Clone(packages), func(p Package) bool {
		_, err := os.Stat(filepath.Join(dir, p.FileName()))
		return err == nil
	})
}

// Download puts the packages' files into dir.
func (a *Archive) Download(ctx context.Context, dir string, packages []Package) error {
	args := []string{"download", "-q"}
	for _, p := range packages {
		args = append(args, p.pin())
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the package folder: %w", err)
	}
	partial, err := os.MkdirTemp(dir, ".partial-")
	if err != nil {
		return fmt.Errorf("making the package folder: %w", err)
	}
	defer os.RemoveAll(partial)
	if _, err := a.run(ctx, partial, "apt-get", args...); err != nil {
		return fmt.Errorf("downloading packages: %w: if the mirror has newer versions, run with --refresh", err)
	}
	return adopt(partial, dir, packages)
}

// adopt moves complete files from one folder to the other, so that an interrupted download leaves no half file.
func adopt(from, to string, packages []Package) error {
	for _, p := range packages {
		err := os.Rename(filepath.Join(from, p.FileName()), filepath.Join(to, p.FileName()))
		if err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("keeping package %s: %w", p.Name, err)
		}
	}
	return nil
}

// Verify compares a package's file in dir with its checksum.
func Verify(dir string, p Package) error {
	file, err := os.Open(filepath.Join(dir, p.FileName()))
	if err != nil {
		return fmt.Errorf("reading package %s: %w", p.Name, err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("reading package %s: %w", p.Name, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != p.SHA256 {
		return fmt.Errorf("package file %s has checksum %s instead of %s: remove it and try again",
			file.Name(), got, p.SHA256)
	}
	return nil
}
