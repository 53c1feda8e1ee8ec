package image

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/oci"
)

// environment of every image. Python and MariaDB's tools want a UTF-8 locale.
var environment = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}

// publish makes the image of a built layer: its layout, its SBOM and its catalogue of options.
func (b *build) publish(ctx context.Context, t *task) (*Image, error) {
	name, want := t.layer.Name, t.layer.Image
	user, _ := b.release.User(name, want.User)
	layers := t.layers()
	contents, err := b.contents(t)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, err)
	}
	image := &Image{UID: user.UID, GID: user.GID, Version: contents.Version(want.MainPackage)}
	composed, err := oci.Compose(archives(layers), b.config(t, image))
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, err)
	}
	digest, err := composed.Digest()
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, err)
	}
	image.Digest = digest.String()
	image.Ref = fmt.Sprintf("%s/%s:%s-%s", Registry, name, b.release.Name, digest.Hex[:12])
	image.Layout = filepath.Join(b.Cache, "oci", b.release.Name, name)
	image.SBOM = filepath.Join(b.Cache, "sbom", b.release.Name, name+".spdx.json")
	for _, l := range layers {
		image.Size += l.Size
		image.Layers = append(image.Layers, l.ID)
	}
	image.Sources = t.beside(image.Layers)
	if image.Options, err = b.options(ctx, t, layers); err != nil {
		return nil, err
	}
	if oci.Holds(image.Layout, image.Digest, image.Ref) {
		return image, nil
	}
	document, err := contents.SPDX(image.Ref, image.Digest, created(t.built))
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, err)
	}
	attached, err := oci.Attach(composed, document, oci.SBOMType)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, err)
	}
	if err := replaceFile(image.SBOM, document); err != nil {
		return nil, err
	}
	b.say("%s: image %s", name, image.Ref)
	return image, oci.WriteLayout(image.Layout, oci.Named{Ref: image.Ref, Image: composed, Attached: []v1.Image{attached}})
}

// beside are the addresses of layers, sorted, that have files for the layers of an image and are none of these.
func (t *task) beside(layers []string) []string {
	var ids []string
	for _, need := range t.needs {
		if !slices.Contains(layers, need.id) {
			ids = append(ids, need.id)
		}
		ids = append(ids, need.beside(layers)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func archives(layers []*layer.Built) []oci.Layer {
	var found []oci.Layer
	for _, l := range layers {
		archive := oci.Layer{File: l.Tar(), Digest: l.Digest, Size: l.Size, Comment: l.Name}
		if l.Settled {
			archive.Root = l.Root()
		}
		found = append(found, archive)
	}
	return found
}

func (b *build) config(t *task, image *Image) oci.Config {
	want := t.layer.Image
	labels := map[string]string{oci.LabelTitle: want.Title, oci.LabelInputs: t.id}
	if image.Version != "" {
		labels[oci.LabelVersion] = image.Version
	}
	if !t.layer.Scratch() {
		labels[oci.LabelBase] = "debian:" + b.release.Codename
	}
	return oci.Config{
		User:       fmt.Sprintf("%d:%d", image.UID, image.GID),
		Env:        slices.Concat(environment, want.Env),
		Entrypoint: want.Entrypoint,
		WorkingDir: want.WorkingDir,
		Labels:     labels,
		Created:    created(t.built),
	}
}

func created(built *layer.Built) time.Time { return time.Unix(built.Epoch, 0).UTC() }
