package oci

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const ref = "images.example/app:r-0123"

// compose makes an image of one layer with one file.
func compose(t *testing.T) v1.Image {
	t.Helper()
	var content bytes.Buffer
	w := tar.NewWriter(&content)
	must(t, w.WriteHeader(&tar.Header{Name: "a", Mode: 0o644, Size: 4096}))
	_, err := w.Write(bytes.Repeat([]byte("a"), 4096))
	must(t, err)
	must(t, w.Close())
	file := filepath.Join(t.TempDir(), "layer.tar")
	must(t, os.WriteFile(file, content.Bytes(), 0o644))
	sum := sha256.Sum256(content.Bytes())
	root := filepath.Join(filepath.Dir(file), "root")
	must(t, os.MkdirAll(filepath.Join(root, "unpacked"), 0o755))
	layer := Layer{File: file, Root: root, Digest: "sha256:" + hex.EncodeToString(sum[:]), Size: int64(content.Len()),
		Comment: "app"}
	image, err := Compose([]Layer{layer}, Config{User: "42:42", Env: []string{"A=b"}, Entrypoint: []string{"/a"},
		Labels: map[string]string{LabelTitle: "App"}, Created: time.Unix(5000, 0).UTC()})
	must(t, err)
	return image
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// check is validate.Image for layers that are not compressed, which that does not know.
func check(t *testing.T, image v1.Image) {
	t.Helper()
	must(t, validate.Image(image, validate.Fast))
	layers, err := image.Layers()
	must(t, err)
	for _, layer := range layers {
		want, err := layer.DiffID()
		must(t, err)
		content, err := layer.Compressed()
		must(t, err)
		got, _, err := v1.SHA256(content)
		must(t, err)
		must(t, content.Close())
		if got != want {
			t.Errorf("the layer is %s, not %s", got, want)
		}
	}
}

// named is an image with an SBOM.
func named(t *testing.T) Named {
	t.Helper()
	image := compose(t)
	sbom, err := Attach(image, []byte(`{"spdxVersion":"SPDX-2.3"}`), SBOMType)
	must(t, err)
	return Named{Ref: ref, Image: image, Attached: []v1.Image{sbom}}
}

func digest(t *testing.T, image v1.Image) string {
	t.Helper()
	hash, err := image.Digest()
	must(t, err)
	return hash.String()
}

func TestCompose(t *testing.T) {
	image := compose(t)
	check(t, image)
	config, err := image.ConfigFile()
	must(t, err)
	want := v1.Config{User: "42:42", Env: []string{"A=b"}, Entrypoint: []string{"/a"},
		Labels: map[string]string{LabelTitle: "App"}}
	if diff := cmp.Diff(want, config.Config); diff != "" {
		t.Error(diff)
	}
	manifest, err := image.Manifest()
	must(t, err)
	if got := manifest.Layers[0].MediaType; got != types.OCIUncompressedLayer {
		t.Errorf("the layer is a %s", got)
	}
	if first, second := digest(t, compose(t)), digest(t, image); first != second {
		t.Errorf("the same image has digests %s and %s", first, second)
	}
}

func TestLayout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app")
	want := named(t)
	hash := digest(t, want.Image)
	if Holds(dir, hash, ref) {
		t.Error("a layout that was not written holds an image")
	}
	must(t, WriteLayout(dir, want))
	must(t, WriteLayout(dir, want))
	if !Holds(dir, hash, ref) || Holds(dir, hash, "other") || Holds(dir, "sha256:00", ref) {
		t.Error("the layout does not hold the image, or holds another")
	}
	layers, err := want.Image.Layers()
	must(t, err)
	id, err := layers[0].DiffID()
	must(t, err)
	if _, err := os.Stat(filepath.Join(dir, "unpacked", "sha256", id.Hex, "unpacked")); err != nil {
		t.Errorf("the layout does not lead to the unpacked layer: %v", err)
	}
	got, err := Open(dir)
	must(t, err)
	check(t, got.Image)
	if got.Ref != ref || digest(t, got.Image) != hash || len(got.Attached) != 1 {
		t.Errorf("opened %+v", got)
	}
	manifest, err := got.Attached[0].Manifest()
	must(t, err)
	if manifest.Subject == nil || manifest.Subject.Digest.String() != hash {
		t.Errorf("the SBOM is about %v", manifest.Subject)
	}
}

func TestOpenRefusesOtherFolders(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("an empty folder is no layout")
	}
}

func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.WithReferrersSupport(true),
		registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	dir := filepath.Join(t.TempDir(), "app")
	must(t, WriteLayout(dir, named(t)))
	local, err := Open(dir)
	must(t, err)
	target := strings.TrimPrefix(server.URL, "http://") + "/team/app:r-0123"
	pusher := &Pusher{Compressed: filepath.Join(t.TempDir(), "compressed")}
	first, err := pusher.Push(t.Context(), local, target)
	must(t, err)
	second, err := pusher.Push(t.Context(), local, target)
	if err != nil || first != second {
		t.Errorf("pushed again as %s, not %s: %v", second, first, err)
	}
	tag, err := name.NewTag(target)
	must(t, err)
	pushed, err := remote.Image(tag)
	must(t, err)
	must(t, validate.Image(pushed))
	if got := digest(t, pushed); got != first {
		t.Errorf("the registry has %s, not %s", got, first)
	}
	comparePushed(t, local.Image, pushed)
	checkReferrer(t, tag, first)
}

// comparePushed checks that a push changes nothing but the layers' compression.
func comparePushed(t *testing.T, local, pushed v1.Image) {
	t.Helper()
	want, err := local.ConfigName()
	must(t, err)
	if got, err := pushed.ConfigName(); err != nil || got != want {
		t.Errorf("the configuration is %s, not %s: %v", got, want, err)
	}
	manifest, err := pushed.Manifest()
	must(t, err)
	if layer := manifest.Layers[0]; layer.MediaType != types.OCILayer || layer.Size > 2048 {
		t.Errorf("the layer is not compressed: %+v", layer)
	}
}

func checkReferrer(t *testing.T, tag name.Tag, digest string) {
	t.Helper()
	referrers, err := remote.Referrers(tag.Context().Digest(digest))
	must(t, err)
	index, err := referrers.IndexManifest()
	must(t, err)
	if len(index.Manifests) != 1 || index.Manifests[0].ArtifactType != string(SBOMType) {
		t.Errorf("referrers are %+v", index.Manifests)
	}
}

func TestPushRefusesBadReference(t *testing.T) {
	_, err := (&Pusher{}).Push(t.Context(), named(t), "Registry Example/app:r")
	if err == nil || !strings.Contains(err.Error(), "give the registry as") {
		t.Errorf("error is %v", err)
	}
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app")
	must(t, WriteLayout(dir, named(t)))
	var first, second bytes.Buffer
	must(t, Save(&first, t.TempDir(), dir))
	must(t, Save(&second, t.TempDir(), dir))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same image gives two archives")
	}
	unpacked := t.TempDir()
	for reader := tar.NewReader(&first); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		path := filepath.Join(unpacked, header.Name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		content, err := io.ReadAll(reader)
		must(t, err)
		must(t, os.WriteFile(path, content, 0o644))
	}
	got, err := Open(unpacked)
	must(t, err)
	if got.Ref != ref || len(got.Attached) != 1 {
		t.Errorf("the archive holds %+v", got)
	}
	check(t, got.Image)
}

// A registry on another machine is asked over TLS, which it may not have.
func TestAdviceWithoutTLS(t *testing.T) {
	const want = "; give --plain-http when images.example has no TLS"
	if got := advice(fmt.Errorf("asking: %w", http.ErrSchemeMismatch), "images.example"); got != want {
		t.Errorf("the advice is %q, want %q", got, want)
	}
	if got := advice(io.ErrUnexpectedEOF, "images.example"); got != "" {
		t.Errorf("the advice about a lost connection is %q", got)
	}
}
