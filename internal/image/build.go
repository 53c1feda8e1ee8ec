// Package image makes the container images of a release from Debian packages, without a container engine: layers that
// are addressed by their inputs, OCI layouts, an SBOM and a catalogue of configuration options per image.
package image

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/spec"
)

// Options say what to build.
type Options struct {
	// Files holds the descriptions, one folder per release.
	Files fs.FS
	// Known holds the catalogues of options that are in use, one folder per release; differences are reported.
	Known fs.FS
	// Release to build.
	Release string
	// Images to build; all when empty.
	Images []string
	// Cache is the folder for all results.
	Cache string
	// Binaries is the folder with the programs that go into images.
	Binaries string
	// Refresh looks for newer packages. Without it the versions chosen first are kept.
	Refresh bool
	// Lock takes the versions from another machine's lock file.
	Lock string
	// Progress is told each step; it may be called by several goroutines at once.
	Progress func(message string)
}

// workers is how many layers are built at once: installing packages keeps a core busy.
const workers = 2

// build is one run.
type build struct {
	Options
	release  *spec.Release
	resolver *resolver
	layers   *layer.Builder
	start    time.Time
	sums     map[string]string
}

// Build brings the images up to date and returns all images of the release.
func Build(ctx context.Context, options Options) (*Images, error) {
	b, err := prepare(options)
	if err != nil {
		return nil, err
	}
	names, err := b.release.Select(options.Images)
	if err != nil {
		return nil, err
	}
	unlock, err := lockCache(options.Cache, func() { b.say("waiting for another build to end") })
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := b.layers.Store.Sweep(); err != nil {
		return nil, err
	}
	if err := b.openLock(); err != nil {
		return nil, err
	}
	p, err := b.plan(b.release.Order(names), names)
	if err != nil {
		return nil, err
	}
	built, err := b.run(ctx, p)
	if err != nil {
		return nil, err
	}
	images, err := writeIndex(options.Cache, b.release.Name, built)
	if err != nil {
		return nil, err
	}
	return images, b.prune()
}

func prepare(options Options) (*build, error) {
	release, err := spec.Load(options.Files, options.Release)
	if err != nil {
		return nil, err
	}
	b := &build{Options: options, release: release, start: time.Now(), sums: map[string]string{}}
	b.layers = &layer.Builder{
		Store:    &layer.Store{Dir: filepath.Join(options.Cache, "layers")},
		Packages: filepath.Join(options.Cache, "debs"),
		Logs:     filepath.Join(options.Cache, "logs", "images-"+release.Name),
		Progress: func(layer, message string) { b.say("%s: %s", layer, message) },
	}
	return b, nil
}

func (b *build) openLock() error {
	lock, err := readOwnLock(b.Cache, b.release.Name)
	if b.Lock != "" {
		lock, err = ReadLock(b.Lock, b.release.Name)
	}
	if err != nil {
		return err
	}
	b.resolver = &resolver{release: b.release, cache: b.Cache, refresh: b.Refresh, say: b.say, lock: lock,
		stanzas: map[string][]apt.Stanza{}}
	if b.Lock == "" {
		return nil
	}
	return lock.write(b.Cache)
}

func (b *build) say(format string, args ...any) {
	if b.Progress != nil {
		b.Progress(fmt.Sprintf("%6.1f s  ", time.Since(b.start).Seconds()) + fmt.Sprintf(format, args...))
	}
}
