package oci

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// Open reads the image of a layout that WriteLayout wrote.
func Open(dir string) (Named, error) {
	path, err := layout.FromPath(dir)
	if err != nil {
		return Named{}, fmt.Errorf("opening layout %s: %w", dir, err)
	}
	index, err := path.ImageIndex()
	if err != nil {
		return Named{}, fmt.Errorf("opening layout %s: %w", dir, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return Named{}, fmt.Errorf("opening layout %s: %w", dir, err)
	}
	var named Named
	for _, descriptor := range manifest.Manifests {
		image, err := index.Image(descriptor.Digest)
		if err != nil {
			return Named{}, fmt.Errorf("opening layout %s: %w", dir, err)
		}
		if ref := descriptor.Annotations[annotationRef]; ref != "" {
			named.Ref, named.Image = ref, image
		} else {
			named.Attached = append(named.Attached, image)
		}
	}
	if named.Image == nil {
		return Named{}, fmt.Errorf("opening layout %s: it has no image with a reference: build it again", dir)
	}
	return named, nil
}

// attachments reads the content of the single layer of each artifact.
func attachments(attached []v1.Image) ([]content, error) {
	var all []content
	for _, artifact := range attached {
		one, err := attachment(artifact)
		if err != nil {
			return nil, fmt.Errorf("reading an artifact: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}
