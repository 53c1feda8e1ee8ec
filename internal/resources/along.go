package resources

import (
	"time"

	"stackwright.dev/kit/outcome"
)

// detaching is how long an object whose resource goes with another one, which is deleted too, waits for it to go on its
// own before.
const detaching = 30 * time.Second

// along lets an object go whose resource does not: it goes with another one that is deleted. Nova, for one, asks the
// guest to give a device back, which a guest that hangs never does; the server can be deleted all the same.
func (c *controller) along(sc *scope, out *outcome.Outcome) *outcome.Outcome {
	asked := c.removals.last(sc.Owner().GetUID())
	if out.Ready() || c.kind.GoesWith == "" || asked.IsZero() {
		return out
	}
	for _, o := range sc.All(c.kind.GoesWith) {
		with, ok := o.(object)
		if !ok || with.GetDeletionTimestamp() == nil || !policyOf(c.engine.kinds[c.kind.GoesWith], with.Common()).delete {
			continue
		}
		left := detaching - time.Since(asked)
		if left <= 0 {
			c.forget(sc.Owner())
			return nil
		}
		return outcome.Poll(left, c.kind.GoesWith+" "+with.GetName(), "%s %s %s is deleted, too: it goes with that one when "+
			"it has not gone within %s; wait until then.", out.Message, c.kind.GoesWith, with.GetName(), detaching)
	}
	return out
}
