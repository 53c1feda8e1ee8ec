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

// contents lists what an image holds: the programs and files that were put into it, and the packages that dpkg knows.
func (b *build) contents(t *task) (*sbom.Contents, error) {
	contents := &sbom.Contents{}
	for _, file := range t.layer.Files {
		if file.Layer != "" {
			if err := b.addPackages(contents, t.need(file.Layer), file.Package); err != nil {
				return nil, err
			}
		}
		if file.Binary != "" {
			if err := contents.AddProgram(filepath.Join(b.Binaries, file.Binary)); err != nil {
				return nil, err
			}
		}
	}
	return contents, b.addPackages(contents, t)
}

// addPackages adds the packages of a layer and of those below it, or of these only the named ones.
func (b *build) addPackages(contents *sbom.Contents, t *task, only ...string) error {
	status, err := status(t.layers())
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, part := range append(slices.Clone(t.chain), t) {
		for _, p := range part.input.Packages {
			sums[p.Name] = p.SHA256
		}
	}
	contents.AddPackages(status, b.release.Codename, sums, only...)
	return nil
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
