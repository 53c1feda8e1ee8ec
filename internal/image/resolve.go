package image

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/spec"
)

// indexAge is how old package indexes may be when something has to be resolved. Older ones would name files that the
// mirrors no longer have.
const indexAge = 24 * time.Hour

// keepIndexes is for packages that are resolved: any indexes that name them will do.
const keepIndexes = 100 * 365 * 24 * time.Hour

// resolver finds the packages of layers, from the lock where that is possible.
type resolver struct {
	release *spec.Release
	cache   string
	refresh bool
	say     func(format string, args ...any)
	lock    *Lock
	archive *apt.Archive
	stanzas map[string][]apt.Stanza
}

// open gives the archive, which is opened only when it is needed.
func (r *resolver) open(ctx context.Context) (*apt.Archive, error) {
	if r.archive != nil {
		return r.archive, nil
	}
	if err := apt.InstallTools(ctx, r.say); err != nil {
		return nil, err
	}
	archive, err := apt.Open(ctx, filepath.Join(r.cache, "apt", r.release.Name), r.release)
	if err != nil {
		return nil, err
	}
	r.archive = archive
	return archive, nil
}

// begin looks whether anything has to be resolved, and gets package indexes if so.
func (r *resolver) begin(ctx context.Context, order []*spec.Layer) error {
	installs := slices.ContainsFunc(order, (*spec.Layer).Installs)
	missing := slices.ContainsFunc(order, func(layer *spec.Layer) bool { return !r.lock.covers(r.release, layer.Name) })
	if !missing && !(installs && r.refresh) {
		return nil
	}
	return r.update(ctx)
}

// resolve gives a layer's packages. Those of its parents must have been asked for before.
func (r *resolver) resolve(ctx context.Context, layer *spec.Layer) ([]apt.Package, error) {
	if !r.lock.covers(r.release, layer.Name) {
		if err := r.resolveLayer(ctx, layer); err != nil {
			return nil, fmt.Errorf("resolving packages of %s: %w", layer.Name, err)
		}
		// An interrupted build goes on with what it has.
		if err := r.lock.write(r.cache); err != nil {
			return nil, err
		}
	}
	return r.lock.Layers[layer.Name].Packages, nil
}

// update refreshes the package indexes. When they changed nothing of the lock is kept: a layer from new indexes on a
// parent from old ones could not be installed, or would hold a package twice.
func (r *resolver) update(ctx context.Context) error {
	archive, err := r.open(ctx)
	if err != nil {
		return err
	}
	age := indexAge
	if r.refresh {
		age = 0
	}
	r.say("fetching package indexes")
	if err := archive.Update(ctx, age); err != nil {
		return err
	}
	sum, err := archive.Sum()
	if err != nil {
		return err
	}
	if sum != r.lock.Indexes {
		r.lock.Indexes, r.lock.Layers = sum, map[string]Locked{}
	}
	return nil
}

func (r *resolver) resolveLayer(ctx context.Context, layer *spec.Layer) error {
	var below []apt.Stanza
	for _, lower := range r.release.Chain(layer.Parent) {
		stanzas, err := r.show(ctx, lower)
		if err != nil {
			return err
		}
		below = append(below, stanzas...)
	}
	set, err := r.archive.Resolve(ctx, below, layer.Packages, layer.Parent == "")
	if err != nil {
		return err
	}
	r.stanzas[layer.Name] = set.Stanzas
	r.lock.Layers[layer.Name] = Locked{Request: request(r.release, layer.Name), Packages: set.Packages}
	return nil
}

// show gives the stanzas of a layer that is resolved.
func (r *resolver) show(ctx context.Context, layer *spec.Layer) ([]apt.Stanza, error) {
	if stanzas, ok := r.stanzas[layer.Name]; ok {
		return stanzas, nil
	}
	stanzas, err := r.archive.Show(ctx, r.lock.Layers[layer.Name].Packages)
	if err != nil {
		return nil, err
	}
	r.stanzas[layer.Name] = stanzas
	return stanzas, nil
}
