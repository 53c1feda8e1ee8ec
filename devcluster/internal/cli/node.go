package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/supervisor"
)

func newNode(name *string) *cobra.Command {
	command := &cobra.Command{Use: "node", Short: "Add, remove, cut off and heal nodes"}
	command.AddCommand(newNodeAdd(name), newNodeRemove(name),
		newNodeLink(name, "cut", "Take a node off the network; its pods go on running", true),
		newNodeLink(name, "heal", "Bring a node back to the network", false))
	return command
}

func newNodeAdd(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "add",
		Short: "Add a node and wait until it is ready; images have to be loaded into it",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			p, added := newProgress(os.Stdout), ""
			c, err := change(command.Context(), *name, func(c *cluster.Cluster) error {
				node, err := c.AddNode()
				added = node.Name
				return err
			})
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(command.Context(), upTimeout)
			defer cancel()
			if err := waitReady(ctx, c, p, false); err != nil {
				return err
			}
			p.reached(added+" Ready", p.seconds())
			return nil
		},
	}
}

func newNodeRemove(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "remove NODE",
		Short: "Remove a node and all that is on it, as if its machine were gone for good",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			p := newProgress(os.Stdout)
			p.waiting("removing " + arguments[0])
			_, err := change(command.Context(), *name, func(c *cluster.Cluster) error {
				return c.RemoveNode(arguments[0])
			})
			if err != nil {
				return err
			}
			p.reached(arguments[0]+" removed", p.seconds())
			return nil
		},
	}
}

func newNodeLink(name *string, verb, short string, cut bool) *cobra.Command {
	return &cobra.Command{
		Use:   verb + " NODE",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			_, err := change(command.Context(), *name, func(c *cluster.Cluster) error {
				node, err := c.Node(arguments[0])
				if err == nil {
					node.Cut = cut
				}
				return err
			})
			if err != nil {
				return err
			}
			state := "is on the network"
			if cut {
				state = "is cut off; bring it back with `devcluster node heal " + arguments[0] + "`"
			}
			fmt.Fprintf(command.OutOrStdout(), "devcluster: %s %s\n", arguments[0], state)
			return nil
		},
	}
}

// change changes the description of a running cluster and has its supervisor follow.
func change(ctx context.Context, name string, f func(*cluster.Cluster) error) (*cluster.Cluster, error) {
	c, err := existing(name)
	if err != nil {
		return nil, err
	}
	if _, err := supervisor.Ask(ctx, c, false); err != nil {
		return nil, fmt.Errorf("cluster %s is stopped (%w); resume it with `devcluster up --name %s`", name, err, name)
	}
	if c, err = cluster.Update(name, f); err != nil {
		return nil, err
	}
	return c, supervisor.Reload(ctx, c)
}
