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
			results, err := a.rehearse(cmd.Context(), file, nil)
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

// rehearse plays the object of a file, with the other objects of the file before those of the cluster. In a file that
// has no object of which others are made each stands for itself.
func (a *app) rehearse(ctx context.Context, file string, cluster client.Reader) ([]*rehearse.Result, error) {
	if file == "" {
		return nil, usage(errors.New("give -f with the file of the object"))
	}
	objects, err := a.readObjects(file)
	if err != nil {
		return nil, err
	}
	entries := operator.Registry(operator.Environment{Gateway: true})
	players := entries.Players()
	i := slices.IndexFunc(objects, func(o client.Object) bool {
		return slices.ContainsFunc(players, func(p rehearse.Player) bool {
			return p.Owns(o.GetObjectKind().GroupVersionKind().GroupKind())
		})
	})
	if i < 0 {
		return a.apart(file, objects)
	}
	main := objects[i]
	if main.GetNamespace() == "" {
		main.SetNamespace(a.ns())
	}
	given := &given{objects: slices.Delete(objects, i, i+1), next: cluster}
	result, err := rehearse.Play(ctx, main, rehearse.World{Scheme: operator.Scheme(), Reader: given, Default: setDefaults},
		players...)
	return []*rehearse.Result{result}, err
}

// apart are the objects of a file that operators reconcile and make no others of.
func (a *app) apart(file string, objects []client.Object) (out []*rehearse.Result, err error) {
	for _, o := range objects {
		if _, ok := o.(owner.Object); !ok {
			continue
		}
		if err := setDefaults(o); err != nil {
			return nil, err
		}
		kind := o.GetObjectKind().GroupVersionKind().Kind
		if o.GetNamespace() == "" && kind != "ClusterCloud" {
			o.SetNamespace(a.ns())
		}
		out = append(out, &rehearse.Result{Played: o, Notes: []string{kind + " " + o.GetName() + " makes no objects"}})
	}
	if len(out) == 0 {
		return nil, usage(fmt.Errorf("%s has no object that an operator reconciles, such as an OpenStackControlPlane", file))
	}
	return out, nil
}

// readObjects reads the objects of a file into their types; a field that does not exist is an error.
func (a *app) readObjects(file string) ([]client.Object, error) {
	var data []byte
	var err error
	if file == "-" {
		data, err = io.ReadAll(a.in)
	} else {
		data, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, usage(fmt.Errorf("reading the object: %w", err))
	}
	var out []client.Object
	docs := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, usage(fmt.Errorf("reading %s: %w", file, err))
		}
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		o, err := typed(doc)
		if err != nil {
			return nil, usage(fmt.Errorf("reading %s: %w", file, err))
		}
		out = append(out, o)
	}
}

func typed(doc []byte) (client.Object, error) {
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(doc, &u.Object); err != nil {
		return nil, fmt.Errorf("parsing YAML: %w", err)
	}
	empty, err := operator.Scheme().New(u.GroupVersionKind())
	if err != nil {
		return nil, fmt.Errorf("kind %s of %s is not known", u.GetKind(), u.GetAPIVersion())
	}
	if err := yaml.UnmarshalStrict(doc, empty); err != nil {
		return nil, fmt.Errorf("parsing %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	o, ok := empty.(client.Object)
	if !ok {
		return nil, fmt.Errorf("kind %s is no object", u.GetKind())
	}
	return o, nil
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
