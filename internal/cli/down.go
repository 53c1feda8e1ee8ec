package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
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
		Long: `Take away what up made, in the cluster of the last up unless --kubeconfig or --devcluster names another one.
$KUBECONFIG is not looked at.

Of a cluster on this machine nothing stays, data included. In a cluster of --kubeconfig it deletes the control plane,
which --confirm has to name, and then the operators when no other control plane is left. Volumes and keys stay there as
the control plane's deletionPolicy says.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, err := a.downTarget(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), limit)
			defer cancel()
			board := a.board()
			defer board.Close()
			if name == "" {
				return a.uninstall(ctx, board, confirm)
			}
			p := board.Start("cluster")
			return p.End(a.removeDevcluster(ctx, p, name))
		},
	}
	cmd.Flags().StringVar(&a.devcluster, "devcluster", defaultDevcluster, "name of the cluster on this machine")
	cmd.Flags().StringVar(&confirm, "confirm", "", "name of the control plane, to confirm that it is deleted")
	cmd.Flags().DurationVar(&limit, "timeout", 10*time.Minute, "give up after this time")
	return cmd
}

// downTarget names the cluster on this machine that is to go; it is empty for the cluster of the kubeconfig.
func (a *app) downTarget(cmd *cobra.Command) (string, error) {
	if err := a.checkNamed(cmd); err != nil {
		return "", err
	}
	name := ""
	switch {
	case a.kubeconfig != "":
	case cmd.Flags().Changed("devcluster"):
		name = a.devcluster
	default:
		var err error
		if name, err = a.downRemembered(); err != nil {
			return "", usage(err)
		}
	}
	if name == "" {
		return name, nil
	}
	for _, flag := range []string{"confirm", "control-plane", "namespace"} {
		if cmd.Flags().Changed(flag) {
			return "", usage(fmt.Errorf("--%s is for a control plane in a cluster of --kubeconfig, and this would take "+
				"away cluster %s on this machine with all its data; give --kubeconfig, or leave out --%s", flag, name, flag))
		}
	}
	return name, nil
}

// downRemembered is the target when no flag names one. A cluster goes with its data, so what is in doubt is asked for.
func (a *app) downRemembered() (string, error) {
	last, err := remembered()
	switch {
	case err != nil:
		return "", fmt.Errorf("%w; name the cluster with --kubeconfig or --devcluster", err)
	case last.Devcluster != "":
		return last.Devcluster, nil
	case last.Kubeconfig == "":
		kept, err := keptDevclusters()
		if err == nil && len(kept) > 0 {
			err = fmt.Errorf("it is not known where the last up was; name the cluster on this machine to take away with "+
				"--devcluster: %s", strings.Join(kept, ", "))
		}
		return a.devcluster, err
	}
	if _, err := os.Stat(last.Kubeconfig); err != nil {
		return "", fmt.Errorf("looking for the cluster of the last up: %w; give its --kubeconfig, or name a cluster on this "+
			"machine with --devcluster", err)
	}
	fmt.Fprintf(a.err, "The last up was into the cluster of %s, so down works on that; one on this machine goes with "+
		"--devcluster NAME\n", last.Kubeconfig)
	a.kubeconfig, a.context = last.Kubeconfig, last.Context
	return "", nil
}

// removeDevcluster removes a cluster on this machine and what is kept of it.
func (a *app) removeDevcluster(ctx context.Context, p *progress.Part, name string) error {
	host := devclusterHost(ctx, name)
	last, err := remembered()
	// Without its kubeconfig, which goes with the cluster, nobody could tell any more that the record is of this one.
	known := err == nil && (last.Devcluster == name || host != "" && last.host() == host)
	if err := runDevcluster(ctx, p, "down", "--name", name); err != nil {
		return err
	}
	folders, err := keptOf(name, host)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if err := remove(folder, kubeconfigFile, cloudsFile, caFile); err != nil {
			return err
		}
	}
	if known {
		return forget()
	}
	return nil
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
	cfg, err := a.config()
	if err != nil {
		return err
	}
	// The record of a cluster on this machine stays as long as that does.
	if last, err := remembered(); err == nil && last.Devcluster == "" && last.host() == cfg.Host {
		return forget()
	}
	return nil
}

func (a *app) deleteControlPlane(ctx context.Context, c client.Client, p *progress.Part, confirm string) error {
	o, err := a.find(ctx, c)
	if err != nil {
		// One that did not come to its end goes on where it was.
		var all controlplanev1.OpenStackControlPlaneList
		if none := c.List(ctx, &all); meta.IsNoMatchError(none) || none == nil && len(all.Items) == 0 {
			p.Note("there is none")
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
	// Before the wait, as after it nobody could tell the folder any more.
	folder, err := a.place(client.ObjectKeyFromObject(o))
	if err == nil {
		err = remove(folder, cloudsFile, caFile)
	}
	if err != nil {
		return err
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
