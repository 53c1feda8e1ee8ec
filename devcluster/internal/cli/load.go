package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/image"
	"stackwright.dev/devcluster/internal/node"
)

func newLoad(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "load LAYOUT...",
		Short: "Bring images into every node, from OCI image layouts: folders or tar archives",
		Long: `Bring images into every node, from OCI image layouts: folders or tar archives.

An image is named by the annotation io.containerd.image.name or org.opencontainers.image.ref.name in the layout's
index.json. One that a node has already is not brought again.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(command *cobra.Command, sources []string) error {
			c, err := existing(*name)
			if err != nil {
				return err
			}
			return load(command.Context(), c, sources, newProgress(os.Stdout))
		},
	}
}

// load fills all nodes at a time: they write to the same disk, but unpacking is processor work.
func load(ctx context.Context, c *cluster.Cluster, sources []string, p *progress) error {
	var group sync.WaitGroup
	errs := make([]error, len(c.Nodes))
	for i, member := range c.Nodes {
		group.Go(func() {
			if err := loadNode(ctx, node.Node{Node: member, Cluster: c}, sources, p); err != nil {
				errs[i] = fmt.Errorf("loading into %s: %w", member.Name, err)
			}
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func loadNode(ctx context.Context, n node.Node, sources []string, p *progress) error {
	store, err := image.Open(n.Runtime())
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Wait(ctx); err != nil {
		return err
	}
	for _, source := range sources {
		if err := loadLayout(ctx, n, store, source, p); err != nil {
			return err
		}
	}
	return nil
}

func loadLayout(ctx context.Context, n node.Node, store *image.Store, source string, p *progress) error {
	layout, err := image.OpenLayout(source)
	if err != nil {
		return err
	}
	defer layout.Close()
	images, err := layout.Images()
	if err != nil {
		return err
	}
	for _, wanted := range images {
		done, err := store.Import(ctx, layout, wanted)
		if err != nil {
			return err
		}
		text := wanted.Name + " was there on " + n.Name
		if done {
			text = wanted.Name + " loaded on " + n.Name
		}
		p.reached(text, p.seconds())
	}
	return nil
}
