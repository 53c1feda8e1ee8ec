package image

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/spec"
)

// options extracts the image's catalogue of options and returns its file. An image that asks for none has no file.
func (b *build) options(ctx context.Context, t *task, layers []*layer.Built) (string, error) {
	want := t.layer.Image.Options
	if want == nil {
		return "", nil
	}
	name := t.layer.Name
	read, how := b.declared, catalogue.Script
	if len(want.Lenses) > 0 {
		read, how = b.edited, catalogue.LensReader
	}
	asked := strings.Join(slices.Concat([]string{t.id, b.release.Name, name, how}, want.Namespaces, want.Lenses), "\n")
	sum := sha256.Sum256([]byte(asked))
	file := filepath.Join(b.Cache, "options", b.release.Name, hex.EncodeToString(sum[:6]), name+".json")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	b.say("%s: reading its options", name)
	found, err := read(ctx, t.layer, layers)
	if err != nil {
		return "", fmt.Errorf("reading the options of %s: %w", name, err)
	}
	data, err := found.Encode()
	if err != nil {
		return "", fmt.Errorf("reading the options of %s: %w", name, err)
	}
	b.compare(name, data)
	return file, replaceFile(file, data)
}

// declared are options as code of Python declares them to oslo.config.
func (b *build) declared(ctx context.Context, l *spec.Layer, layers []*layer.Built) (*catalogue.Catalogue, error) {
	program := append([]string{"python3", "-", b.release.Name, l.Name}, l.Image.Options.Namespaces...)
	out, err := layer.Exec(ctx, layers, catalogue.Script, program...)
	if err != nil {
		return nil, err
	}
	return catalogue.Parse(out)
}

// edited are options as lenses of Augeas know them.
func (b *build) edited(ctx context.Context, l *spec.Layer, layers []*layer.Built) (*catalogue.Catalogue, error) {
	found := &catalogue.Catalogue{Release: b.release.Name, Service: l.Name}
	for _, lens := range l.Image.Options.Lenses {
		text, err := layer.Exec(ctx, layers, "", "cat", "/usr/share/augeas/lenses/"+lens+".aug")
		if err != nil {
			return nil, err
		}
		if err := found.AddLens(string(text)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// compare warns when the image has other options than those that the operators check a configuration against.
func (b *build) compare(name string, data []byte) {
	if b.Known == nil {
		return
	}
	known, err := fs.ReadFile(b.Known, catalogue.Path(b.release.Name, name))
	if err != nil || !bytes.Equal(known, data) {
		b.say("%s: warning: the options differ from releases/%s: "+
			"write them there with stackwright images options --write releases", name, catalogue.Path(b.release.Name, name))
	}
}
