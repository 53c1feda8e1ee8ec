package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/crd"

	"stackwright.dev/stackwright/charts"
)

// FieldManager is by which the command line applies objects.
const FieldManager = "stackwright"

// servedWithin is how long the API server may take for all definitions; it is seconds unless the machine is overloaded.
const servedWithin = 3 * time.Minute

// ApplyCRDs applies the definitions of all kinds and waits until the API serves them. Helm itself never upgrades CRDs.
// It changes nothing when what is stored would break, as by a program that is older than the one that was here last.
func ApplyCRDs(ctx context.Context, c client.Client) error {
	files, err := fs.Sub(charts.Operator, folder+"/crds")
	if err != nil {
		return fmt.Errorf("opening the CRDs: %w", err)
	}
	definitions, err := crd.Read(files)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, servedWithin)
	defer cancel()
	err = crd.Ensure(ctx, c, FieldManager, definitions...)
	if errors.Is(err, crd.ErrIncompatible) {
		return fmt.Errorf("%w; nothing was changed: use a stackwright that is at least as new as the one that was here "+
			"last, or, where no object needs what would go, run `stackwright crds | kubectl apply --server-side "+
			"--force-conflicts -f -` first", err)
	}
	return err
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
