package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/images"
	"stackwright.dev/stackwright/internal/image/spec"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/rehearse"
)

// ours tells whether an object of a file is of a kind of ours.
func (d *document) ours() bool { return ours(d.object.GetObjectKind().GroupVersionKind().Group) }

// name is how people call an object of a file.
func (d *document) name() string {
	return d.object.GetObjectKind().GroupVersionKind().Kind + " " + d.object.GetName()
}

// rehearse plays the objects of a file, which see each other before those of the cluster. Without a cluster it notes
// which of them make no others.
func (a *app) rehearse(ctx context.Context, file string, docs []document, cluster client.Reader) (*rehearse.Result,
	error) {
	given := &given{next: cluster}
	players := operator.Registry(operator.Environment{Gateway: true, Releases: given.releases}).Players()
	var played []client.Object
	var alone []string
	for i := range docs {
		o := docs[i].object
		given.objects = append(given.objects, o)
		if !docs[i].ours() {
			continue
		}
		if err := place(o, a.ns()); err != nil {
			return nil, err
		}
		if err := setDefaults(o); err != nil {
			return nil, err
		}
		played = append(played, o)
		if cluster == nil && !slices.ContainsFunc(players, func(p rehearse.Player) bool {
			return p.Owns(o.GetObjectKind().GroupVersionKind().GroupKind())
		}) {
			alone = append(alone, docs[i].name()+" makes no objects")
		}
	}
	if len(played) == 0 {
		return nil, usage(fmt.Errorf("%s has no object of ours, such as an OpenStackControlPlane", file))
	}
	world := rehearse.World{Scheme: operator.Scheme(), Reader: given, Operated: cluster != nil, Default: setDefaults}
	result, err := rehearse.PlayAll(ctx, played, world, players...)
	result.Notes = append(alone, result.Notes...)
	return result, err
}

// showNotes tells what a rehearsal has to say beside objects, each once.
func (a *app) showNotes(r *rehearse.Result) {
	var told []string
	for _, n := range slices.Concat(r.Refused, r.Notes) {
		if !slices.Contains(told, n) {
			fmt.Fprintln(a.err, "#", n)
		}
		told = append(told, n)
	}
}

// given shows the objects of a file before those of a cluster, and a release of made-up images when there is neither.
type given struct {
	objects []client.Object
	next    client.Reader
}

// Get returns an object of the file or of the cluster.
func (g *given) Get(ctx context.Context, key client.ObjectKey, into client.Object, opts ...client.GetOption) error {
	for _, o := range g.objects {
		if fmt.Sprintf("%T", o) == fmt.Sprintf("%T", into) && o.GetName() == key.Name &&
			(o.GetNamespace() == "" || o.GetNamespace() == key.Namespace) {
			return convert(o, into)
		}
	}
	if g.next != nil {
		return g.next.Get(ctx, key, into, opts...)
	}
	if r, ok := into.(*controlplanev1.OpenStackRelease); ok {
		return madeUp(r, key.Name)
	}
	return errNotGiven
}

var errNotGiven = errors.New("the file does not have it")

// madeUp makes a release of that name with all images that releases have.
func madeUp(r *controlplanev1.OpenStackRelease, name string) error {
	all, err := pictures()
	r.Name, r.Spec.OpenStack, r.Spec.Images = name, versions(name), map[string]controlplanev1.Image{}
	for _, image := range all {
		r.Spec.Images[image] = controlplanev1.Image("images.example.org/" + image + ":" + name)
	}
	return err
}

// pictures are the names of the images that are built for releases.
var pictures = sync.OnceValues(func() ([]string, error) {
	known, err := spec.Releases(images.Files)
	var out []string
	for _, release := range known {
		r, err := spec.Load(images.Files, release)
		if err != nil {
			return nil, fmt.Errorf("reading the images of release %s: %w", release, err)
		}
		out = append(out, r.Images()...)
	}
	return out, err
})

// releases are the names of those that the file or the cluster has, in order.
func (g *given) releases(ctx context.Context) ([]string, error) {
	list := &controlplanev1.OpenStackReleaseList{}
	if err := g.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing releases: %w", err)
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	for _, o := range g.objects {
		if r, ok := o.(*controlplanev1.OpenStackRelease); ok {
			names = append(names, r.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// List finds what the cluster has. No graph needs it.
func (g *given) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if g.next == nil {
		return nil
	}
	return g.next.List(ctx, list, opts...)
}

func convert(from, into client.Object) error {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(from)
	if err != nil {
		return fmt.Errorf("copying %s: %w", from.GetName(), err)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, into); err != nil {
		return fmt.Errorf("copying %s: %w", from.GetName(), err)
	}
	return nil
}
