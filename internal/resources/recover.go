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
// between their own attempts grow to minutes; once it is over, all of them try again.
type recovery struct {
	mu      sync.Mutex
	waiting map[string]map[types.UID]func()
}

// wait notes an object that waits for what on names.
func (r *recovery) wait(on string, uid types.UID, retry func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[string]map[types.UID]func(){}
	}
	if r.waiting[on] == nil {
		r.waiting[on] = map[types.UID]func(){}
	}
	r.waiting[on][uid] = retry
}

// all is what somebody waits for.
func (r *recovery) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.waiting))
}

// left forgets an object that does not wait for it any more.
func (r *recovery) left(on string, uid types.UID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.waiting[on], uid)
}

// over has everybody try again who waits for it.
func (r *recovery) over(on string) {
	r.mu.Lock()
	waiting := r.waiting[on]
	delete(r.waiting, on)
	r.mu.Unlock()
	for _, retry := range waiting {
		retry()
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
		l.recovery.over(r.Service)
	}
	return resp, err
}

// otherCredentials is what everybody waits for who was denied something: nothing else changes that at a known time.
const otherCredentials = "credentials"

// renewed has all try again who were refused what another session may be given.
func (c *cloud) renewed() {
	for _, on := range c.recovery.all() {
		c.recovery.over(on)
	}
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
	case fails && out.Class == outcome.Denied:
		cl.recovery.wait(otherCredentials, o.GetUID(), retry)
	}
	return out
}
