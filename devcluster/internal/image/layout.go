package image

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Annotations of an index that name an image; the first wins.
const (
	containerdName = "io.containerd.image.name"
	ociName        = ocispec.AnnotationRefName
)

// Layout is an OCI image layout: a folder, or an archive of one.
type Layout struct {
	source string
	// folder is the layout's, empty for an archive.
	folder string
	open   func(name string) (*io.SectionReader, error)
	Close  func()
}

// Image is one image of a layout.
type Image struct {
	Name   string
	Target ocispec.Descriptor // its manifest
}

// OpenLayout opens a layout folder or a tar archive of one.
func OpenLayout(source string) (*Layout, error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, fmt.Errorf("opening image: %w", err)
	}
	if info.IsDir() {
		return openFolder(source), nil
	}
	return openArchive(source)
}

func openFolder(folder string) *Layout {
	var opened []io.Closer
	return &Layout{
		source: folder,
		folder: folder,
		open: func(name string) (*io.SectionReader, error) {
			file, err := os.Open(filepath.Join(folder, name))
			if err != nil {
				return nil, err
			}
			opened = append(opened, file)
			info, err := file.Stat()
			if err != nil {
				return nil, err
			}
			return io.NewSectionReader(file, 0, info.Size()), nil
		},
		Close: func() {
			for _, file := range opened {
				_ = file.Close() // was only read
			}
		},
	}
}

// openArchive finds where in the archive each file is, so that nothing has to be unpacked.
func openArchive(source string) (*Layout, error) {
	file, err := os.Open(source)
	if err != nil {
		return nil, fmt.Errorf("opening image: %w", err)
	}
	files := map[string]*io.SectionReader{}
	reader := tar.NewReader(file)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("reading %s: %w; want a folder or an uncompressed tar of an OCI image layout", source, err)
		}
		position, err := file.Seek(0, io.SeekCurrent)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("reading %s: %w", source, err)
		}
		files[path.Clean(header.Name)] = io.NewSectionReader(file, position, header.Size)
	}
	return &Layout{source: source, open: lookup(files), Close: func() { _ = file.Close() }}, nil
}

func lookup(files map[string]*io.SectionReader) func(string) (*io.SectionReader, error) {
	return func(name string) (*io.SectionReader, error) {
		file, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return io.NewSectionReader(file, 0, file.Size()), nil
	}
}

// Images lists the images of the layout for this machine's kind.
func (l *Layout) Images() ([]Image, error) {
	index := ocispec.Index{}
	if err := l.decode("index.json", &index); err != nil {
		return nil, fmt.Errorf("reading %s: %w; want an OCI image layout", l.source, err)
	}
	var images []Image
	for _, descriptor := range index.Manifests {
		if attached(descriptor) {
			continue
		}
		name := descriptor.Annotations[containerdName]
		if name == "" {
			name = descriptor.Annotations[ociName]
		}
		if name == "" {
			return nil, fmt.Errorf("reading %s: image %s has no name; give it the annotation %s in index.json",
				l.source, descriptor.Digest, ociName)
		}
		target, err := l.resolve(descriptor)
		if err != nil {
			return nil, err
		}
		images = append(images, Image{Name: name, Target: target})
	}
	return images, nil
}

// attached tells whether a manifest is something that belongs to an image, such as its list of contents, and cannot
// run.
func attached(descriptor ocispec.Descriptor) bool {
	return descriptor.ArtifactType != "" && descriptor.ArtifactType != ocispec.MediaTypeImageConfig
}

// resolve leads from an index of several platforms to the manifest of ours.
func (l *Layout) resolve(descriptor ocispec.Descriptor) (ocispec.Descriptor, error) {
	if descriptor.MediaType != ocispec.MediaTypeImageIndex {
		return descriptor, nil
	}
	index := ocispec.Index{}
	if err := l.decode(blobPath(descriptor.Digest), &index); err != nil {
		return descriptor, fmt.Errorf("reading index of %s: %w", l.source, err)
	}
	for _, manifest := range index.Manifests {
		platform := manifest.Platform
		if platform == nil || platform.OS == "linux" && platform.Architecture == runtime.GOARCH {
			return l.resolve(manifest)
		}
	}
	return descriptor, fmt.Errorf("reading %s: no image for linux/%s in it", l.source, runtime.GOARCH)
}

func (l *Layout) blob(of digest.Digest) (*io.SectionReader, error) { return l.open(blobPath(of)) }

func (l *Layout) decode(name string, into any) error {
	file, err := l.open(name)
	if err != nil {
		return err
	}
	return json.NewDecoder(file).Decode(into)
}

func blobPath(of digest.Digest) string {
	return path.Join("blobs", of.Algorithm().String(), of.Encoded())
}
