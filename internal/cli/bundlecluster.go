package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/stackwright/internal/cli/censor"
)

// kept are the kinds of Kubernetes that belong to no namespace and say where pods and volumes can be.
var kept = []string{"Namespace", "Node", "PersistentVolume", "StorageClass"}

// listable is a kind that can be listed.
type listable struct {
	gvk        schema.GroupVersionKind
	plural     string
	namespaced bool
}

// file is where objects of the kind go.
func (r listable) file() string {
	if r.gvk.Group == "" {
		return r.plural
	}
	return r.plural + "." + r.gvk.Group
}

// list is the kind of its lists.
func (r listable) list() schema.GroupVersionKind {
	return r.gvk.GroupVersion().WithKind(r.gvk.Kind + "List")
}

// objects adds a file for each kind: all of ours wherever they are, and those of Kubernetes in our namespaces.
func (g *gatherer) objects(ctx context.Context) error {
	for _, r := range g.kinds {
		where := g.namespaces
		if ours(r.gvk.Group) || !r.namespaced {
			where = []string{""}
		}
		for _, namespace := range where {
			if err := g.list(ctx, r, namespace); err != nil {
				return err
			}
		}
	}
	return nil
}

// explore finds where Secrets are whose values objects, events and logs could show: our namespaces, and all others with
// objects of ours, which go into the archive with their events, and whose operator tells of them in our namespaces.
func (g *gatherer) explore(ctx context.Context) []string {
	out := map[string]bool{}
	for _, namespace := range g.namespaces {
		out[namespace] = true
	}
	for _, r := range g.kinds {
		if !ours(r.gvk.Group) {
			continue
		}
		if err := g.inhabited(ctx, r, out); err != nil {
			g.lacks("the namespaces of "+r.file()+", whose Secrets were not looked for, and whose events are not there", err)
		}
	}
	delete(out, "")
	return slices.Sorted(maps.Keys(out))
}

// inhabited adds the namespaces with objects of a kind; of a kind without namespaces those that its objects refer to.
func (g *gatherer) inhabited(ctx context.Context, r listable, out map[string]bool) error {
	if !r.namespaced {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(r.list())
		return censor.Pages(ctx, g.client, list, "", func() error {
			for i := range list.Items {
				referred(list.Items[i].Object, out)
			}
			return nil
		})
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(r.list())
	return censor.Pages(ctx, g.client, list, "", func() error {
		for i := range list.Items {
			out[list.Items[i].Namespace] = true
		}
		return nil
	})
}

// referred adds the namespaces that an object refers to.
func referred(m map[string]any, out map[string]bool) {
	for k, v := range m {
		switch v := v.(type) {
		case string:
			if k == "namespace" {
				out[v] = true
			}
		case map[string]any:
			referred(v, out)
		}
	}
}

// resources are the kinds that can be listed. Events have a file of their own.
func (g *gatherer) resources() ([]listable, error) {
	cfg, err := g.config()
	if err != nil {
		return nil, err
	}
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	groups, err := d.ServerPreferredResources() // which returns what it got beside an error
	var out []listable
	for _, group := range groups {
		gv, parsed := schema.ParseGroupVersion(group.GroupVersion)
		if parsed != nil {
			continue
		}
		for _, r := range group.APIResources {
			if !slices.Contains(r.Verbs, "list") || r.Kind == "Event" || strings.Contains(r.Name, "/") {
				continue
			}
			if r.Namespaced || ours(gv.Group) || slices.Contains(kept, r.Kind) {
				out = append(out, listable{gv.WithKind(r.Kind), r.Name, r.Namespaced})
			}
		}
	}
	if err != nil {
		return out, fmt.Errorf("asking for the kinds of the cluster: %w", err)
	}
	return out, nil
}

// list adds the objects of a kind in a namespace; none leave no file.
func (g *gatherer) list(ctx context.Context, r listable, namespace string) error {
	name := strings.TrimSuffix("objects/"+r.file()+"/"+namespace, "/")
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(r.list())
	var out bytes.Buffer
	err := censor.Pages(ctx, g.client, list, namespace, func() error {
		for i := range list.Items {
			g.describe(&out, name, &list.Items[i])
		}
		return nil
	})
	if err != nil {
		g.lacks(name, err)
	}
	if out.Len() == 0 {
		return nil
	}
	return g.add(name+".yaml", out.Bytes())
}

// describe writes an object as a document of YAML.
func (g *gatherer) describe(out *bytes.Buffer, name string, o *unstructured.Unstructured) {
	o.SetManagedFields(nil)
	if o.GroupVersionKind() == corev1.SchemeGroupVersion.WithKind("Secret") {
		hide(o)
	}
	text, err := yaml.Marshal(o.Object)
	if err != nil {
		g.lacks(name+" "+o.GetName(), err)
		return
	}
	out.WriteString("---\n")
	out.Write(text)
}

// hide takes the values out of a Secret. What kubectl apply notes has them, too.
func hide(o *unstructured.Unstructured) {
	for _, field := range []string{"data", "stringData"} {
		values, _, _ := unstructured.NestedMap(o.Object, field)
		for key := range values {
			values[key] = "(not shown)"
		}
		if len(values) > 0 {
			o.Object[field] = values
		}
	}
	notes := o.GetAnnotations()
	delete(notes, corev1.LastAppliedConfigAnnotation)
	o.SetAnnotations(notes)
}

// logFiles adds what every container says, and what the one before it said last.
func (g *gatherer) logFiles(ctx context.Context) error {
	cfg, err := g.config()
	if err != nil {
		return err
	}
	set, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	for _, namespace := range g.namespaces {
		pods := &corev1.PodList{}
		if err := g.client.List(ctx, pods, client.InNamespace(namespace)); err != nil {
			g.lacks("pods of namespace "+namespace, err)
			continue
		}
		for i := range pods.Items {
			if err := g.logsOf(ctx, set, &pods.Items[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (g *gatherer) logsOf(ctx context.Context, set kubernetes.Interface, p *corev1.Pod) error {
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if err := g.log(ctx, set, source{p, s.Name}, false); err != nil {
			return err
		}
		if s.RestartCount == 0 {
			continue
		}
		if err := g.log(ctx, set, source{p, s.Name}, true); err != nil {
			return err
		}
	}
	return nil
}

// log adds the log of one container, or of the one before it.
func (g *gatherer) log(ctx context.Context, set kubernetes.Interface, from source, previous bool) error {
	name := "logs/" + from.pod.Namespace + "/" + from.pod.Name + "/" + from.container
	if previous {
		name += ".previous"
	}
	opts := &corev1.PodLogOptions{Container: from.container, Previous: previous, Timestamps: true}
	if g.flags.since > 0 {
		opts.SinceSeconds = new(int64(g.flags.since.Seconds()))
	}
	if g.flags.lines >= 0 {
		opts.TailLines = &g.flags.lines
	}
	in, err := set.CoreV1().Pods(from.pod.Namespace).GetLogs(from.pod.Name, opts).Stream(ctx)
	if err != nil {
		g.lacks(name, err)
		return nil
	}
	defer func() { _ = in.Close() }()
	text, err := io.ReadAll(in)
	if err != nil {
		g.lacks(name, err)
	}
	return g.add(name+".log", text)
}
