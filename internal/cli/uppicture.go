package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/proof"
	"stackwright.dev/stackwright/internal/cli/timeline"
)

// drawn does work, and draws what objects said meanwhile when a person asked for it, also of work that failed.
func (u *ascent) drawn(ctx context.Context, work func(context.Context) (*arrival, error)) (*arrival, error) {
	if u.picture == "" {
		return work(ctx)
	}
	c, err := u.client()
	if err != nil {
		return nil, err
	}
	r := timeline.Record(ctx, c, owners(c.Scheme()))
	result, err := work(ctx)
	end := time.Now()
	rows := slices.DeleteFunc(r.Stop(), func(row timeline.Row) bool {
		return row.Group == openstackv1.GroupVersion.Group && row.Namespace != proof.Namespace
	})
	if werr := os.WriteFile(u.picture, timeline.SVG("OpenStack "+u.release, rows, end), 0o644); werr != nil {
		return result, errors.Join(err, fmt.Errorf("writing the picture of --picture: %w", werr))
	}
	return result, err
}

// checkPicture tells before minutes go by that the picture cannot be written.
func (f *upFlags) checkPicture() error {
	if f.picture == "" {
		return nil
	}
	file, err := os.OpenFile(f.picture, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return usage(fmt.Errorf("--picture: %w", err))
	}
	if err := file.Close(); err != nil {
		return usage(fmt.Errorf("--picture: %w", err))
	}
	return nil
}

// owners are our kinds that an operator looks after and that say so in their status.
func owners(scheme *runtime.Scheme) (out []schema.GroupVersionKind) {
	for _, g := range []schema.GroupVersion{controlplanev1.GroupVersion, infrav1.GroupVersion, servicev1.GroupVersion,
		fleetv1.GroupVersion, openstackv1.GroupVersion} {
		for kind, t := range scheme.KnownTypes(g) {
			if reflect.PointerTo(t).Implements(reflect.TypeFor[owner.Object]()) {
				out = append(out, g.WithKind(kind))
			}
		}
	}
	return out
}
