package hypervisor

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/nodes"
	"stackwright.dev/stackwright/internal/openstack"
)

// declared are the traits that a block gives its hosts.
func declared(b *fleetv1.BuildingBlock) []string {
	var out []string
	if b != nil {
		for _, t := range b.Spec.Placement.Traits {
			out = append(out, string(t))
		}
	}
	return out
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(t string) bool { return slices.Contains(some, t) })
}

// characterize gives a host what its block declares, and takes from it what that has declared once and does no more.
// Nova does neither soon: it gives again what was taken away when it next asks Placement, within five minutes, and it
// knows the traits of provider.yaml from those that others have set only as long as they are in it. That they are there
// already is all one to it (_get_traits and _merge_provider_configs in nova/compute/resource_tracker.py).
func (c *controller) characterize(ctx context.Context, sc *scope, a api, s *survey, f *facts) *outcome.Outcome {
	o := sc.Owner()
	b, ok := looker(sc.All).first(refBlock).(*fleetv1.BuildingBlock)
	if !ok || b.Paused() {
		return nil
	}
	old := without(o.Status.DeclaredTraits, declared(b))
	take, give := nodes.Both(old, f.room.traits), without(declared(b), f.room.traits)
	since := c.settledSince(o, b)
	if len(take) == 0 && !since.IsZero() && !s.began.Before(since) {
		c.note(o, func(b *book) { b.withdrawn = old })
	}
	if _, known := s.generation[f.machine.ID]; !known || len(take)+len(give) == 0 {
		return nil
	}
	a.lane = openstack.Urgent
	now, err := a.characterize(ctx, f.machine.ID, take, give)
	c.watches.of(cloudOf(o)).forget(f.machine.ID)
	switch {
	case openstack.ClassOf(err) == openstack.Conflict:
		return because("TraitsChange", outcome.Poll(soon, "Placement", "Of host %s the traits %s are not yet as its "+
			"BuildingBlock declares: others change its resource provider at the same time. Wait until they are done.",
			o.Name, strings.Join(append(take, give...), ", ")))
	case err != nil:
		return failed(fmt.Errorf("changing the traits %s of the host: %w", strings.Join(append(take, give...), ", "), err))
	}
	f.room.traits = now
	return nil
}

// settled is since when it is known that no nova-compute of a block gives what it does not declare any more.
type settled struct {
	block      types.UID
	generation int64
	since      time.Time
}

// settledSince is zero as long as a nova-compute may run with what the block has said before: within five minutes it
// gives again what was taken away (resource_provider_association_refresh).
func (c *controller) settledSince(o object, b *fleetv1.BuildingBlock) time.Time {
	now := settled{block: b.UID, generation: b.Generation, since: time.Now()}
	c.note(o, func(k *book) {
		switch {
		case !fleet.Settled(b):
			k.settled = settled{}
		case k.settled.block != now.block || k.settled.generation != now.generation:
			k.settled = now
		}
	})
	return c.book(o).settled.since
}

// given are the traits that are to be remembered: those that the block declares, and those that it has declared and
// that are not known to be gone for good.
func (b book) given(o object, block *fleetv1.BuildingBlock) []string {
	out := append(without(o.Status.DeclaredTraits, b.withdrawn), declared(block)...)
	slices.Sort(out)
	return few(slices.Compact(out), mostTraits)
}

// tries is how often a change of traits is begun anew at once when somebody else was quicker.
const tries = 3

// characterize takes traits from a provider and gives it others, which Placement knows from then on, and returns those
// that it has. Placement takes all of them at once, and refuses with 409 who does not know the provider's generation.
// nova-compute, whose knowledge is older then, is refused likewise and asks again (update_from_provider_tree in
// nova/scheduler/client/report.py).
func (a api) characterize(ctx context.Context, id string, take, give []string) (all []string, err error) {
	for _, t := range give {
		if err := a.do(ctx, openstack.Request{Service: placement, Method: http.MethodPut,
			Path: "traits/" + url.PathEscape(t)}, nil); err != nil {
			return nil, err
		}
	}
	for range tries {
		var now traitList
		if now, err = a.traits(ctx, id); err != nil {
			return nil, err
		}
		slices.Sort(now.Traits)
		all = append(without(now.Traits, take), without(give, now.Traits)...)
		slices.Sort(all)
		if slices.Equal(all, now.Traits) {
			break
		}
		err = a.do(ctx, openstack.Request{Service: placement, Method: http.MethodPut, Path: traitsPath(id),
			Body: traitList{Generation: now.Generation, Traits: all}}, nil)
		if openstack.ClassOf(err) != openstack.Conflict {
			break
		}
	}
	return all, err
}

// traitList are all traits of a provider, with the generation in which it has them.
type traitList struct {
	Generation int64    `json:"resource_provider_generation"`
	Traits     []string `json:"traits"`
}

func traitsPath(id string) string { return "resource_providers/" + url.PathEscape(id) + "/traits" }

func (a api) traits(ctx context.Context, id string) (out traitList, err error) {
	err = a.get(ctx, placement, traitsPath(id), nil, &out)
	return out, err
}
