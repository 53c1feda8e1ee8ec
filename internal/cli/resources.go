package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/intake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// category is what all kinds of OpenStack resources are in: kubectl get openstack.
const category = "openstack"

func (a *app) resources() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resources",
		Short: "Look after OpenStack resources that are objects, and make objects of those that exist",
		Args:  func(_ *cobra.Command, args []string) error { return unknownVerb(args) },
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.resourcesList(), a.resourcesDrift(), a.resourcesImport(), a.resourcesOrphans())
	return cmd
}

// everywhere is the flag that looks at all namespaces.
func everywhere(cmd *cobra.Command) *bool {
	return cmd.Flags().BoolP("all-namespaces", "A", false, "look at the objects of all namespaces")
}

// within is the namespace to look at; empty is all of them.
func (a *app) within(all bool) string {
	if all {
		return ""
	}
	return a.ns()
}

// standing lists the objects that stand for OpenStack resources, and clouds, in a namespace or in all.
func (a *app) standing(ctx context.Context, c client.Reader, namespace string) ([]unstructured.Unstructured, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	asker, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	known, err := asker.ServerResourcesForGroupVersion(openstackv1.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return nil, errors.New("the cluster does not know OpenStack resources; install the operators with `stackwright up`")
	}
	if err != nil {
		return nil, fmt.Errorf("asking the cluster for its kinds: %w", err)
	}
	var out []unstructured.Unstructured
	for _, r := range known.APIResources {
		if !slices.Contains(r.Categories, category) || strings.Contains(r.Name, "/") {
			continue
		}
		in := namespace
		if !r.Namespaced {
			in = ""
		}
		some, err := listed(ctx, c, r, in)
		if apierrors.IsForbidden(err) && !r.Namespaced {
			continue // clouds of the whole cluster are not for everybody to see, and are no resources
		}
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// page is how many objects are read at a time.
const page = 500

func listed(ctx context.Context, c client.Reader, r metav1.APIResource,
	namespace string) ([]unstructured.Unstructured, error) {
	var out []unstructured.Unstructured
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(openstackv1.GroupVersion.WithKind(r.Kind + "List"))
	for {
		err := c.List(ctx, list, client.InNamespace(namespace), client.Limit(page), client.Continue(list.GetContinue()))
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", r.Name, err)
		}
		out = append(out, list.Items...)
		if list.GetContinue() == "" {
			return out, nil
		}
		list.Items = nil
	}
}

// cluster is what is to be known of a cluster's objects to tell which resources they stand for.
func cluster(list []unstructured.Unstructured, cl *openedCloud) (*intake.Cluster, error) {
	all := intake.Objects{Kinds: kinds.Served(), Resources: map[string][]openstackv1.Object{},
		Project: cl.door.ProjectID(), User: cl.door.UserID()}
	for _, u := range list {
		if u.GetKind() == "Cloud" {
			all.Clouds = append(all.Clouds, types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()})
		}
		o := openstackv1.New(u.GetKind())
		if o == nil {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
			return nil, fmt.Errorf("reading %s %s: %w", u.GetKind(), u.GetName(), err)
		}
		all.Resources[u.GetKind()] = append(all.Resources[u.GetKind()], o)
	}
	return intake.NewCluster(all), nil
}

// kindsNamed are the kinds that people name by kind, plural or short name; all when they name none.
func kindsNamed(words []string) ([]*d.Kind, error) {
	served := kinds.Served()
	if len(words) == 0 {
		return served, nil
	}
	left := map[string]bool{}
	for _, w := range words {
		left[strings.ToLower(w)] = true
	}
	var out []*d.Kind
	for _, k := range served {
		called := append([]string{strings.ToLower(k.Name), k.Plural}, k.Short...)
		if slices.ContainsFunc(called, func(w string) bool { return left[w] }) {
			out = append(out, k)
			for _, w := range called {
				delete(left, w)
			}
		}
	}
	for _, w := range words {
		if left[strings.ToLower(w)] {
			return nil, usage(fmt.Errorf("there is no kind %s; the kinds are %s", w, strings.Join(kindNames(), ", ")))
		}
	}
	return out, nil
}

func kindNames() []string {
	var out []string
	for _, k := range kinds.Served() {
		out = append(out, k.Name)
	}
	return out
}
