package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"stackwright.dev/stackwright/internal/image/layer"
)

// run builds what is missing, workers layers at a time, and publishes the images.
func (b *build) run(ctx context.Context, p *plan, names []string) (map[string]Image, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	group.Go(func() {
		if err := b.fetch(ctx, p); err != nil {
			cancel(err)
		}
	})
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	var mutex sync.Mutex
	images := map[string]Image{}
	slots := make(chan struct{}, workers)
	for _, t := range p.order {
		group.Go(func() {
			image, err := b.perform(ctx, t, slots, wanted[t.layer.Name])
			if err != nil {
				cancel(err)
				return
			}
			mutex.Lock()
			defer mutex.Unlock()
			if image != nil {
				images[t.layer.Name] = *image
			}
		})
	}
	group.Wait()
	return images, context.Cause(ctx)
}

// fetch downloads packages in the order in which they are needed, while earlier layers are built.
func (b *build) fetch(ctx context.Context, p *plan) error {
	for _, t := range p.order {
		if t.built == nil && len(t.input.Packages) > 0 {
			archive, err := b.resolver.open(ctx)
			if err != nil {
				return err
			}
			if err := archive.Update(ctx, keepIndexes); err != nil {
				return err
			}
			if err := archive.Download(ctx, b.layers.Packages, t.input.Packages); err != nil {
				return fmt.Errorf("layer %s: %w", t.layer.Name, err)
			}
		}
		close(t.fetched)
	}
	return nil
}

// perform builds one layer if it is missing, and its image if that is wanted.
func (b *build) perform(ctx context.Context, t *task, slots chan struct{}, publish bool) (*Image, error) {
	for _, need := range t.needs {
		if err := await(ctx, need.done); err != nil {
			return nil, err
		}
	}
	if err := await(ctx, t.fetched); err != nil {
		return nil, err
	}
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if t.built == nil {
		if err := b.make(ctx, t); err != nil {
			return nil, err
		}
	}
	close(t.done)
	if !publish {
		return nil, nil
	}
	return b.publish(ctx, t)
}

func (b *build) make(ctx context.Context, t *task) error {
	if os.Geteuid() != 0 {
		return errors.New("building layers needs root, for mounts and file owners: run as root")
	}
	for i, file := range t.layer.Files {
		if file.Layer == "" {
			continue
		}
		path, err := b.find(t.needs, file.Layer, file.Source)
		if err != nil {
			return fmt.Errorf("layer %s: %w", t.layer.Name, err)
		}
		t.input.Files[i].Path = path
	}
	built, err := b.layers.Build(ctx, t.input, t.below())
	if err != nil {
		return err
	}
	b.say("%s: done, %d MB", t.layer.Name, built.Size>>20)
	t.built = built
	return nil
}

// find looks for a file in a needed layer and in those below it.
func (b *build) find(needs []*task, name, source string) (string, error) {
	for _, need := range needs {
		for below := append(need.below(), need.built); need.layer.Name == name && len(below) > 0; below = below[:len(below)-1] {
			path := filepath.Join(below[len(below)-1].Root(), source)
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("layer %s has no file %s", name, source)
}

// below are the built layers under this one, the lowest first.
func (t *task) below() []*layer.Built {
	var below []*layer.Built
	for _, lower := range t.chain {
		below = append(below, lower.built)
	}
	return below
}

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
