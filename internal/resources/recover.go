package resources

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
)

// recovery has the objects that wait for a service that did not answer. The pauses between their own attempts grow to
// minutes; once the service answers anybody, all of them try again.
type recovery struct {
	mu      sync.Mutex
	waiting map[string]map[types.UID]func()
}

// wait notes an object that a service did not answer.
func (r *recovery) wait(service string, uid types.UID, retry func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting == nil {
		r.waiting = map[string]map[types.UID]func(){}
	}
	if r.waiting[service] == nil {
		r.waiting[service] = map[types.UID]func(){}
	}
	r.waiting[service][uid] = retry
}

// answered has everybody try again who waits for a service.
func (r *recovery) answered(service string) {
	r.mu.Lock()
	waiting := r.waiting[service]
	delete(r.waiting, service)
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
		l.recovery.answered(r.Service)
	}
	return resp, err
}

// awaited notes an object whose step failed because its service did not answer.
func (c *controller) awaited(o object, out *outcome.Outcome) *outcome.Outcome {
	if out == nil || out.State != outcome.StateFailed || out.Class != outcome.Unavailable {
		return out
	}
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	for _, k := range cloudsOf(o) {
		if cl := c.engine.clouds.get(k); cl != nil {
			cl.recovery.wait(c.kind.Service, o.GetUID(), func() { c.retries.wake(key) })
			break
		}
	}
	return out
}
