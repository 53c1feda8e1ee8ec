package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"stackwright.dev/stackwright/internal/image/apt"
	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/image/spec"
)

// run builds what is missing, workers layers at a time, and publishes the images.
func (b *build) run(ctx context.Context, tasks []*task) (map[string]Image, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	group.Go(func() {
		if err := b.supply(ctx, tasks); err != nil {
			cancel(err)
		}
	})
	var mutex sync.Mutex
	images := map[string]Image{}
	slots := make(chan struct{}, workers)
	for _, t := range tasks {
		group.Go(func() {
			image, err := b.perform(ctx, t, slots)
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

// supply resolves and downloads packages in the order of need, while earlier layers are being built.
func (b *build) supply(ctx context.Context, tasks []*task) error {
	order := make([]*spec.Layer, len(tasks))
	for i, t := range tasks {
		order[i] = t.layer
	}
	if err := b.resolver.begin(ctx, order); err != nil {
		return err
	}
	for _, t := range tasks {
		var err error
		if t.input.Packages, err = b.resolver.resolve(ctx, t.layer); err != nil {
			return err
		}
		if err := b.describe(t); err != nil {
			return err
		}
		if err := b.download(ctx, t); err != nil {
			return fmt.Errorf("layer %s: %w", t.layer.Name, err)
		}
		close(t.ready)
	}
	return nil
}

func (b *build) download(ctx context.Context, t *task) error {
	missing := apt.Missing(b.layers.Packages, t.input.Packages)
	if t.built != nil || len(missing) == 0 {
		return nil
	}
	archive, err := b.resolver.open(ctx)
	if err != nil {
		return err
	}
	if err := archive.Update(ctx, keepIndexes); err != nil {
		return err
	}
	b.say("%s: fetching %d packages", t.layer.Name, len(missing))
	return archive.Download(ctx, b.layers.Packages, missing)
}

// perform builds one layer if it is missing, and its image if that is wanted.
func (b *build) perform(ctx context.Context, t *task, slots chan struct{}) (*Image, error) {
	for _, need := range t.needs {
		if err := await(ctx, need.done); err != nil {
			return nil, err
		}
	}
	if err := await(ctx, t.ready); err != nil {
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
	if !t.publish {
		return nil, nil
	}
	return b.publish(ctx, t)
}

func (b *build) make(ctx context.Context, t *task) error {
	if os.Geteuid() != 0 && !t.layer.Scratch() {
		return errors.New("building layers needs root, for mounts and file owners: run as root")
	}
	for i, file := range t.layer.Files {
		if file.Layer == "" {
			continue
		}
		path, err := find(t.need(file.Layer), file.Source)
		if err != nil {
			return fmt.Errorf("layer %s: %w", t.layer.Name, err)
		}
		t.input.Files[i].Path = path
		t.input.NotBefore = max(t.input.NotBefore, t.need(file.Layer).built.Epoch)
	}
	built, err := b.layers.Build(ctx, t.input, t.below())
	if err != nil {
		return err
	}
	b.say("%s: done, %d MB", t.layer.Name, built.Size>>20)
	t.built = built
	return nil
}

// find looks for a file in a layer and in those below it.
func find(t *task, source string) (string, error) {
	for _, built := range slices.Backward(t.layers()) {
		path := filepath.Join(built.Root(), source)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", fmt.Errorf("layer %s has no file %s", t.layer.Name, source)
}

// below are the built layers under this one, the lowest first.
func (t *task) below() []*layer.Built {
	var below []*layer.Built
	for _, lower := range t.chain {
		below = append(below, lower.built)
	}
	return below
}

// layers are the built layers from the lowest to this one.
func (t *task) layers() []*layer.Built { return append(t.below(), t.built) }

func await(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
