package resources

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// settling tells whether a resource was ordered and is not known to be made.
func settling(sc *scope, k *d.Kind) bool {
	return k.State.Settles.Path != "" && sc.Cell().Operation == opFinish
}

// settled waits for a resource that was ordered until another one shows that it is made; out is what its own state
// amounts to. It is asked until then and never again.
func (c *controller) settled(ctx context.Context, sc *scope, t *target, out *outcome.Outcome) *outcome.Outcome {
	s := t.kind.State.Settles
	if out != nil || !settling(sc, t.kind) {
		return out
	}
	path, missing := body.Path(s.Path, t.wanted)
	if missing != "" {
		return nil
	}
	answer, err := t.request(ctx, asked{service: s.Service, method: http.MethodGet, path: path})
	if class := openstack.ClassOf(err); class == openstack.Auth || class == openstack.NotFound {
		return nil // who may not see it cannot know more
	}
	if err != nil {
		return failed(fmt.Errorf("asking whether the %s is made: %w", t.kind.Name, err))
	}
	now, _ := body.At(answer, s.Field).(string)
	if slices.Contains(s.Ready, now) {
		c.orders.done(sc.Owner().GetUID())
		return nil
	}
	return outcome.Poll(quick, t.kind.Name, "Waits until the %s is made: %s is %s; see the log of service %s if "+
		"that lasts.", t.kind.Name, s.Field, now, t.kind.Service)
}

// reasonGivenUp tells that a resource went before it was made.
const reasonGivenUp = "GivenUp"

// forgone is how long nobody orders a resource that was given up; each time makes the next four times as long.
const forgone = 5 * time.Second

// giveUp notes that a resource went before it was made.
func (o *orders) giveUp(uid types.UID, now time.Time) {
	x := o.open(uid, reasonGivenUp, now)
	o.mu.Lock()
	defer o.mu.Unlock()
	x.since = now
	x.lost++
	o.all[uid] = x
}

// abstain waits before a resource is ordered again that was given up.
func (c *controller) abstain(uid types.UID, k *d.Kind) *outcome.Outcome {
	if k.State.Settles.Path == "" {
		return nil
	}
	x := c.orders.last(uid)
	left := x.patience(forgone) - time.Since(x.since)
	if x.lost == 0 || left <= 0 {
		return nil
	}
	out := outcome.Poll(left, k.Name, "The %s was given up before it was made; %s. Mend that, or wait: it is ordered "+
		"again %s after that.",
		k.Name, k.State.Settles.Advice, x.patience(forgone))
	out.Reason = reasonGivenUp
	return out
}
