package install

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// FieldManager is by which the command line applies objects.
const FieldManager = "stackwright"

// ApplyCRDs applies the definitions of all kinds and waits until the API serves them. Helm itself never upgrades CRDs.
func ApplyCRDs(ctx context.Context, c client.Client) error {
	files, err := CRDs()
	if err != nil {
		return err
	}
	// The API server takes up all of them while the first is waited for.
	var applied []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(files[name], &u.Object); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		apply := client.ApplyConfigurationFromUnstructured(u)
		if err := c.Apply(ctx, apply, client.FieldOwner(FieldManager), client.ForceOwnership); err != nil {
			return fmt.Errorf("applying %s: %w", u.GetName(), err)
		}
		applied = append(applied, u.GetName())
	}
	for _, name := range applied {
		if err := established(ctx, c, name); err != nil {
			return err
		}
	}
	return nil
}

func established(ctx context.Context, c client.Client, name string) error {
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			crd := &apiextensionsv1.CustomResourceDefinition{}
			if err := c.Get(ctx, client.ObjectKey{Name: name}, crd); err != nil {
				return false, client.IgnoreNotFound(err)
			}
			for _, cond := range crd.Status.Conditions {
				if cond.Type == apiextensionsv1.NamesAccepted && cond.Status == apiextensionsv1.ConditionFalse {
					return false, fmt.Errorf("its names are taken: %s; remove the other definition", cond.Message)
				}
				if cond.Type == apiextensionsv1.Established && cond.Status == apiextensionsv1.ConditionTrue {
					return true, nil
				}
			}
			return false, nil
		})
	if err != nil {
		return fmt.Errorf("waiting until the API serves %s: %w", name, err)
	}
	return nil
}

// RemoveCRDs removes the definitions, and with them every object of their kinds.
func RemoveCRDs(ctx context.Context, c client.Client) error {
	files, err := CRDs()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(files[name], &u.Object); err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		if err := client.IgnoreNotFound(c.Delete(ctx, u)); err != nil {
			return fmt.Errorf("removing %s: %w", u.GetName(), err)
		}
	}
	return nil
}
