package reconcile

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/backoff"
	"stackwright.dev/kit/cache"
	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/obs"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// Annotations on owners that the loop obeys.
const (
	// AnnotationPaused stops all work on the object while it is "true".
	AnnotationPaused = "kit.stackwright.dev/paused"
	// AnnotationPausedCAPI is Cluster API's annotation for the same; its presence is enough.
	AnnotationPausedCAPI = "cluster.x-k8s.io/paused"
	// AnnotationRetry runs the failed Job of the step it names once more; the loop removes it.
	AnnotationRetry = "kit.stackwright.dev/retry"
	// AnnotationAbandon names steps, with commas between, whose external resources are given up on deletion; * are all.
	AnnotationAbandon = "kit.stackwright.dev/abandon"
	// AnnotationReconcile asks for a run whenever its value changes.
	AnnotationReconcile = "kit.stackwright.dev/reconcile"
)

// Loop reconciles owners by a plan.
type Loop[T owner.Object] struct {
	*Plan[T]
	Scheme *runtime.Scheme
	Store  *cache.Store
	// Client writes; Live reads Secrets and ConfigMaps by name, past the cache.
	Client   client.Client
	Live     client.Reader
	Recorder events.EventRecorder
	Backoff  *backoff.Table
	Now      func() time.Time
	Observe  Observer

	memories *memories
}

// Observer counts what the loop does. Its methods are called concurrently.
type Observer interface {
	// Ran is called once per run with its API requests.
	Ran(controller string, requests int)
	// Rendered is called once per rendered step.
	Rendered(controller, step string)
	// Worked is called once per step that had work to do.
	Worked(controller, step string, d time.Duration)
	// Panicked is called when the code of a step panicked.
	Panicked(controller, step string)
}

// NewLoop returns a loop over a plan; its exported fields are to be set before use.
func NewLoop[T owner.Object](p *Plan[T]) *Loop[T] {
	return &Loop[T]{Plan: p, memories: newMemories(), Now: time.Now}
}

// Reconcile runs the graph of one owner once. It never returns an error: failures are conditions with their own
// backoff.
func (l *Loop[T]) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	obj := l.Store.Get(l.Kind.GroupKind(), req.NamespacedName)
	o, ok := obj.(T)
	if !ok {
		l.memories.forget(req.NamespacedName)
		return reconcile.Result{}, nil
	}
	if l.Turn != nil {
		done := l.Turn(o)
		if done == nil {
			return reconcile.Result{}, nil
		}
		defer done()
	}
	ctx, end := obs.Span(ctx, l.Name, req.NamespacedName)
	defer end()
	r := l.newRun(ctx, o)
	switch {
	case !o.GetDeletionTimestamp().IsZero() && !r.finalized():
		l.memories.forget(req.NamespacedName)
		return reconcile.Result{}, nil
	case pauses(o) != nil:
		r.pause()
	case !o.GetDeletionTimestamp().IsZero() && !r.guarded():
		r.remove()
	default:
		r.advance()
	}
	if l.Observe != nil {
		l.Observe.Ran(l.Name, r.requests())
	}
	return reconcile.Result{RequeueAfter: r.next}, nil
}

// Hurry ends the pauses of an owner's failed steps: its next run tries them.
func (l *Loop[T]) Hurry(key types.NamespacedName) {
	l.memories.note(key, func(m *memory) { m.hurry = true })
}

// Told says that the outside has woken an owner: its Report may have something else to tell.
func (l *Loop[T]) Told(key types.NamespacedName) {
	l.memories.note(key, func(m *memory) { m.news = true })
}

// pauses are what a person has to remove for the owner to go on.
func pauses(o client.Object) (what []string) {
	notes := o.GetAnnotations()
	if notes[AnnotationPaused] == "true" {
		what = append(what, "the annotation "+AnnotationPaused)
	}
	if _, capi := notes[AnnotationPausedCAPI]; capi {
		what = append(what, "the annotation "+AnnotationPausedCAPI)
	}
	if p, ok := o.(interface{ Paused() bool }); ok && p.Paused() {
		what = append(what, "spec.paused")
	}
	return what
}

// run is one pass over one owner.
type run[T owner.Object] struct {
	*Loop[T]
	ctx     context.Context
	o       T
	mu      sync.Mutex
	latest  T               // the owner as the last status write left it
	makers  map[itemKey]int // the step that makes an object in this run
	log     logr.Logger
	now     time.Time
	mem     *memory
	results []result
	refs    []refState
	timer   sync.Mutex // guards next: the steps of a level fail in parallel
	next    time.Duration
	count   counter
	order   int // level that is being evaluated
	held    string
	// orphans were made by steps that the graph does not have any more.
	orphans []owner.Item
	stuck   *outcome.Outcome // why orphans are still there
	lost    bool
	edited  bool // the owner asks for something else than when the run began
	news    bool
}

// result is what a run knows of one step.
type result struct {
	state   owner.StepState
	out     *outcome.Outcome
	fp      string
	items   []owner.Item
	records []client.Object  // of items, when the step is unchanged
	wants   map[itemKey]bool // what the step rendered in this run; nil when it did not render
	cell    *owner.External
	notes   []step.Note
	work    bool
	outputs uint64 // hash of items before the step works
	touched bool
}

func (l *Loop[T]) newRun(ctx context.Context, o T) *run[T] {
	r := &run[T]{Loop: l, ctx: ctx, o: o, latest: o, log: log.FromContext(ctx), now: l.Now(),
		mem: l.memories.of(client.ObjectKeyFromObject(o), o.GetUID()), results: make([]result, len(l.Steps)),
		refs: make([]refState, len(l.Refs))}
	r.mem.hurried()
	r.news = r.mem.hears() && r.Report != nil
	st := o.KitStatus()
	sizes := make([]int, len(l.Steps))
	for i := range st.Inventory {
		if j := l.indexOf(st.Inventory[i].Step); j >= 0 {
			sizes[j]++
		}
	}
	for i := range st.Inventory {
		if j := l.indexOf(st.Inventory[i].Step); j >= 0 {
			if r.results[j].items == nil {
				r.results[j].items = make([]owner.Item, 0, sizes[j])
			}
			r.results[j].items = append(r.results[j].items, st.Inventory[i])
		} else {
			r.orphans = append(r.orphans, st.Inventory[i])
		}
	}
	for i := range st.Externals {
		if j := l.indexOf(st.Externals[i].Step); j >= 0 {
			r.results[j].cell = new(st.Externals[i])
		}
	}
	return r
}

func (p *Plan[T]) indexOf(name string) int {
	for i := range p.Steps {
		if p.Steps[i].Name == name {
			return i
		}
	}
	return -1
}

// wake asks to run again after d at the latest.
func (r *run[T]) wake(d time.Duration) {
	r.timer.Lock()
	defer r.timer.Unlock()
	if d > 0 && (r.next == 0 || d < r.next) {
		r.next = d
	}
}

func (r *run[T]) origin(i int) apply.Origin {
	return apply.Origin{Controller: r.Name, Owner: r.o, OwnerKind: r.Kind, Step: r.Steps[i].Name, Order: r.level[i],
		Released: r.Steps[i].Retains(r.o)}
}

// guarded asks the definition whether a deletion is refused for now.
func (r *run[T]) guarded() bool {
	if r.Guard == nil {
		return false
	}
	r.linkRefs()
	for j := range r.Refs {
		if !hasContent(r.Refs[j].Kind) {
			r.evalRef(j)
		}
	}
	r.held = r.Guard(r, r.o)
	return r.held != ""
}

func (r *run[T]) pause() {
	what := strings.Join(pauses(r.o), " and ")
	msg := "The object is paused; remove " + what + " to go on."
	if !r.o.GetDeletionTimestamp().IsZero() {
		msg = "The object is paused and waits to be deleted; remove " + what + " to let it go."
	}
	conds := r.o.KitStatus().Conditions
	if condition.Is(conds, condition.Paused, msg) {
		return
	}
	err := r.writeStatus(func(o T) {
		st := o.KitStatus()
		c := metav1.Condition{Type: condition.Paused, Status: condition.True, Reason: "Paused", Message: msg,
			ObservedGeneration: o.GetGeneration()}
		condition.Set(&st.Conditions, c)
		if meta.FindStatusCondition(st.Conditions, condition.Ready) == nil {
			// Tools take an object with conditions for ready unless one speaks against it.
			c.Type, c.Status = condition.Ready, condition.Unknown
			condition.Set(&st.Conditions, c)
		}
	})
	if err != nil {
		r.log.Error(err, "writing the condition Paused")
		r.wake(time.Second)
		return
	}
	r.event("Normal", condition.Paused, "Paused", msg)
}

func name(kind, n string) string { return fmt.Sprintf("%s %s", kind, n) }
