package resources

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// controller is the controller of one kind.
type controller struct {
	kind   *d.Kind
	engine *Engine
	empty  func() object

	// attempts to create of which nobody knows whether they took effect, removals that were asked for, and answers that
	// were given to states.
	attempts attempts
	removals attempts
	answers  attempts
	orders   orders
	outputs  outputs
	// complaints are what services say of resources in an error.
	complaints outputs
	uploads    uploads
	sought     sought
	seen       sightings
	follows    follows
	turns      turns
	bell       bell
	// retries wakes those whose pauses are over.
	retries bell
}

// definition is what the kit runs.
func (c *controller) definition() kit.Definition[object] {
	refs := c.refs()
	names := make([]string, 0, len(refs))
	for _, r := range refs {
		names = append(names, r.Name)
	}
	steps := []step.Step[object]{{
		Name: stepResource, Kind: step.KindExternal, Reads: names, Condition: conditionSynced, EachRun: true,
		Act: c.act, Release: c.release,
	}}
	if f, ok := outputOf(c.kind); ok {
		steps = append(steps, c.output(f))
	}
	return kit.Definition[object]{
		Name: lower(c.kind.Name), New: c.empty, Refs: refs, Report: c.report, Notice: c.notice, Wake: c.bell.ring,
		Retry: c.retries.ring,
		Turn:  c.turn, Steps: steps, Options: kit.Options{Workers: c.engine.workers()},
	}
}

// notice learns which clouds and other objects an object needs, before anything is run: none of them may go first.
func (c *controller) notice(o object, gone bool) {
	if gone {
		c.engine.departed.add(o.GetUID())
		c.forget(o)
		c.engine.holders.drop(o.GetUID())
		c.engine.ring(c.engine.users.drop(o.GetUID()))
		return
	}
	c.link(o, c.holds(o, func(node) bool { return false }))
	// A run knows better which of the defaults it is, and whether that is for the object.
	clouds, barred := c.engine.users.known(o.GetUID(), cloudsOf(o))
	c.use(o, clouds, barred)
	c.booked(o)
}

// use records which clouds an object uses, or would use if it were not barred.
func (c *controller) use(o object, clouds []cloudKey, barred bool) {
	who := user{node: c.node(o), maker: makerOf(c.node(o), o), marker: markerOf(c.kind, o), clouds: clouds,
		barred: barred, leaving: o.GetDeletionTimestamp() != nil, wake: c.waker(o)}
	c.engine.ring(c.engine.users.set(o.GetUID(), who))
	if c.engine.departed.has(o.GetUID()) {
		c.engine.ring(c.engine.users.drop(o.GetUID()))
	}
}

// The conditions besides Ready.
const (
	conditionSynced  = "Synced"
	conditionDrifted = "Drifted"
)

// bell wakes owners from outside of Kubernetes.
type bell struct {
	mu      sync.Mutex
	waiting map[types.NamespacedName]bool
	signal  chan struct{}
}

func newBell() bell {
	return bell{waiting: map[types.NamespacedName]bool{}, signal: make(chan struct{}, 1)}
}

// wake asks for a run of an owner. It never blocks: the caller may hold the lock of a mirror.
func (b *bell) wake(key types.NamespacedName) {
	b.mu.Lock()
	b.waiting[key] = true
	b.mu.Unlock()
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// ring hands the owners that are to be woken to the kit until ctx ends.
func (b *bell) ring(ctx context.Context, wake func(types.NamespacedName)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.signal:
		}
		b.mu.Lock()
		all := b.waiting
		b.waiting = map[types.NamespacedName]bool{}
		b.mu.Unlock()
		for key := range all {
			wake(key)
		}
	}
}

func (c *controller) waker(o object) func() {
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	return func() { c.bell.wake(key) }
}

// attempts remembers when something was tried last for an object. Of a creation that failed without a word whether it
// took effect, a list that began later tells.
type attempts struct {
	mu   sync.Mutex
	ends map[types.UID]time.Time
}

func (a *attempts) set(uid types.UID, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ends == nil {
		a.ends = map[types.UID]time.Time{}
	}
	a.ends[uid] = at
}

// last returns when the last attempt ended, zero when there was none.
func (a *attempts) last(uid types.UID) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ends[uid]
}

func (a *attempts) done(uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.ends, uid)
}
