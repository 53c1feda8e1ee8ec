package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/sbom"
)

// contents lists what an image holds: the packages that dpkg knows, or for an image without dpkg the programs.
func (b *build) contents(t *task, layers []*layer.Built) (*sbom.Contents, error) {
	contents := &sbom.Contents{}
	for _, file := range t.layer.Files {
		if file.Binary == "" {
			continue
		}
		if err := contents.AddProgram(filepath.Join(b.Binaries, file.Binary)); err != nil {
			return nil, err
		}
	}
	status, err := status(layers)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, part := range append(slices.Clone(t.chain), t) {
		for _, p := range part.input.Packages {
			sums[p.Name] = p.SHA256
		}
	}
	contents.AddPackages(status, b.release.Codename, sums)
	return contents, nil
}

// status is dpkg's database of the highest layer that has one.
func status(layers []*layer.Built) (string, error) {
	for _, l := range slices.Backward(layers) {
		data, err := os.ReadFile(filepath.Join(l.Root(), "var/lib/dpkg/status"))
		if err == nil {
			return string(data), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("reading the list of packages: %w", err)
		}
	}
	return "", nil
}
