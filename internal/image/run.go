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

// outcome is how a task ended.
type outcome struct {
	task  *task
	image *Image
	err   error
}

// run builds what is missing, workers layers at a time, and publishes the images.
func (b *build) run(ctx context.Context, tasks []*task) (map[string]Image, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(nil)
	supplied, ended := make(chan *task, len(tasks)), make(chan outcome, len(tasks))
	group.Go(func() {
		if err := b.supply(ctx, tasks, supplied); err != nil {
			cancel(err)
		}
	})
	images := map[string]Image{}
	for running, left := 0, len(tasks); left > 0; {
		for t := next(tasks); t != nil && running < workers; t = next(tasks) {
			t.state = started
			running++
			group.Go(func() { ended <- b.perform(ctx, t) })
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case t := <-supplied:
			t.state = ready
		case o := <-ended:
			if o.err != nil {
				cancel(o.err)
				return nil, o.err
			}
			o.task.state = finished
			running, left = running-1, left-1
			if o.image != nil {
				images[o.task.layer.Name] = *o.image
			}
		}
	}
	return images, nil
}

// next is the task to start: of those whose needs are met the one that most others wait for.
func next(tasks []*task) *task {
	var best *task
	for _, t := range tasks {
		waits := slices.ContainsFunc(t.needs, func(need *task) bool { return need.state != finished })
		if t.state == ready && !waits && (best == nil || t.dependents > best.dependents) {
			best = t
		}
	}
	return best
}

// supply resolves and downloads packages in the order of need, while earlier layers are being built.
func (b *build) supply(ctx context.Context, tasks []*task, supplied chan<- *task) error {
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
		if t.built == nil && !t.layer.Scratch() && os.Geteuid() != 0 {
			return errors.New("building layers needs root, for mounts and file owners: run as root")
		}
		if err := b.download(ctx, t); err != nil {
			return fmt.Errorf("layer %s: %w", t.layer.Name, err)
		}
		supplied <- t
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
func (b *build) perform(ctx context.Context, t *task) outcome {
	if t.built == nil {
		if err := b.make(ctx, t); err != nil {
			return outcome{task: t, err: err}
		}
	}
	if !t.publish {
		return outcome{task: t}
	}
	image, err := b.publish(ctx, t)
	return outcome{task: t, image: image, err: err}
}

func (b *build) make(ctx context.Context, t *task) error {
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
