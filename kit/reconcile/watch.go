package reconcile

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/gate"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Handler returns what turns events of one kind into runs. A kind may be owner, child and referenced at once.
func (l *Loop[T]) Handler(gk schema.GroupKind) handler.TypedEventHandler[client.Object, reconcile.Request] {
	isOwner := gk == l.Kind.GroupKind()
	return handler.TypedFuncs[client.Object, reconcile.Request]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[client.Object], q queue) {
			echo := l.Store.Saw(gk, e.Object, false, l.Name)
			if isOwner {
				l.notice(e.Object, false)
				q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)})
			}
			if !echo && !e.IsInInitialList { // owners are in the initial list themselves and look at everything
				l.wakeParent(e.Object, q)
			}
			if !e.IsInInitialList {
				l.wakeReferrers(gk, e.Object, q)
			}
			l.wakeMaker(gk, nil, e.Object, q)
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[client.Object], q queue) {
			echo := l.Store.Saw(gk, e.ObjectNew, false, l.Name)
			if isOwner {
				l.noticeChange(e.ObjectOld, e.ObjectNew)
				if !echo && l.ownerChanged(e.ObjectOld, e.ObjectNew) {
					q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.ObjectNew)})
				}
			}
			if e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion() {
				return // a resync
			}
			if !echo && l.childChanged(gk, e.ObjectOld, e.ObjectNew) {
				l.wakeParent(e.ObjectOld, q) // somebody may have taken our marks away
				l.wakeParent(e.ObjectNew, q)
			}
			l.wakeReferrers(gk, e.ObjectNew, q)
			l.wakeMaker(gk, e.ObjectOld, e.ObjectNew, q)
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[client.Object], q queue) {
			l.Store.Saw(gk, e.Object, true, l.Name)
			l.memories.dropGate(e.Object.GetUID())
			if isOwner {
				l.notice(e.Object, true)
				q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)})
			}
			l.wakeParent(e.Object, q)
			l.wakeReferrers(gk, e.Object, q)
			l.wakeMaker(gk, e.Object, nil, q)
		},
	}
}

// asksElse tells whether an owner asks for something else than before: by its spec, by being deleted, or by the
// annotations we obey.
func asksElse(before, after client.Object) bool {
	if before.GetGeneration() != after.GetGeneration() ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil) {
		return true
	}
	for _, k := range []string{AnnotationPaused, AnnotationPausedCAPI, AnnotationRetry, AnnotationAbandon,
		AnnotationReconcile} {
		was, had := before.GetAnnotations()[k]
		if is, has := after.GetAnnotations()[k]; had != has || was != is {
			return true
		}
	}
	return false
}

// ownerChanged tells whether an update of an owner is for us: what it asks for, our own marks, or steps that another
// process runs.
func (l *Loop[T]) ownerChanged(before, after client.Object) bool {
	// The guard may look at an annotation of its own.
	guarded := l.Guard != nil && len(before.GetAnnotations()) != len(after.GetAnnotations())
	return guarded || l.Components != nil || asksElse(before, after) ||
		apply.Owned(before, l.Name) != apply.Owned(after, l.Name)
}

// childChanged tells whether an update of a child matters: ownership, deletion, its gate's verdict, or any change if a
// step looks at the step's objects itself.
func (l *Loop[T]) childChanged(gk schema.GroupKind, before, after client.Object) bool {
	if after.GetLabels()[apply.LabelController] != l.Name && before.GetLabels()[apply.LabelController] != l.Name {
		return false
	}
	if apply.Owned(before, l.Name) != apply.Owned(after, l.Name) || before.GetUID() != after.GetUID() ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil) {
		return true
	}
	i := l.indexOf(after.GetAnnotations()[apply.AnnotationStep])
	if i < 0 {
		return false
	}
	if l.seen[i] || l.Report != nil && l.makesStatus(gk) {
		return true
	}
	g := l.Steps[i].Gates[gk.Kind]
	if g == nil {
		g = gate.For(after)
	}
	ready, why := g(after)
	value := gateValue(ready, why)
	last, ok := l.memories.gate(after.GetUID())
	if ok && last == value {
		return false
	}
	l.memories.setGate(after.GetUID(), value)
	return true
}

func (l *Loop[T]) wakeParent(obj client.Object, q queue) {
	if obj.GetLabels()[apply.LabelController] != l.Name {
		return
	}
	ns, n, ok := strings.Cut(obj.GetAnnotations()[apply.AnnotationOwner], "/")
	if ok {
		q.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: ns, Name: n}})
	}
}

func (l *Loop[T]) wakeReferrers(gk schema.GroupKind, obj client.Object, q queue) {
	for _, k := range []types.NamespacedName{client.ObjectKeyFromObject(obj), {Namespace: obj.GetNamespace()}, {}} {
		l.memories.referrers(refKey{gk: gk, key: k}, func(key types.NamespacedName) {
			q.Add(reconcile.Request{NamespacedName: key})
		})
	}
}

func (l *Loop[T]) noticeChange(before, after client.Object) {
	if before.GetGeneration() != after.GetGeneration() || before.GetUID() != after.GetUID() {
		l.notice(after, false)
	}
}

func (l *Loop[T]) notice(obj client.Object, gone bool) {
	if o, ok := obj.(T); ok && l.Notice != nil {
		l.Notice(o, gone)
	}
}
