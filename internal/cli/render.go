package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/rehearse"
)

func (a *app) render() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "render -f FILE",
		Short: "Print the objects that the operators would make of an object, without a cluster",
		Long: `Print the objects that the operators would make of an object, without a cluster.

FILE, - for standard input, has one object of ours, such as an OpenStackControlPlane or a Galera, and what it refers to:
Secrets, or an OpenStackRelease; without one, image references are made up. The content of Secrets is not printed. What
only a running cluster can tell is noted on standard error. Objects that stand for one resource of OpenStack, such as a
Server, make no other objects.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			docs, err := a.readDocuments(file)
			if err != nil {
				return err
			}
			results, err := a.rehearse(cmd.Context(), file, docs, nil)
			if err != nil {
				return err
			}
			for _, r := range results {
				for _, n := range r.Notes {
					fmt.Fprintln(a.err, "#", n)
				}
				if err := a.printMade(r); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "file with the object")
	return cmd
}

// document is an object of a file: in its type, and as it is written there.
type document struct {
	object client.Object
	raw    *unstructured.Unstructured
}

// principal is which object of a file others are made of, -1 when there is none.
func principal(docs []document) int {
	players := operator.Registry(operator.Environment{Gateway: true}).Players()
	return slices.IndexFunc(docs, func(d document) bool {
		return slices.ContainsFunc(players, func(p rehearse.Player) bool {
			return p.Owns(d.object.GetObjectKind().GroupVersionKind().GroupKind())
		})
	})
}

// place puts an object that says no namespace into one.
func place(o client.Object, namespace string) {
	if o.GetNamespace() == "" && o.GetObjectKind().GroupVersionKind().Kind != "ClusterCloud" {
		o.SetNamespace(namespace)
	}
}

// rehearse plays the object of a file, with the other objects of the file before those of the cluster. In a file that
// has no object of which others are made each stands for itself.
func (a *app) rehearse(ctx context.Context, file string, docs []document, cluster client.Reader) ([]*rehearse.Result,
	error) {
	i := principal(docs)
	if i < 0 {
		return a.apart(file, docs)
	}
	main := docs[i].object
	place(main, a.ns())
	given := &given{next: cluster}
	for n := range docs {
		if n != i {
			given.objects = append(given.objects, docs[n].object)
		}
	}
	world := rehearse.World{Scheme: operator.Scheme(), Reader: given, Operated: cluster != nil, Default: setDefaults}
	result, err := rehearse.Play(ctx, main, world, operator.Registry(operator.Environment{Gateway: true}).Players()...)
	return []*rehearse.Result{result}, err
}

// apart are the objects of a file that operators reconcile and make no others of.
func (a *app) apart(file string, docs []document) (out []*rehearse.Result, err error) {
	for _, d := range docs {
		if _, ok := d.object.(owner.Object); !ok {
			continue
		}
		if err := setDefaults(d.object); err != nil {
			return nil, err
		}
		place(d.object, a.ns())
		kind := d.object.GetObjectKind().GroupVersionKind().Kind
		out = append(out, &rehearse.Result{
			Notes: []string{kind + " " + d.object.GetName() + " makes no objects"}})
	}
	if len(out) == 0 {
		return nil, usage(fmt.Errorf("%s has no object that an operator reconciles, such as an OpenStackControlPlane", file))
	}
	return out, nil
}

// readDocuments reads the objects of a file; a field that does not exist is an error.
func (a *app) readDocuments(file string) ([]document, error) {
	var data []byte
	var err error
	switch file {
	case "":
		return nil, usage(errors.New("give -f with the file of the object"))
	case "-":
		data, err = io.ReadAll(a.in)
	default:
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, usage(fmt.Errorf("reading the object: %w", err))
	}
	var out []document
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		text, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, usage(fmt.Errorf("reading %s: %w", file, err))
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		d, err := typed(text)
		if err != nil {
			return nil, usage(fmt.Errorf("reading %s: %w", file, err))
		}
		out = append(out, d)
	}
}

func typed(text []byte) (document, error) {
	var d document
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &u.Object); err != nil {
		return d, fmt.Errorf("parsing YAML: %w", err)
	}
	empty, err := operator.Scheme().New(u.GroupVersionKind())
	if err != nil {
		return d, fmt.Errorf("kind %s of %s is not known", u.GetKind(), u.GetAPIVersion())
	}
	if err := yaml.UnmarshalStrict(text, empty); err != nil {
		return d, fmt.Errorf("parsing %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	o, ok := empty.(client.Object)
	if !ok {
		return d, fmt.Errorf("kind %s is no object", u.GetKind())
	}
	return document{o, u}, nil
}

// printMade prints objects without what they do not say themselves, and Secrets without content.
func (a *app) printMade(result *rehearse.Result) error {
	for _, m := range result.Made {
		text, err := plain(m.Object)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "---\n# %s, step %s, for %s %s\n%s", m.Controller, m.Step,
			m.Owner.GetObjectKind().GroupVersionKind().Kind, m.Owner.GetName(), text)
	}
	return nil
}

func plain(o client.Object) ([]byte, error) {
	if s, ok := o.(*corev1.Secret); ok {
		s = s.DeepCopy()
		for k := range s.Data {
			s.Data[k] = []byte("hidden")
		}
		o = s
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	delete(m, "status")
	unstructured.RemoveNestedField(m, "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(m, "spec", "template", "metadata", "creationTimestamp")
	text, err := yaml.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	return text, nil
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
		r.Name = key.Name
		r.Spec.OpenStack = versions(key.Name)
		r.Spec.Images = map[string]controlplanev1.Image{}
		for _, name := range []string{"mariadb", "rabbitmq", "memcached", "keystone", "openstackclient", "glance",
			"placement", "ovn", "neutron", "nova", "barbican", "heat", "cinder", "horizon"} {
			r.Spec.Images[name] = controlplanev1.Image("images.example.org/" + name + ":" + key.Name)
		}
		return nil
	}
	return errNotGiven
}

var errNotGiven = errors.New("the file does not have it")

// List is not needed by any graph.
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
