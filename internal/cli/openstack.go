package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/controlplane"
)

func (a *app) openstack() *cobra.Command {
	return &cobra.Command{
		Use:   "openstack [ARGUMENTS...]",
		Short: "Run the OpenStack client in the control plane's client pod",
		Long: `Run the OpenStack client in the control plane's client pod, as administrator:
stackwright openstack token issue.

Flags of stackwright come before the word openstack; everything after it is the client's. Standard input, output and the
exit code are the client's, too. Without arguments the client reads commands.`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.inClient(cmd.Context(), append([]string{"openstack"}, args...), len(args) == 0)
		},
	}
}

// inClient runs a program in the client pod. A terminal is given to it when it is interactive and there is one.
func (a *app) inClient(ctx context.Context, command []string, interactive bool) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	o, err := a.find(ctx, c)
	if err != nil {
		return err
	}
	pod, err := runningPod(ctx, c, o.Namespace, client.MatchingLabels{
		controlplane.LabelControlPlane: o.Name, "app.kubernetes.io/name": "openstackclient"})
	if err != nil {
		return fmt.Errorf("looking for the client of control plane %s: %w; see stackwright why", o.Name, err)
	}
	return a.exec(ctx, execution{namespace: o.Namespace, pod: pod.Name, container: pod.Spec.Containers[0].Name,
		command: command, terminal: interactive && a.interactive()})
}

// runningPod returns a pod that is ready.
func runningPod(ctx context.Context, c client.Reader, namespace string,
	labels client.MatchingLabels) (*corev1.Pod, error) {
	var list corev1.PodList
	if err := c.List(ctx, &list, client.InNamespace(namespace), labels); err != nil {
		return nil, fmt.Errorf("listing pods: %w", err)
	}
	for i := range list.Items {
		if p := &list.Items[i]; podReady(p) && p.DeletionTimestamp == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("none of %d pods is ready", len(list.Items))
}

func podReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// interactive tells whether a person sits at both ends.
func (a *app) interactive() bool {
	f, ok := a.in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && a.terminal()
}
