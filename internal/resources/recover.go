package resources

import (
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
)

// recovery has the objects that wait for something that lasts, such as a service that does not answer. The pauses
// between their own attempts grow to minutes; once it is over, all of them try again. A service may answer some
// requests and fail others for hours: whom an answer has woken in vain has the next pause for itself, unless somebody
// who waited gets what he wanted.
type recovery struct {
	mu      sync.Mutex
	waiting map[string]waiters
}

// waiters are objects with what has them try again: those that an answer wakes, those that it woke since they failed,
// and those that it woke in vain before they failed last.
type waiters struct{ fresh, woken, vain map[types.UID]func() }

// wait notes an object that has failed for what on names.
func (r *recovery) wait(on string, uid types.UID, retry func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w, known := r.waiting[on]
	if !known {
		w = waiters{map[types.UID]func(){}, map[types.UID]func(){}, map[types.UID]func(){}}
		if r.waiting == nil {
			r.waiting = map[string]waiters{}
		}
		r.waiting[on] = w
	}
	into := w.fresh
	if w.woken[uid] != nil {
		into = w.vain
	}
	w.left(uid)
	into[uid] = retry
}

// left forgets an object, and says whether it was there.
func (w waiters) left(uid types.UID) bool {
	n := len(w.fresh) + len(w.woken) + len(w.vain)
	delete(w.fresh, uid)
	delete(w.woken, uid)
	delete(w.vain, uid)
	return n > len(w.fresh)+len(w.woken)+len(w.vain)
}

// left forgets an object that does not wait for it any more, and says whether it did.
func (r *recovery) left(on string, uid types.UID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waiting[on].left(uid)
}

// forget forgets an object that is gone.
func (r *recovery) forget(uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.waiting {
		w.left(uid)
	}
}

// answered has those try again whom no answer has woken since they failed by their own pause.
func (r *recovery) answered(on string) {
	r.mu.Lock()
	w := r.waiting[on]
	due := maps.Clone(w.fresh)
	maps.Copy(w.woken, due)
	clear(w.fresh)
	r.mu.Unlock()
	for _, retry := range due {
		retry()
	}
}

// over has everybody try again who waits for it.
func (r *recovery) over(on string) {
	r.mu.Lock()
	w := r.waiting[on]
	delete(r.waiting, on)
	r.mu.Unlock()
	for _, some := range []map[types.UID]func(){w.fresh, w.woken, w.vain} {
		for _, retry := range some {
			retry()
		}
	}
}

// renewed has all try again: they were refused what another session may be given.
func (r *recovery) renewed() {
	r.mu.Lock()
	all := slices.Collect(maps.Keys(r.waiting))
	r.mu.Unlock()
	for _, on := range all {
		r.over(on)
	}
}

// listening is a door that tells a recovery which services answer.
type listening struct {
	Door
	recovery *recovery
}

// Do implements Door.
func (l listening) Do(ctx context.Context, r openstack.Request) (*openstack.Response, error) {
	resp, err := l.Door.Do(ctx, r)
	if err == nil {
		l.recovery.answered(r.Service)
	}
	return resp, err
}

// otherCredentials is what everybody waits for who was denied something: nothing else changes that at a known time.
const otherCredentials = "credentials"

// renewed has all try again who were refused what another session may be given.
func (c *cloud) renewed() {
	c.recovery.renewed()
	c.full.end()
}

// cloudFor is the cloud that an object is in, as far as it is open.
func (c *controller) cloudFor(o object) *cloud {
	for _, k := range cloudsOf(o) {
		if cl := c.engine.clouds.get(k); cl != nil {
			return cl
		}
	}
	return nil
}

// awaited notes an object whose step failed because its service did not answer, or because a quota is met or the
// credentials may not. was is the cloud before the step: when another session has taken its place meanwhile, what it
// refused says nothing.
func (c *controller) awaited(o object, was *cloud, out *outcome.Outcome) *outcome.Outcome {
	cl := c.cloudFor(o)
	if cl == nil {
		return out
	}
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	retry := func() { c.retries.wake(key) }
	fails := out != nil && out.State == outcome.StateFailed
	switch {
	case fails && out.Class == outcome.Quota:
		cl.full.wait(c.kind.Name, o.GetUID(), retry)
	case cl.full.left(c.kind.Name, o.GetUID()) && !fails:
		cl.full.next(c.kind.Name, false)
	}
	cl.recovery.left(otherCredentials, o.GetUID())
	switch {
	case fails && was != nil && was != cl:
		retry()
	case fails && out.Class == outcome.Unavailable:
		cl.recovery.wait(c.kind.Service, o.GetUID(), retry)
	case out.Ready() && cl.recovery.left(c.kind.Service, o.GetUID()):
		cl.recovery.over(c.kind.Service)
	case fails && out.Class == outcome.Denied:
		cl.recovery.wait(otherCredentials, o.GetUID(), retry)
	}
	if c.engine.departed.has(o.GetUID()) {
		cl.recovery.forget(o.GetUID())
	}
	return out
}
