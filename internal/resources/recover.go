package resources

import (
	"context"
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

// awaited notes an object whose step failed because its service did not answer, or because a quota is met.
func (c *controller) awaited(o object, out *outcome.Outcome) *outcome.Outcome {
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	retry := func() { c.retries.wake(key) }
	for _, k := range cloudsOf(o) {
		cl := c.engine.clouds.get(k)
		if cl == nil {
			continue
		}
		fails := out != nil && out.State == outcome.StateFailed
		switch {
		case fails && out.Class == outcome.Quota:
			cl.full.wait(c.kind.Name, o.GetUID(), retry)
		case cl.full.left(c.kind.Name, o.GetUID()) && !fails:
			cl.full.next(c.kind.Name, false)
		}
		if fails && out.Class == outcome.Unavailable {
			cl.recovery.wait(c.kind.Service, o.GetUID(), retry)
		}
		break
	}
	return out
}
