package hypervisor

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/reconcile"
	"stackwright.dev/kit/step"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
)

const (
	// settle is how long after a host was closed it is looked for servers: a scheduler may have chosen it just before.
	settle = 10 * time.Second
	// emptier is the time between two looks at a host that is to become empty.
	emptier = 15 * time.Second
)

// abandon is how a person gives up what Nova and Placement know of a host.
const abandon = reconcile.AnnotationAbandon + "=" + stepNova

// vacate closes a host to new servers, and then tells whether it has some. Its agents work on until it has none.
func (c *controller) vacate(ctx context.Context, sc *scope, a api) *outcome.Outcome {
	o := sc.Owner()
	s, f, out := c.find(ctx, sc, a, soon)
	if out != nil {
		return out
	}
	if f.recalled {
		// Which servers there were is no word of which there are.
		m, err := a.machine(ctx, f.machine.ID)
		if err != nil {
			c.note(o, func(b *book) { b.vacancy = unknown(b.vacancy) })
			return failed(fmt.Errorf("asking for the servers on the host: %w", err))
		}
		f.machine, f.recalled = m, false
	}
	if f.agent.ID == "" && f.machine.ID == "" {
		return c.conclude(o, fleetv1.Vacant)
	}
	if f.agent.ID != "" && !f.disabled() {
		a.lane = openstack.Urgent
		if err := a.disable(ctx, f.agent.ID, reason(o)); err != nil {
			return failed(fmt.Errorf("closing the host to new servers: %w", err))
		}
		c.watches.of(cloudOf(o)).expire()
		c.note(o, func(b *book) { b.closed = time.Now() })
	}
	b := c.book(o)
	if b.closed.IsZero() {
		b.closed = time.Now()
		if t := o.Status.ClosedSince; t != nil {
			b.closed = t.Time // the operator may never live for as long as a host has to be closed
		}
		c.note(o, func(now *book) { now.closed = b.closed })
	}
	if n := len(f.machine.Servers); n > 0 {
		c.note(o, func(b *book) { b.vacancy = fleetv1.Occupied })
		return because("ServersOnHost", occupied(o, count(n), a.named(ctx, f.machine), looker(sc.All).bereft()))
	}
	if s.began.Before(b.closed.Add(settle)) {
		return because("Closing", outcome.Poll(soon, "Nova", "Host %s is closed to new servers; wait until those that "+
			"were about to come are there.", o.Name))
	}
	return c.promised(ctx, sc, a, f)
}

// occupied tells of servers. From a host that is gone they are evacuated: nobody is there who could send them.
func occupied(o object, count, names string, gone bool) *outcome.Outcome {
	if gone {
		return outcome.Poll(emptier, "servers", "%s on host %s (%s), whose node is gone: move them off with stackwright "+
			"openstack server evacuate SERVER, which Nova does a minute after the host's last word, or delete them.", count,
			o.Name, names)
	}
	return outcome.Poll(emptier, "servers", "%s on host %s (%s): move or delete them.", count, o.Name, names)
}

// promised looks whether Placement has promised room on the host, which it does for servers on their way to it, for
// those that move away, and for others than Nova.
func (c *controller) promised(ctx context.Context, sc *scope, a api, f *facts) *outcome.Outcome {
	o := sc.Owner()
	if f.room.inventories == nil {
		return c.conclude(o, fleetv1.Vacant)
	}
	usages, err := a.usages(ctx, f.machine.ID)
	if err != nil {
		c.note(o, func(b *book) { b.vacancy = fleetv1.VacancyUnknown })
		return failed(fmt.Errorf("asking Placement for promises on the host: %w", err))
	}
	for _, n := range usages {
		if n > 0 {
			c.note(o, func(b *book) { b.vacancy = fleetv1.Occupied })
			return because("RoomPromised", held(o, f.machine.ID, looker(sc.All).bereft()))
		}
	}
	return c.conclude(o, fleetv1.Vacant)
}

// held tells of promises. Those to servers that were evacuated are taken back when the host's nova-compute starts again
// (_destroy_evacuated_instances in nova/compute/manager.py), which that of a host that is gone never does.
func held(o object, id string, gone bool) *outcome.Outcome {
	if gone {
		return outcome.Poll(emptier, "Placement", "Host %[1]s has no servers, and its node is gone, but Placement has "+
			"promised room on it, as it does to servers that were evacuated. See stackwright openstack resource provider show "+
			"--allocations %[2]s, and take back what is promised to servers that are elsewhere: stackwright openstack "+
			"--os-placement-api-version 1.28 resource provider allocation unset --provider %[2]s SERVER.", o.Name, id)
	}
	return outcome.Poll(emptier, "Placement", "Host %s has no servers, but Placement has promised room on it: to servers "+
		"on their way, or in migrations that are not confirmed. See stackwright openstack resource provider show "+
		"--allocations %s.", o.Name, id)
}

func (c *controller) conclude(o object, v fleetv1.Vacancy) *outcome.Outcome {
	c.note(o, func(b *book) { b.vacancy = v })
	again := rest
	if o.DeletionTimestamp != nil {
		again = soon // it may go in the next run
	}
	return because("Leaving", outcome.Poll(again, "BuildingBlock "+o.Spec.Block,
		"Host %s has no servers and leaves BuildingBlock %s; wait, or see the conditions of the block.",
		o.Name, o.Spec.Block))
}

func count(n int) string {
	if n == 1 {
		return "1 server is"
	}
	return fmt.Sprintf("%d servers are", n)
}

// guard keeps a host, with its agents, as long as it has servers or nobody tells whether it has.
func guard(v step.View, o object) string {
	see := looker(v.Referenced)
	if see.forgotten() || !see.leaves(o) {
		return ""
	}
	why := "It is not known yet which servers are on host " + o.Name + "."
	if c := meta.FindStatusCondition(o.Status.Conditions, condition); c != nil && c.Message != "" {
		why = c.Message
	}
	switch {
	case o.Status.Vacancy == fleetv1.Vacant:
		return ""
	case o.Status.Vacancy == fleetv1.Occupied:
		return why
	case reconcile.Abandons(o, stepNova):
		return ""
	}
	return why + " If Nova is gone for good, annotate the object with " + abandon + "."
}

// release takes a host off the books of Nova and Placement when its nova-compute has ended. One whose object alone was
// deleted stays there: its block makes the object again.
func (c *controller) release(ctx context.Context, sc *scope) *outcome.Outcome {
	o, see := sc.Owner(), looker(sc.All)
	if see.forgotten() || !see.leaves(o) || see.first(refCloud) == nil {
		return nil
	}
	a, out := c.dial(sc, openstack.Urgent)
	if out != nil {
		out.Message += " If it is gone for good, annotate the object with " + abandon + "."
		return out
	}
	s, err := c.watches.of(cloudOf(o)).look(ctx, a, soon)
	if err != nil {
		return outcome.FromError(openstack.Outcome(err))
	}
	g, known := s.agents[o.Name]
	if out := silent(o, g, s); out != nil {
		out.Message += " If it is gone for good, annotate the object with " + abandon + "."
		return out
	}
	switch {
	case known && g.up():
		return running(o, see.rival(o))
	case known:
		return c.unregister(ctx, o, a, g)
	}
	return c.unprovide(ctx, sc, a, s)
}

// running waits for the end of nova-compute. That of another block on the same node reports as the same host.
func running(o object, rival string) *outcome.Outcome {
	if rival != "" {
		return outcome.Poll(emptier, "nova-compute", "Waits until nova-compute of host %s has ended, which that of "+
			"BuildingBlock %s keeps up in Nova; take the labels of that block off node %s until this Hypervisor has gone.",
			o.Name, rival, o.Name)
	}
	return outcome.Poll(emptier, "nova-compute", "Waits until nova-compute of host %s has ended: Nova takes it for up "+
		"for a minute after its last word. If it stays longer, see its pod on that node.", o.Name)
}

func (c *controller) unregister(ctx context.Context, o object, a api, g agent) *outcome.Outcome {
	err := a.remove(ctx, g.ID)
	c.watches.of(cloudOf(o)).expire()
	switch openstack.ClassOf(err) {
	case openstack.Conflict:
		return because("ServersOnHost", outcome.Poll(emptier, "Nova", "Nova does not let host %s go yet: %s; move its "+
			"servers, or delete them.", o.Name, err))
	case openstack.NotFound:
		err = nil
	}
	if err != nil {
		return outcome.FromError(openstack.Outcome(fmt.Errorf("deleting nova-compute of host %s from Nova: %w", o.Name, err)))
	}
	return outcome.Poll(soon, "Nova", "Waits until Nova has forgotten host %s; see the log of its API if it does not.",
		o.Name)
}

// unprovide deletes the provider that Nova has left behind.
func (c *controller) unprovide(ctx context.Context, sc *scope, a api, s *survey) *outcome.Outcome {
	id := sc.Cell().ID
	if _, there := s.generation[id]; !there {
		return nil
	}
	err := a.unprovide(ctx, id)
	c.watches.of(cloudOf(sc.Owner())).expire()
	switch openstack.ClassOf(err) {
	case openstack.Conflict:
		return because("RoomPromised", outcome.Poll(emptier, "Placement", "Placement does not let host %s go yet: %s; "+
			"see stackwright openstack resource provider show --allocations %s.", sc.Owner().Name, err, id))
	case openstack.NotFound:
		err = nil
	}
	if err != nil {
		return outcome.FromError(openstack.Outcome(fmt.Errorf("deleting resource provider %s: %w", id, err)))
	}
	return nil
}
