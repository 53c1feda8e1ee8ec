package cli

import (
	"context"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clientSide is the field manager of kubectl apply without --server-side. Which fields a file has lost it tells by the
// file before, which it keeps in an annotation.
const clientSide = "kubectl-client-side-apply"

// applier is the field manager that has applied an object's spec last: who applies a file as another one takes away
// nothing of what the file has lost. It is one of our own when nobody has.
func applier(have *unstructured.Unstructured) string {
	name := "stackwright-diff"
	var last metav1.Time
	for _, e := range have.GetManagedFields() {
		applied := e.Operation == metav1.ManagedFieldsOperationApply ||
			e.Manager == clientSide && have.GetAnnotations()[corev1.LastAppliedConfigAnnotation] != ""
		spec := e.FieldsV1 != nil && strings.Contains(e.FieldsV1.GetRawString(), `"f:spec"`)
		if !applied || !spec || e.Subresource != "" || e.Time != nil && e.Time.Before(&last) {
			continue
		}
		if name = e.Manager; e.Time != nil {
			last = *e.Time
		}
	}
	return name
}

// foresee asks the API server what would become of an object if another one were applied as a field manager.
func foresee(ctx context.Context, c client.Client, want, have *unstructured.Unstructured, manager string) (
	*unstructured.Unstructured, error) {
	after := want.DeepCopy()
	var err error
	if manager == clientSide {
		var patch []byte
		if patch, err = threeWay(want, have); err == nil {
			err = c.Patch(ctx, after, client.RawPatch(types.MergePatchType, patch), client.DryRunAll,
				client.FieldOwner(manager))
		}
	} else {
		stamp(after, have)
		err = c.Apply(ctx, client.ApplyConfigurationFromUnstructured(after), client.DryRunAll, client.FieldOwner(manager),
			client.ForceOwnership)
	}
	if err != nil {
		return nil, fmt.Errorf("asking what applying %s %s would do: %w", want.GetKind(), want.GetName(), err)
	}
	return after, nil
}

// threeWay is the patch that kubectl makes of a file, of the one before, and of the object.
func threeWay(want, have *unstructured.Unstructured) ([]byte, error) {
	last := have.GetAnnotations()[corev1.LastAppliedConfigAnnotation]
	want = want.DeepCopy()
	notes := map[string]string{corev1.LastAppliedConfigAnnotation: last}
	maps.Copy(notes, want.GetAnnotations())
	want.SetAnnotations(notes)
	modified, err := want.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encoding the file: %w", err)
	}
	current, err := have.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(last), modified, current)
}

// stamp gives an object what operators put on all that they make, which is not in what a rehearsal makes.
func stamp(o, have *unstructured.Unstructured) {
	labels, notes := ourMarks(have.GetLabels()), ourMarks(have.GetAnnotations())
	maps.Copy(labels, o.GetLabels())
	maps.Copy(notes, o.GetAnnotations())
	if len(labels) > 0 {
		o.SetLabels(labels)
	}
	if len(notes) > 0 {
		o.SetAnnotations(notes)
	}
	if owners := have.GetOwnerReferences(); len(owners) > 0 && len(o.GetOwnerReferences()) == 0 {
		o.SetOwnerReferences(owners)
	}
}

// ourMarks are those of labels or annotations that operators write.
func ourMarks(all map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range all {
		if strings.Contains(k, "stackwright.dev/") || strings.HasPrefix(k, "applyset.kubernetes.io/") {
			out[k] = v
		}
	}
	return out
}
