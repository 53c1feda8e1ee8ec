package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/why"
)

// refusal is an error about the first object, from the one that is explained down to the causes, that its operator does
// not try again until somebody has changed something; nil when there is none.
func refusal(ctx context.Context, c client.Reader, f *why.Finding) error {
	for _, gvk := range ownKinds() {
		if gvk.Kind != f.Object.Kind {
			continue
		}
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		key := client.ObjectKey{Namespace: f.Object.Namespace, Name: f.Object.Name}
		if c.Get(ctx, key, u) != nil {
			continue // it is told where it was found
		}
		if r := refused(kitStatus(u), u.GetGeneration()); r != nil {
			return fmt.Errorf("%s is not tried again as it is: %s: %s; then run up again", f.Object, r.Reason,
				strings.TrimSuffix(r.Message, "."))
		}
	}
	for _, b := range f.Because {
		if err := refusal(ctx, c, b); err != nil {
			return err
		}
	}
	return nil
}

// refused is what Stalled says of a step that was refused, or Paused of an object that is; nil where nothing was. An
// operator also says Stalled of what it has waited for too long, which may still come.
func refused(st *owner.Status, generation int64) *metav1.Condition {
	if c := paused(st); c != nil {
		return c
	}
	c := meta.FindStatusCondition(st.Conditions, condition.Stalled)
	if c == nil || c.Status != condition.True || st.ObservedGeneration != generation {
		return nil
	}
	if slices.ContainsFunc(st.Steps, func(s owner.Step) bool {
		return s.State == owner.StepFailed && strings.HasPrefix(c.Message, "Step "+s.Name+": ")
	}) {
		return c
	}
	return nil
}
