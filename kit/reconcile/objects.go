package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// applies is how many objects of one step are sent at a time.
const applies = 16

type itemKey struct {
	gk              schema.GroupKind
	namespace, name string
}

func keyOf(it *owner.Item) itemKey {
	return itemKey{gk: schema.GroupKind{Group: it.Group, Kind: it.Kind}, namespace: it.Namespace, name: it.Name}
}

// wanted is one rendered object on its way to the API server.
type wanted struct {
	obj    *unstructured.Unstructured
	intent string
	key    itemKey
}

// runObjects renders an Objects step and applies what differs from the inventory.
func (r *run[T]) runObjects(i int) *outcome.Outcome {
	want, out := r.render(i)
	if out != nil {
		return out
	}
	return r.applyAll(i, want)
}

func (r *run[T]) render(i int) ([]wanted, *outcome.Outcome) {
	s := &r.Steps[i]
	if r.Observe != nil {
		r.Observe.Rendered(r.Name, s.Name)
	}
	sc := r.scope(i)
	objs, err := s.Render(sc)
	if err = cmp.Or(err, sc.Err()); err != nil {
		return nil, outcome.FromError(fmt.Errorf("rendering step %s: %w", s.Name, err))
	}
	want := make([]wanted, 0, len(objs))
	for _, obj := range objs {
		w, err := r.normalize(i, obj)
		if err != nil {
			return nil, outcome.FromError(fmt.Errorf("rendering step %s: %w", s.Name, err))
		}
		want = append(want, w)
	}
	return want, nil
}

func (r *run[T]) normalize(i int, obj client.Object) (wanted, error) {
	u, intent, err := apply.Normalize(r.Scheme, obj, r.origin(i))
	if err != nil {
		return wanted{}, err
	}
	gk := u.GroupVersionKind().GroupKind()
	if !r.makes[i][gk] {
		return wanted{}, fmt.Errorf("%s %s is of a kind that the step does not declare; add it to step.Makes", gk.Kind,
			u.GetName())
	}
	return wanted{obj: u, intent: intent, key: itemKey{gk: gk, namespace: u.GetNamespace(), name: u.GetName()}}, nil
}

// applyAll sends the wanted objects that are not as the inventory says, several at a time. What was applied enters the
// inventory even if another object failed.
func (r *run[T]) applyAll(i int, want []wanted) *outcome.Outcome {
	if out := r.madeTwice(i, want); out != nil {
		return out
	}
	res := &r.results[i]
	outs := make([]*outcome.Outcome, len(want))
	items := make([]*owner.Item, len(want))
	limit := make(chan struct{}, applies)
	var wg sync.WaitGroup
	for n := range want {
		if it := res.find(want[n].key); it != nil && it.Intent == want[n].intent && r.itemIntact(it) {
			items[n] = it
			continue
		}
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			items[n], outs[n] = r.applyOne(i, want[n])
		})
	}
	wg.Wait()
	res.merge(want, items)
	for _, out := range outs {
		if out != nil {
			return out
		}
	}
	res.wants = make(map[itemKey]bool, len(want))
	for n := range want {
		res.wants[want[n].key] = true
	}
	return nil
}

// madeTwice refuses what another step makes in this run, or has made in this process and does not look at again: they
// would overwrite each other's.
func (r *run[T]) madeTwice(i int, want []wanted) *outcome.Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.makers == nil {
		r.makers = make(map[itemKey]int, len(want))
	}
	for n := range want {
		k := want[n].key
		j, made := r.makers[k]
		for m := 0; !made && m < len(r.results); m++ {
			res := &r.results[m]
			rests := !res.work && res.state != owner.StepOff && r.level[m] <= r.level[i] && r.mem.ran(m)
			if m != i && rests && res.find(k) != nil {
				j, made = m, true
			}
		}
		if made && j != i {
			return outcome.Fail(outcome.Unknown, fmt.Errorf("%s is made by step %s already; let only one step make it",
				name(k.gk.Kind, k.name), r.Steps[j].Name))
		}
		r.makers[k] = i
	}
	return nil
}

func (rs *result) find(k itemKey) *owner.Item {
	for n := range rs.items {
		if keyOf(&rs.items[n]) == k {
			return &rs.items[n]
		}
	}
	return nil
}

// merge puts new items into the inventory of the step, sorted so that two runs give the same list.
func (rs *result) merge(want []wanted, items []*owner.Item) {
	next := make([]owner.Item, 0, len(rs.items)+len(items))
	for n := range rs.items {
		k := keyOf(&rs.items[n])
		if !slices.ContainsFunc(want, func(w wanted) bool { return w.key == k }) {
			next = append(next, rs.items[n])
		}
	}
	for n, it := range items {
		switch old := rs.find(want[n].key); {
		case it != nil:
			next = append(next, *it)
		case old != nil:
			next = append(next, *old)
		}
	}
	slices.SortFunc(next, compareItems)
	rs.items = next
}

func compareItems(a, b owner.Item) int {
	return strings.Compare(a.Kind+"/"+a.Namespace+"/"+a.Name, b.Kind+"/"+b.Namespace+"/"+b.Name)
}

// applyOne sends one server-side apply request.
func (r *run[T]) applyOne(i int, w wanted) (*owner.Item, *outcome.Outcome) {
	rec := r.Store.Get(w.key.gk, types.NamespacedName{Namespace: w.key.namespace, Name: w.key.name})
	if rec != nil && rec.GetDeletionTimestamp() != nil {
		return nil, outcome.Wait(name(w.key.gk.Kind, w.key.name),
			"%s %s is being deleted%s; wait: it is made again when it is gone.",
			w.key.gk.Kind, w.key.name, finalizers(rec))
	}
	if out := r.taken(w, rec); out != nil {
		return nil, out
	}
	old := r.results[i].find(w.key)
	never := r.Steps[i].Adoption == step.Never && (rec == nil || old == nil || old.UID != rec.GetUID())
	if never || rec == nil && metav1.GetControllerOf(w.obj) == nil {
		if out := r.refuseForeign(w, never); out != nil {
			return nil, out
		}
	}
	u := w.obj.DeepCopy()
	r.count.add()
	err := r.Client.Apply(r.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(r.Name),
		client.ForceOwnership)
	if err != nil {
		return nil, r.applyFailed(i, w, rec, err)
	}
	obj, err := r.remember(w.key.gk, u)
	if err != nil {
		return nil, outcome.FromError(err)
	}
	return &owner.Item{Step: r.Steps[i].Name, Group: w.key.gk.Group, Kind: w.key.gk.Kind, Namespace: w.key.namespace,
		Name: w.key.name, UID: u.GetUID(), Intent: w.intent, Owned: apply.Owned(obj, r.Name)}, nil
}

// taken refuses an object that another controller has, or another owner of this one. One field manager writes for all
// of the latter, so that the API server would let each take it from the other, again and again.
func (r *run[T]) taken(w wanted, rec client.Object) *outcome.Outcome {
	if rec == nil {
		return nil
	}
	belongs := func(whose string) *outcome.Outcome {
		return outcome.Fail(outcome.Conflict, fmt.Errorf("%s belongs to %s; give one of the two another name",
			name(w.key.gk.Kind, w.key.name), whose))
	}
	c := metav1.GetControllerOf(rec)
	switch made := rec.GetLabels()[apply.LabelController] == r.Name; {
	case !made && c != nil && c.UID != r.o.GetUID():
		return belongs(name(c.Kind, c.Name))
	case !made, !anothers(rec, w.obj.GetLabels()[apply.LabelPartOf]):
		return nil
	}
	whose := rec.GetAnnotations()[apply.AnnotationOwner]
	namespace, called, _ := strings.Cut(whose, "/")
	other := r.Store.Get(r.Kind.GroupKind(), types.NamespacedName{Namespace: namespace, Name: called})
	if other == nil || other.GetUID() == r.o.GetUID() {
		return nil
	}
	return belongs(name(r.Kind.Kind, whose))
}

// anothers tells whether an object is part of another set than ours.
func anothers(rec client.Object, ours string) bool {
	set := rec.GetLabels()[apply.LabelPartOf]
	return set != "" && set != ours
}

// remember gives the response of a write to the store, in the representation of its kind.
func (r *run[T]) remember(gk schema.GroupKind, u *unstructured.Unstructured) (client.Object, error) {
	proto, err := r.Store.Prototype(gk)
	if err != nil {
		return nil, err
	}
	obj := proto.DeepCopyObject().(client.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, obj); err != nil {
		return nil, fmt.Errorf("reading the answer for %s %s: %w", gk.Kind, u.GetName(), err)
	}
	r.Store.Wrote(gk, obj, r.Name)
	return obj, nil
}

func (r *run[T]) applyFailed(i int, w wanted, rec client.Object, err error) *outcome.Outcome {
	what := name(w.key.gk.Kind, w.key.name)
	if policy := r.Steps[i].Immutable; policy != step.Refuse && rec != nil && apply.Immutable(err) {
		dependents := metav1.DeletePropagationBackground
		if policy == step.Orphan {
			dependents = metav1.DeletePropagationOrphan
		}
		if _, derr := r.deleteObject(w.key.gk, rec, dependents); derr != nil {
			return apply.Classify(fmt.Errorf("deleting %s to make it again: %w", what, derr))
		}
		return outcome.Wait(what, "%s is being replaced, because a field that cannot change has changed; wait until it is "+
			"made again.", what)
	}
	if apierrors.IsInvalid(err) && strings.Contains(err.Error(), "Only one reference can have Controller set to true") {
		if out := r.refuseForeign(w, false); out != nil {
			return out
		}
	}
	return apply.Classify(fmt.Errorf("applying %s: %w", what, err))
}

// refuseForeign asks the API server about an object that the cache may not show because it is not ours: whether there
// is any, if the step adopts none, and else whether there is one that another controller has.
func (r *run[T]) refuseForeign(w wanted, never bool) *outcome.Outcome {
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(w.obj.GroupVersionKind())
	err := r.Get(r.ctx, types.NamespacedName{Namespace: w.key.namespace, Name: w.key.name}, m)
	if apierrors.IsNotFound(err) {
		return nil
	}
	what := name(w.key.gk.Kind, w.key.name)
	if err != nil {
		return apply.Classify(fmt.Errorf("looking for %s: %w", what, err))
	}
	if never && m.GetLabels()[apply.LabelPartOf] != w.obj.GetLabels()[apply.LabelPartOf] {
		return outcome.Fail(outcome.Conflict, fmt.Errorf("%s exists and is not ours; rename or delete it", what))
	}
	return r.taken(w, m)
}

func finalizers(o client.Object) string {
	if f := o.GetFinalizers(); len(f) > 0 {
		return " and held by finalizer " + strings.Join(f, ", ")
	}
	return ""
}

func (r *run[T]) record(it *owner.Item) client.Object {
	return r.Store.Get(schema.GroupKind{Group: it.Group, Kind: it.Kind},
		types.NamespacedName{Namespace: it.Namespace, Name: it.Name})
}

// intact tells whether every object of a step is as we left it.
func (r *run[T]) intact(i int) bool {
	res := &r.results[i]
	records := make([]client.Object, len(res.items))
	for n := range res.items {
		records[n] = r.record(&res.items[n])
		if !r.sound(&res.items[n], records[n]) {
			return false
		}
	}
	res.records = records
	return true
}

func (r *run[T]) itemIntact(it *owner.Item) bool { return r.sound(it, r.record(it)) }

func (r *run[T]) sound(it *owner.Item, rec client.Object) bool {
	return rec != nil && rec.GetUID() == it.UID && rec.GetDeletionTimestamp() == nil && apply.Owns(rec, r.Name, it.Owned)
}

// gates asks the gate of each object of a step and returns the first that is not ready.
func (r *run[T]) gates(i int) *outcome.Outcome {
	items := r.results[i].items
	var first *outcome.Outcome
	for n := range items {
		it := &items[n]
		if w := r.results[i].wants; w != nil && !w[keyOf(it)] {
			continue
		}
		rec := r.recordAt(i, n)
		if rec == nil {
			return outcome.Wait(name(it.Kind, it.Name), "%s %s is not there yet; see whether somebody deletes it.",
				it.Kind, it.Name)
		}
		ready, why := r.gateOf(i, it.Kind, rec)(rec)
		r.memories.setGate(rec.GetUID(), gateValue(ready, why))
		if !ready && first == nil {
			first = outcome.Wait(name(it.Kind, it.Name), "%s", r.waiting(it, why))
		}
	}
	return first
}

// recordAt returns the record of item n of step i; that which intact has just read, if it has.
func (r *run[T]) recordAt(i, n int) client.Object {
	if res := &r.results[i]; !res.touched && res.records != nil {
		return res.records[n]
	}
	return r.record(&r.results[i].items[n])
}

func (r *run[T]) gateOf(i int, kind string, rec client.Object) gate.Gate {
	if g := r.Steps[i].Gates[kind]; g != nil {
		return g
	}
	return gate.For(rec)
}

func gateValue(ready bool, why string) uint64 {
	if ready {
		return 1
	}
	return fingerprintSeed(why)
}
