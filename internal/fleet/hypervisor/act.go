package hypervisor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
)

// facts are what Nova and Placement say of one host.
type facts struct {
	agent
	machine    machine
	aggregates []string
	room       room
	// recalled says that the machine is as it was seen last.
	recalled bool
}

// ours begins the reasons of hosts that we have closed. Those that a person has closed stay so.
const ours = "stackwright: "

func reason(o object) string { return ours + "leaves BuildingBlock " + o.Spec.Block }

// act looks at a host, and closes one that is to leave.
func (c *controller) act(ctx context.Context, sc *scope) *outcome.Outcome {
	o, see := sc.Owner(), looker(sc.All)
	c.note(o, func(b *book) { b.withdrawn = nil })
	if see.forgotten() {
		c.note(o, func(b *book) { *b = book{} })
		return because("NoNova", outcome.Wait("NovaCell "+o.Spec.Cell, "NovaCell %s is deleted, and there is no Nova in "+
			"namespace %s. Delete BuildingBlock %s, or make them again.", o.Spec.Cell, o.Namespace, o.Spec.Block))
	}
	leaves := see.leaves(o)
	if leaves {
		// What is known of servers, before anybody is asked: who gives up a host waits until somebody was.
		c.note(o, func(b *book) { b.vacancy = cmp.Or(b.vacancy, o.Status.Vacancy, fleetv1.VacancyUnknown) })
	}
	a, out := c.dial(sc, openstack.Drift)
	if out != nil {
		return out
	}
	if leaves {
		return c.vacate(ctx, sc, a)
	}
	c.note(o, func(b *book) { b.closed, b.vacancy = time.Time{}, "" })
	age := rest - time.Second
	if waits(o) {
		age = soon
	}
	s, f, out := c.find(ctx, sc, a, age)
	if out != nil {
		return out
	}
	if f.disabled() && f.Reason == reason(o) {
		// A person may have closed it meanwhile.
		if s, f, out = c.find(ctx, sc, a, 0); out != nil {
			return out
		}
	}
	if f.disabled() && f.Reason == reason(o) {
		a.lane = openstack.Urgent
		if err := a.disable(ctx, f.agent.ID, ""); err != nil {
			return failed(fmt.Errorf("opening the host to new servers: %w", err))
		}
		c.watches.of(cloudOf(o)).expire()
		return outcome.Poll(soon, "Nova", "Host %s is opened to new servers again; wait until Nova says so.",
			o.Name)
	}
	if out := f.verdict(o, s); out != nil {
		return out
	}
	return c.characterize(ctx, sc, a, s, f)
}

// dial leads to the cloud of a host.
func (c *controller) dial(sc *scope, lane openstack.Lane) (api, *outcome.Outcome) {
	o := sc.Owner()
	door := c.clouds.Door(cloudOf(o))
	if door == nil {
		c.note(o, func(b *book) { b.vacancy = unknown(b.vacancy) })
		return api{}, outcome.Wait("Cloud "+o.Spec.Cloud,
			"Waits until Cloud %s is there and ready; its conditions say why it is not.", o.Spec.Cloud)
	}
	return api{Door: door, lane: lane, owner: o.Namespace}, nil
}

// find looks for a host, and notes what it sees.
func (c *controller) find(ctx context.Context, sc *scope, a api, age time.Duration) (*survey, *facts,
	*outcome.Outcome) {
	o := sc.Owner()
	w := c.watches.of(cloudOf(o))
	s, err := w.look(ctx, a, age)
	if err != nil {
		c.note(o, func(b *book) { b.vacancy = unknown(b.vacancy) })
		return nil, nil, failed(err)
	}
	f := &facts{agent: s.agents[o.Name], machine: s.machines[o.Name], aggregates: s.aggregates[o.Name]}
	if f.recalled = s.blind != nil; f.recalled {
		f.machine = c.recall(o, f.agent)
	}
	out := silent(o, f.agent, s)
	if out == nil && f.recalled && f.machine.ID == "" {
		out = failed(s.blind)
	}
	if out != nil {
		c.note(o, func(b *book) { b.vacancy = unknown(b.vacancy) })
		return nil, nil, out
	}
	if id := f.machine.ID; id != "" {
		sc.Cell().ID = id
		if _, known := s.generation[id]; known {
			if f.room, err = w.measure(ctx, a, s, f.machine); err != nil {
				c.note(o, func(b *book) { b.vacancy = unknown(b.vacancy) })
				return nil, nil, failed(err)
			}
		}
	}
	c.note(o, func(b *book) { b.facts = f })
	return s, f, nil
}

// recall is what was seen last of a machine that Nova does not list. One that was mapped is, as long as nova-compute is
// the one that it was: Nova takes the mapping away with it.
func (c *controller) recall(o object, a agent) machine {
	if a.ID == "" || a.ID != o.Status.Service.ID {
		return machine{}
	}
	if f := c.book(o).facts; f != nil && f.machine.ID == o.Status.ID {
		return f.machine
	}
	return machine{ID: o.Status.ID}
}

// silent is the outcome for a host of which Nova tells nothing because its cell does not answer, as far as it knows.
func silent(o object, a agent, s *survey) *outcome.Outcome {
	switch {
	case a.unknown():
		return because("CellDown", outcome.Poll(emptier, "NovaCell "+o.Spec.Cell, "Nova does not reach the cell of host %s, "+
			"and tells nothing of it. See kubectl -n %s describe novacell/%s.", o.Name, o.Namespace, o.Spec.Cell))
	case a.ID == "" && s.blind != nil:
		return failed(s.blind)
	}
	return nil
}

// unknown is the vacancy of a host that is to leave, and of which nobody tells any more. One that was vacant is: it is
// closed.
func unknown(v fleetv1.Vacancy) fleetv1.Vacancy {
	if v == fleetv1.Occupied {
		return fleetv1.VacancyUnknown
	}
	return v
}

// verdict tells whether servers can be scheduled to a host. One that a person has closed is well.
func (f *facts) verdict(o object, s *survey) *outcome.Outcome {
	_, provided := s.generation[f.machine.ID]
	switch {
	case f.agent.ID == "":
		return awaited(o, "NotRegistered", "Nova does not know host %s yet: nova-compute registers when it starts. See "+
			"kubectl -n %s describe buildingblock/%s and the log of nova-compute on the host.", o.Name, o.Namespace,
			o.Spec.Block)
	case f.machine.ID == "":
		return awaited(o, "NotMapped", "Nova has not mapped host %s into its cell yet. The scheduler looks for new hosts "+
			"every 10 s; if it does not, see its log.", o.Name)
	case !f.up():
		return awaited(o, "ServiceDown", "nova-compute of host %s does not report to Nova. See its log on the host, and "+
			"that clocks agree; if the log stands still, delete its pod: servers run on.", o.Name)
	case !provided || f.room.inventories["VCPU"].Total == 0:
		return awaited(o, "NoInventory", "Placement does not know yet what host %s has: nova-compute tells it. See its log "+
			"on the host.", o.Name)
	}
	return nil
}

// patience is for how long what a host lacks is looked for often.
const patience = 10 * time.Minute

// waits tells whether something is awaited of a host, and has not been for so long that nobody expects it any more.
func waits(o object) bool {
	s := o.KitStatus().Find(stepNova)
	return s == nil || s.State != owner.StepDone && time.Since(s.Since.Time) < patience
}

// awaited looks again soon; after a while, no more often than at others.
func awaited(o object, why, format string, args ...any) *outcome.Outcome {
	again := rest
	if waits(o) {
		again = soon
	}
	return because(why, outcome.Poll(again, "Nova", format, args...))
}

func because(why string, out *outcome.Outcome) *outcome.Outcome {
	out.Reason = why
	return out
}

// failed waits for a cloud that did not answer. Its hosts share their looks, so that they need no pauses that grow.
func failed(err error) *outcome.Outcome {
	of := outcome.FromError(openstack.Outcome(err))
	out := outcome.Poll(max(of.After, emptier), "Nova and Placement", "%s", of.Message)
	out.Reason, out.Detail = cmp.Or(of.Reason, of.Class.String()), of.Detail
	return out
}

// few are the first names.
func few(names []string, most int) []string { return slices.Clone(names[:min(len(names), most)]) }
