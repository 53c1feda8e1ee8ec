package operator

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// releases lists the releases that exist, from the manager's cache, for the message that refuses one that does not.
type releases struct{ reader client.Reader }

// Names returns the names of all releases in order.
func (r *releases) Names(ctx context.Context) ([]string, error) {
	var list controlplanev1.OpenStackReleaseList
	if err := r.reader.List(ctx, &list); err != nil {
		return nil, fmt.Errorf("listing releases: %w", err)
	}
	var names []string
	for _, release := range list.Items {
		names = append(names, release.Name)
	}
	slices.Sort(names)
	return names, nil
}
