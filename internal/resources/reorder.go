package resources

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// untaken and unleft are how long nobody may take an order before it counts as lost: one to make a resource, which has
// nothing to do before that, and one to delete it. unmade is how long people may look at a resource that could not be
// made before it is ordered again. Each one that is lost makes the next four times as long, up to
// patienceMost, so that a service that has more to do than it can is not given the same work again and again.
const (
	untaken      = 30 * time.Second
	unleft       = 45 * time.Second
	unmade       = 15 * time.Second
	patienceMost = time.Hour
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

func (x order) patience(first time.Duration) time.Duration {
	return min(first<<min(2*x.lost, 10), patienceMost)
}

func shows(seen map[string]any, sign d.Sign) bool {
	if sign.Path == "" {
		return false
	}
	if sign.Value == "" {
		value, there := seen[sign.Path]
		return there && value == nil
	}
	return fmt.Sprint(body.At(seen, sign.Path)) == sign.Value
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

// last is what is known of the order for an object's resource.
func (o *orders) last(uid types.UID) order {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[uid]
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
	if out.Ready() {
		c.orders.done(o.GetUID())
		return nil
	}
	p := policyOf(t.kind, o.Common())
	if !p.create || !p.delete || o.Common().Import != nil {
		return out
	}
	if waitsFor(out) == mirror.Steady {
		return c.remake(ctx, sc, t, seen, out)
	}
	if !shows(seen, sign) {
		return out
	}
	id := bare(t.kind, sc.Cell().ID)
	x := c.orders.open(o.GetUID(), id, time.Now())
	patience := x.patience(untaken)
	if left := patience - time.Since(x.since); left > 0 {
		return outcome.Poll(left, t.kind.Name, "Waits until somebody takes the order for the %s, which is in state %s; "+
			"see the log of service %s. If that takes longer than %s, the order is given again.", t.kind.Name,
			cmp.Or(sign.Value, state(t.kind, seen)), t.kind.Service, patience)
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
		"The order for the %s %s was lost: nobody took it for %s; wait, it is given again.", t.kind.Name, id, patience)
}

// remake orders a resource again that could not be made, once people have had time to see what out says of it. What
// lasts, such as a lack of hosts, is tried ever more seldom.
func (c *controller) remake(ctx context.Context, sc *scope, t *target, seen map[string]any,
	out *outcome.Outcome) *outcome.Outcome {
	uid, s := sc.Owner().GetUID(), t.kind.State
	if !slices.Contains(s.Error, state(t.kind, seen)) || !shows(seen, s.Unmade) || carries(t.wanted, s.UnmadeTakes) {
		return out
	}
	id := bare(t.kind, sc.Cell().ID)
	x := c.orders.open(uid, id, time.Now())
	patience := x.patience(unmade)
	left := patience - time.Since(x.since)
	first := c.removals.last(uid).IsZero()
	if left > 0 && first {
		says, _, _ := strings.Cut(out.Message, "; repair it")
		again := outcome.Fail(out.Class, fmt.Errorf("%s; mend that, or wait: nothing of it was made, so it is deleted and "+
			"ordered again %s after that", says, patience))
		again.After = left
		return again
	}
	gone := c.removed(ctx, sc, t, id)
	if first && (gone == nil || !c.removals.last(uid).IsZero()) { // what a service refused was not given
		c.orders.lose(uid)
	}
	if gone != nil {
		return gone
	}
	return c.anew(sc, t)
}

// carries tells whether a member of that name is true anywhere in what is declared.
func carries(declared any, name string) bool {
	switch v := declared.(type) {
	case map[string]any:
		for k, member := range v {
			if yes, _ := member.(bool); yes && k == name || carries(member, name) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return carries(e, name) })
	}
	return false
}

// unstick lets a resource be deleted once more that has been leaving for long, and returns when to look again.
func (c *controller) unstick(ctx context.Context, o object, t *target, id string, seen map[string]any) (time.Duration,
	error) {
	uid, sign := o.GetUID(), t.kind.State.Leaving
	if sign.Path == "" {
		return removeAgain, nil
	}
	asked := c.removals.last(uid)
	if asked.IsZero() {
		return c.orders.last(uid).patience(unleft), nil
	}
	patience := c.orders.open(uid, "", asked).patience(unleft)
	if !shows(seen, sign) {
		return patience, nil
	}
	if left := patience - time.Since(asked); left > 0 {
		return left, nil
	}
	err := ignoreAbsent(t.answer(ctx, id, t.kind.State.Release))
	if openstack.ClassOf(err) == openstack.Auth {
		return removeAgain, nil // users may not; an administrator has to
	}
	if err != nil {
		return 0, fmt.Errorf("letting the %s be deleted again, which has been leaving for long: %w", t.kind.Name, err)
	}
	c.orders.lose(uid)
	c.removals.done(uid)
	return 2 * patience, nil
}
