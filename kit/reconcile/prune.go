package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// unwatchedPause is when to ask again for an object of a kind that is not watched.
const unwatchedPause = 10 * time.Second

// repair completes the inventory from labels: what was applied just before a crash is in the cluster, but not in
// status. What is in the inventory already stays there, even if somebody took the annotation away that names its step.
func (r *run[T]) repair() {
	set := apply.SetID(r.o.GetName(), r.o.GetNamespace(), r.Kind.GroupKind())
	r.Store.Owned(set, func(gk schema.GroupKind, obj client.Object) {
		notes := obj.GetAnnotations()
		i := r.indexOf(notes[apply.AnnotationStep])
		if obj.GetLabels()[apply.LabelController] != r.Name || !r.mine(obj) {
			return
		}
		it := owner.Item{Step: notes[apply.AnnotationStep], Group: gk.Group, Kind: gk.Kind,
			Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: obj.GetUID()}
		switch {
		case slices.ContainsFunc(r.results, func(res result) bool { return res.find(keyOf(&it)) != nil }):
		case i < 0 && !slices.ContainsFunc(r.orphans, func(o owner.Item) bool { return keyOf(&o) == keyOf(&it) }):
			r.orphans = append(r.orphans, it)
		case i >= 0:
			r.results[i].touched = true
			r.results[i].items = append(r.results[i].items, it)
		}
	})
	for i := range r.results {
		slices.SortFunc(r.results[i].items, compareItems)
	}
}

// mine tells whether an object belongs to this owner rather than to a namesake that is gone; the garbage collector has
// the latter's.
func (r *run[T]) mine(obj client.Object) bool {
	if c := metav1.GetControllerOf(obj); c != nil {
		return c.UID == r.o.GetUID()
	}
	return true
}

// prune removes what no step wants any more: that of a step when what the steps after it do not want is gone. Nothing
// but Jobs is removed in a run in which a step failed: what failed to render might want it.
func (r *run[T]) prune() {
	defer r.unpruned()
	for i := range r.results {
		if r.results[i].state == owner.StepFailed {
			r.pruneJobs()
			return
		}
	}
	if r.removeOrphans() {
		r.leave.Backward(r.pruneStep)
	}
}

// pruneJobs removes the Jobs of inputs that others have followed: no step but their own could want them, and one that
// is there when its inputs come back would pass for done, whatever the Jobs after it have undone. Before a Job that
// failed they stay.
func (r *run[T]) pruneJobs() {
	for i := range r.results {
		if state := r.results[i].state; r.Steps[i].Kind == step.KindJob &&
			(state == owner.StepDone || state == owner.StepOff) {
			r.pruneStep(i)
		}
	}
}

// unpruned has the steps render again that made what they do not want and that is there still: only a step that
// renders tells what it wants.
func (r *run[T]) unpruned() {
	for i := range r.results {
		res := &r.results[i]
		unwanted := func(it owner.Item) bool { return !res.wants[keyOf(&it)] }
		if res.state != owner.StepOff && res.wants != nil && slices.ContainsFunc(res.items, unwanted) {
			res.fp, res.touched = "", true
		}
	}
}

// removeOrphans deletes what steps made that the graph has lost, and returns whether all of it is away. Nobody knows
// any more what those steps came after, so all others wait for it.
func (r *run[T]) removeOrphans() bool {
	var kept []owner.Item
	for n := range r.orphans {
		has, may := r.moved(-1, &r.orphans[n])
		if !has && (may || !r.gone(&r.orphans[n], func(out *outcome.Outcome) {
			r.stuck = out
			r.wake(r.Backoff.Next(string(r.o.GetUID())+"/orphans", out.Class, out.After))
		})) {
			kept = append(kept, r.orphans[n])
		}
	}
	if len(kept) > 0 && r.stuck == nil {
		r.stuck = r.leaving(&kept[0])
	}
	r.lost = r.lost || len(kept) != len(r.orphans)
	r.orphans = kept
	return len(kept) == 0
}

// pruneStep deletes what a step made and does not want, and tells whether nothing of it is left.
func (r *run[T]) pruneStep(i int) bool {
	res := &r.results[i]
	off := res.state == owner.StepOff
	if !off && res.wants == nil {
		return true
	}
	if !r.runs(&r.Steps[i]) {
		return len(res.items) == 0
	}
	if off && res.cell != nil && !r.release(i) {
		return false
	}
	gone, kept := true, res.items[:0:0]
	for n := range res.items {
		it := &res.items[n]
		if !off && res.wants[keyOf(it)] {
			kept = append(kept, *it)
			continue
		}
		has, may := r.moved(i, it)
		if has || r.Steps[i].Retains(r.o) || !may && r.gone(it, r.deleteFailed(i)) {
			res.touched = true
			continue
		}
		kept, gone = append(kept, *it), false
	}
	res.items = kept
	return gone
}

// moved tells whether another step has an object that step i does not want, and whether one may want it that this
// process has not run yet: a newer graph may make it by another step, and it must not be lost in between.
func (r *run[T]) moved(i int, it *owner.Item) (has, may bool) {
	k := keyOf(it)
	for j := range r.results {
		res := &r.results[j]
		switch {
		case j == i || res.state == owner.StepOff || !r.makes[j][k.gk]:
		case res.wants != nil:
			has = has || res.wants[k]
		case res.find(k) != nil:
			has = true
		case r.runs(&r.Steps[j]) && !r.mem.ran(j):
			may = r.o.GetDeletionTimestamp() == nil
		}
	}
	return has, may
}

// gone deletes an object of ours and tells whether it is away already. Of kinds that are not watched nothing is known:
// the API server has to be asked.
func (r *run[T]) gone(it *owner.Item, failed func(*outcome.Outcome)) bool {
	rec, gk := r.record(it), schema.GroupKind{Group: it.Group, Kind: it.Kind}
	watched := r.Store.Watched(gk)
	switch {
	case rec == nil && !watched:
		m := &metav1.PartialObjectMetadata{}
		m.Name, m.Namespace, m.UID = it.Name, it.Namespace, it.UID
		rec = m
	case rec == nil, it.UID != "" && rec.GetUID() != it.UID:
		return true
	case anothers(rec, apply.SetID(r.o.GetName(), r.o.GetNamespace(), r.Kind.GroupKind())):
		return true // another owner took it, when our cache was late
	case rec.GetDeletionTimestamp() != nil:
		return false
	}
	away, err := r.deleteObject(gk, rec, metav1.DeletePropagationBackground)
	if err != nil {
		failed(apply.Classify(fmt.Errorf("deleting %s %s: %w", it.Kind, it.Name, err)))
	}
	if !away && !watched {
		r.wake(unwatchedPause)
	}
	return away
}

// deleteFailed shows a failed deletion as the outcome of its step.
func (r *run[T]) deleteFailed(i int) func(*outcome.Outcome) {
	return func(out *outcome.Outcome) {
		r.results[i].out = out
		r.wake(r.Backoff.Next(r.backoffKey(i), out.Class, out.After))
	}
}

// deleteObject deletes exactly the object that the record shows, and tells whether it was away already, as all are
// whose kind is not served any more.
func (r *run[T]) deleteObject(gk schema.GroupKind, rec client.Object, dependents metav1.DeletionPropagation) (
	away bool, err error) {
	gvk, ok := r.Store.Version(gk)
	if !ok {
		return false, fmt.Errorf("kind %s is not declared by controller %s", gk, r.Name)
	}
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(gvk)
	m.SetName(rec.GetName())
	m.SetNamespace(rec.GetNamespace())
	uid := rec.GetUID()
	r.count.add()
	err = r.Client.Delete(r.ctx, m, client.Preconditions{UID: &uid}, client.PropagationPolicy(dependents))
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) ||
		(apierrors.IsConflict(err) && strings.Contains(err.Error(), "UID")) {
		return true, nil
	}
	return false, err
}

// remove takes the owner's graph down from the inventory alone: no step is rendered and no reference is read. A step
// goes when all that come after it are gone, so that what is stuck keeps its ancestors and nobody else. The finalizer
// goes when the inventory is empty.
func (r *run[T]) remove() {
	r.repair()
	r.linkRefs()
	if !r.removeOrphans() || !r.leave.Backward(r.removeStep) {
		r.finishRemoval()
		return
	}
	err := r.inherit()
	if err == nil {
		err = r.hold(true)
	}
	if err == nil {
		err = r.unclaim()
	}
	if err != nil {
		r.log.Error(err, "taking the finalizers away")
		r.wake(r.Backoff.Next(string(r.o.GetUID())+"/finalizer", apply.Classify(err).Class, 0))
		return
	}
	r.memories.forget(client.ObjectKeyFromObject(r.o))
}

// removeStep removes what a step made, and tells whether nothing of it is left.
func (r *run[T]) removeStep(i int) bool {
	s, res := &r.Steps[i], &r.results[i]
	if !r.runs(s) {
		return r.awaitComponent(i)
	}
	if res.cell != nil && !r.release(i) {
		return false
	}
	if s.Retains(r.o) {
		res.items, res.state, res.touched = nil, owner.StepOff, true
		return true
	}
	forsakes := r.forsakes(i)
	kept := res.items[:0:0]
	for n := range res.items {
		if forsakes {
			r.forsake(&res.items[n], r.deleteFailed(i))
		}
		if !r.gone(&res.items[n], r.deleteFailed(i)) {
			kept = append(kept, res.items[n])
		}
	}
	res.items, res.touched = kept, true
	if len(kept) == 0 {
		res.state = owner.StepOff
		return true
	}
	if res.out == nil {
		res.out = r.leaving(&kept[0])
		if rec := r.record(&kept[0]); rec != nil {
			res.out.Message += r.reasons(i, rec)
		}
	}
	res.state = owner.StepWaiting
	return false
}

// leaving waits until an object is away, and names who holds it.
func (r *run[T]) leaving(it *owner.Item) *outcome.Outcome {
	by, see := "", "what holds it if it stays"
	if rec := r.record(it); rec != nil && len(rec.GetFinalizers()) > 0 {
		by, see = finalizers(rec), "that the controller runs that is to take it away"
	}
	return outcome.Wait(name(it.Kind, it.Name), "Waits until %s %s is deleted%s; see %s.", it.Kind, it.Name, by, see)
}

// release lets go of a step's external resource; it returns whether that is done.
func (r *run[T]) release(i int) bool {
	s, res := &r.Steps[i], &r.results[i]
	if s.Release == nil || Abandons(r.o, s.Name) {
		res.cell, res.touched = nil, true
		return true
	}
	if m := r.mem.peek(i); m != nil && m.leaves && r.now.Before(m.notBefore) {
		res.state, res.out = owner.StepFailed, m.out
		r.wake(m.notBefore.Sub(r.now))
		return false
	}
	sc := r.scope(i).WithExternal(res.cell, func() error { return r.saveCell(i) })
	r.evalReads(i)
	out := r.safeRelease(i, sc)
	res.notes = sc.Notes()
	r.tell(i)
	if out.Ready() {
		res.cell, res.touched = nil, true
		return true
	}
	if out.State == outcome.StateFailed {
		out.Message += "; if the resource or its credentials are gone for good, annotate the object with " +
			AnnotationAbandon + "=" + s.Name
		if out.Class == outcome.Invalid {
			out.Class = outcome.Unknown // no input is left that somebody could correct
		}
		r.fail(i, 0, out)
		r.mem.peek(i).leaves = true
		return false
	}
	r.conclude(i, out)
	return false
}

func (r *run[T]) safeRelease(i int, sc *step.Scope[T]) (out *outcome.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = r.panicked(i, "the code that releases step", p)
		}
	}()
	return r.Steps[i].Release(r.ctx, sc)
}
