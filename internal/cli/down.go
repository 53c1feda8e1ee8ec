package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/install"
	"stackwright.dev/stackwright/internal/cli/progress"
)

func (a *app) down() *cobra.Command {
	var confirm string
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Take away what up made",
		Long: `Take away what up made.

Of a cluster on this machine nothing stays, data included. In a cluster of --kubeconfig it deletes the control plane,
which --confirm has to name, and then the operators when no other control plane is left. Volumes and keys stay there as
the control plane's deletionPolicy says.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), limit)
			defer cancel()
			width := 80
			board := progress.New(a.err, a.errTerminal(&width), width)
			defer board.Close()
			if a.kubeconfig != "" {
				return a.uninstall(ctx, board, confirm)
			}
			p := board.Start("cluster")
			name := a.downName(cmd)
			err := runDevcluster(ctx, p, "down", "--name", name)
			if err == nil {
				err = forget(name)
			}
			return p.End(err)
		},
	}
	cmd.Flags().StringVar(&a.devcluster, "devcluster", defaultDevcluster, "name of the cluster on this machine")
	cmd.Flags().StringVar(&confirm, "confirm", "", "name of the control plane, to confirm that it is deleted")
	cmd.Flags().DurationVar(&limit, "timeout", 10*time.Minute, "give up after this time")
	return cmd
}

// downName is the cluster that the last up made, unless the flag names one.
func (a *app) downName(cmd *cobra.Command) string {
	if last := lastUp().Devcluster; last != "" && !cmd.Flags().Changed("devcluster") {
		return last
	}
	return a.devcluster
}

// uninstall removes the control plane and, when it was the last one, operators and kinds.
func (a *app) uninstall(ctx context.Context, board *progress.Board, confirm string) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	p := board.Start("openstack")
	if err := p.End(a.deleteControlPlane(ctx, c, p, confirm)); err != nil {
		return err
	}
	p = board.Start("operators")
	var rest controlplanev1.OpenStackControlPlaneList
	if err := c.List(ctx, &rest); err != nil && !meta.IsNoMatchError(err) {
		return p.End(fmt.Errorf("listing control planes: %w", err))
	}
	if n := len(rest.Items); n > 0 {
		p.Note("left for %d other control planes", n)
		return p.End(nil)
	}
	if err := a.installation().Remove(); err != nil {
		return p.End(err)
	}
	if err := p.End(install.RemoveCRDs(ctx, c)); err != nil {
		return err
	}
	return forget("")
}

func (a *app) deleteControlPlane(ctx context.Context, c client.Client, p *progress.Part, confirm string) error {
	o, err := a.find(ctx, c)
	if err != nil {
		if meta.IsNoMatchError(errors.Unwrap(err)) {
			return nil
		}
		return err
	}
	if o.Status.DeployedRelease != "" {
		if confirm != o.Name {
			return usage(fmt.Errorf("control plane %s is live; to delete it give --confirm %s", o.Name, o.Name))
		}
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"confirmDeletion":%q}}`, o.Name))
		if err := c.Patch(ctx, o, patch, client.FieldOwner(install.FieldManager)); err != nil {
			return fmt.Errorf("confirming the deletion of %s: %w", o.Name, err)
		}
	}
	if err := client.IgnoreNotFound(c.Delete(ctx, o)); err != nil {
		return fmt.Errorf("deleting control plane %s: %w", o.Name, err)
	}
	return awaitGone(ctx, c, p, o)
}

func awaitGone(ctx context.Context, c client.Client, p *progress.Part, o *controlplanev1.OpenStackControlPlane) error {
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.Get(ctx, client.ObjectKeyFromObject(o), o)
		if client.IgnoreNotFound(err) == nil && err != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting until %s is gone: %w", o.Name, err)
		}
		p.Note("%s", verdict(&o.Status.Status, o.Generation).Message)
		select {
		case <-ctx.Done():
			return timeout{fmt.Errorf("control plane %s is not gone yet; see stackwright why", o.Name)}
		case <-tick.C:
		}
	}
}
