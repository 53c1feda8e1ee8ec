package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
)

// runSecret generates a Secret from what the cluster holds and writes it only if its content is to change. The write is
// bound to the version that was read, and a Secret that seems absent is looked for at the API server first: what was
// generated once is never overwritten by a second generation.
func (r *run[T]) runSecret(i int) *outcome.Outcome {
	s := &r.Steps[i]
	sc := r.scope(i)
	proto, err := s.Render(sc)
	if err != nil || len(proto) != 1 {
		return outcome.FromError(fmt.Errorf("naming the secret of step %s: %w", s.Name, err))
	}
	have, err := r.readSecret(types.NamespacedName{Namespace: proto[0].GetNamespace(), Name: proto[0].GetName()})
	if err != nil {
		return apply.Classify(err)
	}
	var data map[string][]byte
	if have != nil {
		data = maps.Clone(have.Data)
	}
	if r.Observe != nil {
		r.Observe.Rendered(r.Name, s.Name)
	}
	gen, err := s.Generate(sc, data)
	if err == nil {
		err = sc.Err()
	}
	if err != nil {
		return outcome.FromError(fmt.Errorf("generating secret %s: %w", proto[0].GetName(), err))
	}
	gen.Secret.Name, gen.Secret.Namespace = proto[0].GetName(), proto[0].GetNamespace()
	return r.applySecret(i, gen.Secret, have, gen.Next)
}

func (r *run[T]) readSecret(key types.NamespacedName) (*corev1.Secret, error) {
	sec := &corev1.Secret{}
	r.count.add()
	err := r.Live.Get(r.ctx, key, sec)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading secret %s: %w", key.Name, err)
	}
	return sec, nil
}

func (r *run[T]) applySecret(i int, sec, have *corev1.Secret, next time.Duration) *outcome.Outcome {
	if next > 0 {
		if sec.Annotations == nil {
			sec.Annotations = map[string]string{}
		}
		due := r.now.Add(next)
		if have != nil && equalData(sec.Data, have.Data) && have.Annotations[apply.AnnotationDue] != "" {
			if old, err := time.Parse(time.RFC3339, have.Annotations[apply.AnnotationDue]); err == nil && old.After(r.now) {
				due = old
			}
		}
		sec.Annotations[apply.AnnotationDue] = due.UTC().Format(time.RFC3339)
		r.wake(due.Sub(r.now) + time.Second)
	}
	w, err := r.normalize(i, sec)
	if err != nil {
		return outcome.FromError(err)
	}
	if have != nil {
		w.obj.SetResourceVersion(have.ResourceVersion)
	}
	return r.applyAll(i, []wanted{w})
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
