// Package crd installs custom resource definitions: it refuses what would break stored objects, applies, and waits
// until the API server serves them.
package crd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Read returns the definitions in all .yaml files of a folder, sorted by file name. A document of another kind is an
// error.
func Read(files fs.FS) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing definitions: %w", err)
	}
	var out []*apiextensionsv1.CustomResourceDefinition
	for _, name := range names {
		f, err := files.Open(name)
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", name, err)
		}
		crds, err := decode(f)
		err = errors.Join(err, f.Close())
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		out = append(out, crds...)
	}
	return out, nil
}

func decode(r io.Reader) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	d := yaml.NewYAMLOrJSONDecoder(r, 4096)
	var out []*apiextensionsv1.CustomResourceDefinition
	for {
		c := &apiextensionsv1.CustomResourceDefinition{}
		switch err := d.Decode(c); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		case c.Kind == "":
			continue
		case c.Kind != "CustomResourceDefinition":
			return nil, fmt.Errorf("found kind %s; only CustomResourceDefinition belongs here", c.Kind)
		}
		out = append(out, c)
	}
}

// ErrIncompatible is in the error of an Ensure that has changed nothing, because of what would break.
var ErrIncompatible = errors.New("refusing to change definitions")

// Ensure installs definitions as field manager owner and waits until all are established, or until ctx ends. Nothing is
// applied if any of them would break objects that are stored (see Check); the error names all such breaks. What is
// there already is only read.
// c needs get, create and patch on customresourcedefinitions and must not be a cached client.
func Ensure(ctx context.Context, c client.Client, owner string,
	crds ...*apiextensionsv1.CustomResourceDefinition) error {
	var errs []error
	var left []*apiextensionsv1.CustomResourceDefinition
	for _, want := range crds {
		have, err := get(ctx, c, want.Name)
		if err != nil {
			return err
		}
		if have != nil {
			errs = append(errs, Check(have, want))
		}
		if !applied(have, want, owner) {
			left = append(left, want)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrIncompatible, err)
	}
	for _, want := range left {
		if err := put(ctx, c, owner, want); err != nil {
			return err
		}
	}
	return Wait(ctx, c, left...)
}

// applied tells whether a definition is served as owner has applied it, so that to apply it again would change nothing.
func applied(have, want *apiextensionsv1.CustomResourceDefinition, owner string) bool {
	if served, err := established(have); err != nil || !served {
		return false
	}
	want = want.DeepCopy()
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(want)
	ours := slices.ContainsFunc(have.ManagedFields, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == owner && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == ""
	})
	return ours && maps.Equal(have.Labels, want.Labels) && maps.Equal(have.Annotations, want.Annotations) &&
		equality.Semantic.DeepEqual(have.Spec, want.Spec)
}

func get(ctx context.Context, c client.Reader, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	have := &apiextensionsv1.CustomResourceDefinition{}
	err := c.Get(ctx, types.NamespacedName{Name: name}, have)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading definition %s: %w", name, err)
	}
	return have, nil
}

func put(ctx context.Context, c client.Client, owner string, want *apiextensionsv1.CustomResourceDefinition) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(want)
	if err != nil {
		return fmt.Errorf("encoding definition %s: %w", want.Name, err)
	}
	delete(content, "status")
	u := &unstructured.Unstructured{Object: content}
	unstructured.RemoveNestedField(content, "metadata", "creationTimestamp")
	u.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(owner), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("applying definition %s: %w", want.Name, err)
	}
	return nil
}

// waitEvery is how often Wait looks; it is a start-up action, not part of a reconcile.
const waitEvery = 100 * time.Millisecond

// Wait returns when every definition is established, or with an error that names those that are not when ctx ends. A
// name that another definition has taken is an error at once.
func Wait(ctx context.Context, c client.Reader, crds ...*apiextensionsv1.CustomResourceDefinition) error {
	tick := time.NewTicker(waitEvery)
	defer tick.Stop()
	var pending []string
	for _, want := range crds {
		pending = append(pending, want.Name)
	}
	for {
		var left []string
		for _, name := range pending {
			have, err := get(ctx, c, name)
			if err != nil {
				return err
			}
			ok, err := established(have)
			if err != nil {
				return err
			}
			if !ok {
				left = append(left, name)
			}
		}
		if pending = left; len(pending) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for definitions %s: %w", strings.Join(pending, ", "), ctx.Err())
		case <-tick.C:
		}
	}
}

// established tells whether a definition is there and served.
func established(have *apiextensionsv1.CustomResourceDefinition) (bool, error) {
	if have == nil {
		return false, nil
	}
	for _, cond := range have.Status.Conditions {
		switch {
		case cond.Type == apiextensionsv1.NamesAccepted && cond.Status == apiextensionsv1.ConditionFalse:
			return false, fmt.Errorf("definition %s: its names are taken: %s; remove the other definition",
				have.Name, cond.Message)
		case cond.Type == apiextensionsv1.Established && cond.Status == apiextensionsv1.ConditionTrue:
			return true, nil
		}
	}
	return false, nil
}
