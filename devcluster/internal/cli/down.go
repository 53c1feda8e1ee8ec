package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/namespace"
	"stackwright.dev/devcluster/internal/network"
)

func newDown(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "Stop a cluster and remove every trace of it, its volumes included",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return down(*name, newProgress(os.Stdout))
		},
	}
}

func down(name string, p *progress) error {
	c, err := cluster.Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(p.out, "devcluster: there is no cluster %s\n", name)
		return nil
	}
	if err != nil {
		return err
	}
	p.waiting("stopping processes")
	// Nothing may be started any more when the rest is taken apart, so the processes go first, all at once.
	if err := cgroup.Remove(c.Cgroup()); err != nil {
		return err
	}
	p.waiting("removing namespaces")
	for _, node := range c.Nodes {
		if err := namespace.Remove(c.NodeMounts(node.Name)); err != nil {
			return err
		}
	}
	if err := errors.Join(network.Remove(c), namespace.UnmountAll(c.Run()), namespace.UnmountAll(c.State())); err != nil {
		return err
	}
	p.waiting("removing files")
	if err := removeFiles(c); err != nil {
		return err
	}
	p.reached(fmt.Sprintf("cluster %s removed", c.Name), p.seconds())
	return nil
}

func removeFiles(c *cluster.Cluster) error {
	if err := os.RemoveAll(c.Run()); err != nil {
		return fmt.Errorf("removing %s: %w", c.Run(), err)
	}
	if err := cluster.Forget(c); err != nil {
		return err
	}
	// What the first cluster made, the last one takes along.
	for _, shared := range []string{cluster.RunRoot, namespace.NetworkRoot} {
		_ = os.Remove(shared)
	}
	return cgroup.RemoveIfEmpty("/devcluster")
}
