package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// logFlags are the flags of logs.
type logFlags struct {
	follow, previous, operator bool
	since                      time.Duration
	lines                      int64
}

func (a *app) logs() *cobra.Command {
	f := logFlags{}
	cmd := &cobra.Command{
		Use:   "logs [SERVICE | POD]...",
		Short: "Print the logs of services, each line with the name of its pod",
		Long: `Print the logs of services, such as keystone or galera, each line with the name of its pod. Without an argument
those of all services; with --operator those of the operators.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			pods, err := a.logPods(cmd.Context(), c, args, f.operator)
			if err != nil {
				return err
			}
			if len(pods) == 0 {
				return errors.New("there are no pods to read from; see stackwright why")
			}
			return a.streamLogs(cmd.Context(), pods, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVarP(&f.follow, "follow", "f", false, "go on until interrupted")
	flags.BoolVarP(&f.previous, "previous", "p", false, "of the containers that ran before the last restart")
	flags.BoolVar(&f.operator, "operator", false, "of the operators")
	flags.DurationVar(&f.since, "since", 0, "newer than this, such as 10m")
	flags.Int64Var(&f.lines, "tail", 200, "last lines of each container; -1 for all")
	return cmd
}

func (a *app) logPods(ctx context.Context, c client.Client, names []string, operators bool) ([]corev1.Pod, error) {
	if operators {
		var list corev1.PodList
		if err := c.List(ctx, &list, client.MatchingLabels{"app.kubernetes.io/name": operatorRelease}); err != nil {
			return nil, fmt.Errorf("listing the operators' pods: %w", err)
		}
		return list.Items, nil
	}
	if len(names) == 0 {
		names = []string{""}
	}
	var out []corev1.Pod
	for _, name := range names {
		pods, err := a.podsOf(ctx, c, name)
		if err != nil {
			return nil, err
		}
		out = append(out, pods...)
	}
	return out, nil
}

// workloadsOf returns the pod selectors of a service's workloads; the empty name is all services.
func workloadsOf(ctx context.Context, c client.Reader, o *controlplanev1.OpenStackControlPlane,
	name string) ([]labels.Selector, error) {
	var out []labels.Selector
	var names []string
	for _, item := range o.Status.Inventory {
		short := strings.TrimPrefix(item.Name, o.Name+"-")
		names = append(names, short)
		if name != "" && name != short && name != item.Name {
			continue
		}
		found, err := selectors(ctx, c, item)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if name != "" && !slices.Contains(names, name) && len(out) == 0 {
		return nil, usage(fmt.Errorf("control plane %s has no service or pod %s; it has %s", o.Name, name,
			strings.Join(names, ", ")))
	}
	return out, nil
}

// selectors follows the inventories of owners down to workloads.
func selectors(ctx context.Context, c client.Reader, item owner.Item) ([]labels.Selector, error) {
	key := client.ObjectKey{Namespace: item.Namespace, Name: item.Name}
	var selector *metav1.LabelSelector
	switch {
	case item.Kind == "Deployment":
		d := &appsv1.Deployment{}
		if err := c.Get(ctx, key, d); err != nil {
			return nil, absent(err, item)
		}
		selector = d.Spec.Selector
	case item.Kind == "StatefulSet":
		d := &appsv1.StatefulSet{}
		if err := c.Get(ctx, key, d); err != nil {
			return nil, absent(err, item)
		}
		selector = d.Spec.Selector
	case ours(item.Group):
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: item.Group, Version: versionOf, Kind: item.Kind})
		if err := c.Get(ctx, key, u); err != nil {
			return nil, absent(err, item)
		}
		var out []labels.Selector
		for _, child := range kitStatus(u).Inventory {
			found, err := selectors(ctx, c, child)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
		return out, nil
	default:
		return nil, nil
	}
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("reading the selector of %s: %w", item.Name, err)
	}
	return []labels.Selector{s}, nil
}

func (a *app) streamLogs(ctx context.Context, pods []corev1.Pod, f logFlags) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	set, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range pods {
		for _, container := range pods[i].Spec.Containers {
			p := &pods[i]
			read := func() {
				if err := a.stream(ctx, set, source{p, container.Name}, f, &mu); err != nil && ctx.Err() == nil {
					fmt.Fprintf(a.err, "%s: %v\n", p.Name, err)
				}
			}
			if !f.follow {
				read()
				continue
			}
			wg.Go(read)
		}
	}
	wg.Wait()
	return nil
}

// source is what writes a log.
type source struct {
	pod       *corev1.Pod
	container string
}

func (a *app) stream(ctx context.Context, set kubernetes.Interface, from source, f logFlags, mu *sync.Mutex) error {
	p, container := from.pod, from.container
	opts := &corev1.PodLogOptions{Container: container, Follow: f.follow, Previous: f.previous}
	if f.since > 0 {
		opts.SinceSeconds = new(int64(f.since.Seconds()))
	}
	if f.lines >= 0 {
		opts.TailLines = &f.lines
	}
	in, err := set.CoreV1().Pods(p.Namespace).GetLogs(p.Name, opts).Stream(ctx)
	if err != nil {
		return fmt.Errorf("reading the log of container %s: %w", container, err)
	}
	defer func() { _ = in.Close() }()
	prefix := p.Name + " "
	if len(p.Spec.Containers) > 1 {
		prefix = p.Name + "/" + container + " "
	}
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			mu.Lock()
			fmt.Fprintln(a.out, prefix+strings.TrimSuffix(line, "\n"))
			mu.Unlock()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the log of container %s: %w", container, err)
		}
	}
}
