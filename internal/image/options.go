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
	"strings"

	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/image/layer"
)

// options extracts the image's catalogue of options and returns its file. An image that asks for none has no file.
func (b *build) options(ctx context.Context, t *task, layers []*layer.Built) (string, error) {
	want := t.layer.Image.Options
	if want == nil {
		return "", nil
	}
	name := t.layer.Name
	asked := strings.Join(append([]string{t.id, b.release.Name, name, catalogue.Script}, want.Namespaces...), "\n")
	sum := sha256.Sum256([]byte(asked))
	file := filepath.Join(b.Cache, "options", b.release.Name, hex.EncodeToString(sum[:6]), name+".json")
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	b.say("%s: reading its options", name)
	program := append([]string{"python3", "-", b.release.Name, name}, want.Namespaces...)
	out, err := layer.Exec(ctx, layers, catalogue.Script, program...)
	if err != nil {
		return "", fmt.Errorf("reading the options of %s: %w", name, err)
	}
	found, err := catalogue.Parse(out)
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
