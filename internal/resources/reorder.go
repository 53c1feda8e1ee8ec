package resources

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/resources/body"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// untaken is how long nobody may take an order before it counts as lost. Each order that is lost doubles it, up to
// untakenMost, so that a service that has more to do than it can is not given the same work again and again.
const (
	untaken     = 30 * time.Second
	untakenMost = time.Hour
)

// orders are the resources that were ordered and not taken.
type orders struct {
	mu  sync.Mutex
	all map[types.UID]order
}

type order struct {
	id    string
	since time.Time
	lost  int
}

// open notes an order that nobody has taken and returns what is known of it.
func (o *orders) open(uid types.UID, id string, now time.Time) order {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[types.UID]order{}
	}
	x := o.all[uid]
	if x.id != id {
		x.id, x.since = id, now
	}
	o.all[uid] = x
	return x
}

func (o *orders) lose(uid types.UID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.all[uid]
	x.lost++
	o.all[uid] = x
}

func (o *orders) done(uid types.UID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.all, uid)
}

// reorder gives the order for a resource again that nobody takes; out is what its state amounts to. There is nothing of
// the resource yet, so nothing is lost by its deletion, and a service that comes back to the first order finds it gone.
func (c *controller) reorder(ctx context.Context, sc *scope, t *target, seen map[string]any,
	out *outcome.Outcome) *outcome.Outcome {
	o, sign := sc.Owner(), t.kind.State.Untaken
	if sign.Path == "" {
		return out
	}
	shown, _ := body.At(seen, sign.Path).(string)
	if shown != sign.Value || waitsFor(out) == mirror.Steady {
		c.orders.done(o.GetUID())
		return out
	}
	p := policyOf(t.kind, o.Common())
	if !p.create || !p.delete || o.Common().Import != nil {
		return out
	}
	id := bare(t.kind, sc.Cell().ID)
	x := c.orders.open(o.GetUID(), id, time.Now())
	patience := min(untaken<<min(x.lost, 10), untakenMost)
	if left := patience - time.Since(x.since); left > 0 {
		return outcome.Poll(left, t.kind.Name, "Waits until somebody takes the order for the %s, which is in state %s. "+
			"If that takes longer than %s, the order is given again.", t.kind.Name, shown, patience)
	}
	if err := t.remove(ctx, id); err != nil {
		return failed(fmt.Errorf("deleting the %s that nobody makes, to order it again: %w", t.kind.Name, err))
	}
	c.orders.lose(o.GetUID())
	// Nova forgets it at once and shows it in no list of what was deleted.
	if _, _, err := t.ask(ctx, id); err != nil {
		return failed(err)
	}
	sc.Cell().ID = ""
	return outcome.Poll(time.Second, t.kind.Name,
		"The order for the %s %s was lost: nobody took it for %s. It is given again.", t.kind.Name, id, patience)
}
