package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// runSecret generates a Secret from what the cluster holds and writes it only if its content is to change. The write is
// bound to the version that was read, and a Secret that seems absent is looked for at the API server first: what was
// generated once is never overwritten by a second generation.
func (r *run[T]) runSecret(i int) *outcome.Outcome {
	s := &r.Steps[i]
	sc := r.scope(i)
	names, err := s.Render(sc)
	if err != nil {
		return outcome.FromError(fmt.Errorf("naming the secret of step %s: %w", s.Name, err))
	}
	have := make([]*corev1.Secret, len(names)) // the Secret, and its copy if it has one
	from := &corev1.Secret{}
	for n := range names {
		if have[n], err = r.readSecret(client.ObjectKeyFromObject(names[n])); err != nil {
			return apply.Classify(err)
		}
		if have[n] != nil && len(from.Data) == 0 {
			from = have[n]
		}
	}
	if r.Observe != nil {
		r.Observe.Rendered(r.Name, s.Name)
	}
	gen, err := s.Generate(sc, maps.Clone(from.Data))
	if err = cmp.Or(err, sc.Err()); err != nil {
		return outcome.FromError(fmt.Errorf("generating secret %s: %w", names[0].GetName(), err))
	}
	r.noteTime(gen, from)
	want := make([]wanted, len(names))
	for n := range names {
		gen.Secret.Name, gen.Secret.Namespace = names[n].GetName(), names[n].GetNamespace()
		if want[n], err = r.normalize(i, gen.Secret); err != nil {
			return outcome.FromError(err)
		}
		if have[n] != nil {
			want[n].obj.SetResourceVersion(have[n].ResourceVersion)
		}
	}
	return r.applyAll(i, want)
}

func (r *run[T]) readSecret(key types.NamespacedName) (*corev1.Secret, error) {
	sec := &corev1.Secret{}
	err := r.Get(r.ctx, key, sec)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading secret %s: %w", key.Name, err)
	}
	return sec, nil
}

// noteTime writes down when the Secret asks to be looked at again, or else when it got its content; what was written
// for the same content stays.
func (r *run[T]) noteTime(gen *step.Generated, from *corev1.Secret) {
	sec, same := gen.Secret, equalData(gen.Secret.Data, from.Data)
	if sec.Annotations == nil {
		sec.Annotations = map[string]string{}
	}
	if gen.Next <= 0 {
		if old := from.Annotations[apply.AnnotationChanged]; !same {
			sec.Annotations[apply.AnnotationChanged] = r.now.UTC().Format(time.RFC3339)
		} else if old != "" {
			sec.Annotations[apply.AnnotationChanged] = old
		}
		return
	}
	due := r.now.Add(gen.Next)
	old, err := time.Parse(time.RFC3339, from.Annotations[apply.AnnotationDue])
	if same && err == nil && old.After(r.now) {
		due = old
	}
	sec.Annotations[apply.AnnotationDue] = due.UTC().Format(time.RFC3339)
	r.wake(due.Sub(r.now) + time.Second)
}

func equalData(a, b map[string][]byte) bool {
	return maps.EqualFunc(a, b, slices.Equal[[]byte])
}

// secretRests tells whether the generated Secret does not ask to be looked at again yet.
func (r *run[T]) secretRests(i int) bool {
	for n := range r.results[i].items {
		rec := r.record(&r.results[i].items[n])
		if rec == nil {
			return false
		}
		note := rec.GetAnnotations()[apply.AnnotationDue]
		if note == "" {
			continue
		}
		due, err := time.Parse(time.RFC3339, note)
		if err != nil || !r.now.Before(due) {
			return false
		}
		r.wake(due.Sub(r.now) + time.Second)
	}
	return len(r.results[i].items) > 0
}
