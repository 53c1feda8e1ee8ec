package standalone

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/operator"
)

// Command makes the Secrets of a service once and ends. It is what a chart runs before it changes anything.
func Command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("secrets", flag.ContinueOnError)
	file := flags.String("object", "", "file with the object of the service, in JSON")
	revision := flags.String("revision", "", "end of the name of the configuration's Secret")
	roll := flags.Bool("roll", false, "make new pods when a certificate has changed, which they read when they start")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	if *revision == "" {
		return errors.New("give --revision")
	}
	data, c, err := Inputs(*file)
	if err != nil {
		return err
	}
	return Keep(ctx, c, data, Options{Revision: *revision, Roll: *roll, Out: os.Stdout})
}

// Inputs are the object in a file, and the cluster that the program runs in.
func Inputs(file string) ([]byte, client.Client, error) {
	if file == "" {
		return nil, nil, errors.New("give --object")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the object: %w", err)
	}
	cfg, err := ctrl.GetConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("finding the cluster: %w; run in a pod or give --kubeconfig", err)
	}
	c, err := client.New(cfg, client.Options{Scheme: operator.Scheme()})
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return data, c, nil
}

// Options say how Secrets are made.
type Options struct {
	// Revision names the configuration that never changes: its own name has a digest of Secrets, which no chart knows.
	Revision string
	// Roll makes new pods when a certificate has changed.
	Roll bool
	// Out is told what was done, by name.
	Out io.Writer
}

// Keep makes the Secrets that the definition of an object's kind makes, and keeps of those that are there what is good.
// One that cannot be written does not keep the others from being it.
func Keep(ctx context.Context, c client.Client, data []byte, options Options) error {
	o, err := objectOf(data)
	if err != nil {
		return err
	}
	cluster := &careful{client: c, seen: map[string]*corev1.Secret{}}
	known := &identity{Reader: cluster, clouds: cluster, keystone: keystoneOf(data)}
	result, err := play(ctx, o, known)
	// What could not be read is not what is not there: nothing may be made anew in its place.
	if failed := errors.Join(cluster.err, known.err); failed != nil {
		return failed
	}
	if len(result.Notes) > 0 {
		slices.Sort(result.Notes)
		return errors.New(strings.Join(slices.Compact(result.Notes), "; "))
	}
	if err != nil {
		return err
	}
	if err := lacking(itemsOf(o, data), cluster.seen); err != nil {
		return err
	}
	hash := hashOf(result)
	for _, m := range result.Made {
		switch made := m.Object.(type) {
		case *corev1.Secret:
			s := made.DeepCopy()
			if revisionOf(s) {
				s.Name = strings.TrimSuffix(s.Name, hash) + options.Revision
			}
			did, failed := cluster.write(ctx, s)
			if failed == nil {
				fmt.Fprintf(options.Out, "%s Secret %s\n", did, s.Name)
			}
			err = errors.Join(err, failed)
		case *appsv1.Deployment, *appsv1.StatefulSet:
			// Pods must not read what could not be written.
			if options.Roll && err == nil {
				err = roll(ctx, c, made)
			}
		}
	}
	return err
}

// podsOf are the annotations of the pods of a Deployment or a StatefulSet.
func podsOf(o client.Object) map[string]string {
	switch o := o.(type) {
	case *appsv1.Deployment:
		return o.Spec.Template.Annotations
	case *appsv1.StatefulSet:
		return o.Spec.Template.Annotations
	}
	return nil
}

// roll gives the pods of a Deployment or a StatefulSet the annotations that change with the certificates they read when
// they start.
func roll(ctx context.Context, c client.Client, made client.Object) error {
	want := map[string]any{}
	for _, key := range dropped {
		if value := podsOf(made)[key]; value != "" {
			want[key] = value
		}
	}
	kind := KindOf(made)
	have, ok := made.DeepCopyObject().(client.Object)
	if !ok || len(want) == 0 {
		return nil
	}
	err := c.Get(ctx, client.ObjectKeyFromObject(made), have)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading %s %s: %w", kind, made.GetName(), err)
	}
	same := func(key string) bool { return podsOf(have)[key] == want[key] }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(key string) bool { return !same(key) }) {
		return nil
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": want}}}}}
	u.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind(kind))
	u.SetName(made.GetName())
	u.SetNamespace(made.GetNamespace())
	apply := client.ApplyConfigurationFromUnstructured(u)
	if err := c.Apply(ctx, apply, client.FieldOwner("stackwright-secrets"), client.ForceOwnership); err != nil {
		return fmt.Errorf("making new pods of %s %s: %w", kind, made.GetName(), err)
	}
	return nil
}

// careful reads Secrets and ConfigMaps, and remembers when it could not. Nothing else is asked for: other objects are
// those of operators.
type careful struct {
	client client.Client
	seen   map[string]*corev1.Secret
	err    error
}

// Get reads a Secret or a ConfigMap.
func (c *careful) Get(ctx context.Context, key client.ObjectKey, into client.Object, o ...client.GetOption) error {
	switch into.(type) {
	case *corev1.Secret, *corev1.ConfigMap:
	default:
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	err := c.client.Get(ctx, key, into, o...)
	if err != nil && !apierrors.IsNotFound(err) {
		c.err = errors.Join(c.err, fmt.Errorf("reading %s: %w", key.Name, err))
	}
	if s, ok := into.(*corev1.Secret); ok && err == nil {
		c.seen[s.Name] = s.DeepCopy()
	}
	return err
}

// List lists nothing.
func (c *careful) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// write makes a Secret what it should be. It changes only what it has seen: of two that run at a time one fails.
func (c *careful) write(ctx context.Context, s *corev1.Secret) (did string, err error) {
	have := c.seen[s.Name]
	if have == nil {
		have = &corev1.Secret{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(s), have); apierrors.IsNotFound(err) {
			if err := c.client.Create(ctx, s); err != nil {
				return "", fmt.Errorf("making Secret %s: %w", s.Name, err)
			}
			return "made", nil
		} else if err != nil {
			return "", fmt.Errorf("reading Secret %s: %w", s.Name, err)
		}
	}
	for _, owner := range have.OwnerReferences {
		return "", fmt.Errorf("writing Secret %s: it belongs to %s %s, which an operator looks after; take another name",
			s.Name, owner.Kind, owner.Name)
	}
	if maps.EqualFunc(have.Data, s.Data, slices.Equal) {
		return "left", nil
	}
	if have.Immutable != nil && *have.Immutable {
		return "", fmt.Errorf("the configuration in Secret %s is another one now, because of Secrets or ConfigMaps that it "+
			"is made of; set the value standalone.revision to a text that it did not have yet", s.Name)
	}
	have.Data = s.Data
	if err := c.client.Update(ctx, have); err != nil {
		return "", fmt.Errorf("changing Secret %s: %w", s.Name, err)
	}
	return "changed", nil
}
