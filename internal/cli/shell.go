package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (a *app) shell() *cobra.Command {
	var container string
	cmd := &cobra.Command{
		Use:   "shell [SERVICE | POD] [-- COMMAND...]",
		Short: "Open a shell in the client pod, or in a pod of a service",
		Long: `Open a shell in the client pod, where the OpenStack client is set up,
or in a pod of a service such as keystone.
With a command after -- that runs instead of a shell.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			where, command, err := splitShell(cmd.ArgsLenAtDash(), args)
			if err != nil {
				return err
			}
			interactive := len(command) == 0
			if interactive {
				command = []string{"sh", "-c", "command -v bash >/dev/null && exec bash || exec sh"}
			}
			if where == "" {
				return a.inClient(cmd.Context(), command, interactive)
			}
			pod, err := a.podOf(cmd.Context(), where)
			if err != nil {
				return err
			}
			if container == "" {
				container = pod.Spec.Containers[0].Name
			}
			return a.exec(cmd.Context(), execution{namespace: pod.Namespace, pod: pod.Name, container: container,
				command: command, terminal: interactive && a.interactive()})
		},
	}
	cmd.Flags().StringVar(&container, "container", "", "container of the pod; the first when empty")
	return cmd
}

// splitShell parts the place from the command after the dashes.
func splitShell(dash int, args []string) (where string, command []string, err error) {
	if dash < 0 {
		dash = len(args)
	}
	if dash > 1 {
		return "", nil, usage(fmt.Errorf("one place at a time, not %q; a command comes after --", args[:dash]))
	}
	if dash == 1 {
		where = args[0]
	}
	return where, args[dash:], nil
}

// podOf returns a ready pod of a service, or the pod of that name.
func (a *app) podOf(ctx context.Context, name string) (*corev1.Pod, error) {
	c, err := a.client()
	if err != nil {
		return nil, err
	}
	pods, err := a.podsOf(ctx, c, name)
	if err != nil {
		return nil, err
	}
	for i := range pods {
		if podReady(&pods[i]) {
			return &pods[i], nil
		}
	}
	if len(pods) > 0 {
		return &pods[0], nil
	}
	return nil, fmt.Errorf("service %s has no pod; see stackwright why %s", name, name)
}

// podsOf returns the pods of a service, or the pod of that name.
func (a *app) podsOf(ctx context.Context, c client.Client, name string) ([]corev1.Pod, error) {
	pod := &corev1.Pod{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: a.ns(), Name: name}, pod); err == nil {
		return []corev1.Pod{*pod}, nil
	}
	o, err := a.find(ctx, c)
	if err != nil {
		return nil, err
	}
	workloads, err := workloadsOf(ctx, c, o, name)
	if err != nil {
		return nil, err
	}
	var out []corev1.Pod
	for _, selector := range workloads {
		var list corev1.PodList
		if err := c.List(ctx, &list, client.InNamespace(o.Namespace),
			client.MatchingLabelsSelector{Selector: selector}); err != nil {
			return nil, fmt.Errorf("listing pods of %s: %w", name, err)
		}
		out = append(out, list.Items...)
	}
	return out, nil
}
