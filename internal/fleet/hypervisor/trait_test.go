package hypervisor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// declare has the block of the host declare traits, and nothing else of it change.
func declare(p *kittest.Play, traits ...any) { p.Change(block, "spec.placement.traits", traits) }

// restarted has the block say that nova-compute of all hosts runs with what it declares now.
func restarted(p *kittest.Play) {
	b := p.Object(block)
	ready := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"ComputeReady","status":"True","reason":"Ready",
		"message":"","lastTransitionTime":"2026-11-22T00:00:00Z","observedGeneration":%d}]}}`, b.GetGeneration())
	servicetest.Must(p.T, p.Client.Status().Patch(p.T.Context(), b, client.RawPatch(types.MergePatchType, ready)))
}

// gives adds traits to the host's provider, as nova-compute and people do.
func gives(h *hall, traits ...string) {
	h.with("node-1", func(o *host) {
		o.traits = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.traits, traits))))
		o.generation++
	})
}

// has fails unless the host has just those traits besides one that Nova has found out.
func has(p *kittest.Play, h *hall, want ...string) {
	p.T.Helper()
	got := slices.Sorted(slices.Values(h.host("node-1").traits))
	if want = append(want, "HW_CPU_X86_AVX"); !slices.Equal(got, want) {
		p.T.Errorf("the host has the traits %v, want %v", got, want)
	}
}

// known are the traits that the host is known to have been given by its block.
func known(p *kittest.Play) string {
	return strings.Trim(fmt.Sprint(field[[]any](p, "declaredTraits")), "[]")
}

// declared is a host that its block has given two traits, and a person a third one.
func declared(p *kittest.Play, h *hall) {
	declare(p, "CUSTOM_RED", "CUSTOM_GOLD")
	gives(h, "CUSTOM_RED", "CUSTOM_HAND")
	p.Pass(61 * time.Second)
}

// A trait that is declared no more is taken from the host, and no other one is. A nova-compute that still runs with
// what was declared gives it again; once none does, the trait is anybody's.
func TestWithdrawsTraits(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		declared(p, h)
		restarted(p)
		p.Pass(2 * time.Minute)
		if got := known(p); got != "CUSTOM_GOLD CUSTOM_RED" {
			t.Errorf("known are %s", got)
		}
		declare(p, "CUSTOM_GOLD")
		p.Pass(10 * time.Second)
		has(p, h, "CUSTOM_GOLD", "CUSTOM_HAND")
		if got := fmt.Sprint(field[[]any](p, "traits")); got != "[CUSTOM_GOLD CUSTOM_HAND HW_CPU_X86_AVX]" {
			t.Errorf("status has the traits %s", got)
		}
		p.Ready()
		gives(h, "CUSTOM_RED")
		p.Pass(2 * time.Minute)
		has(p, h, "CUSTOM_GOLD", "CUSTOM_HAND")
		if got := known(p); got != "CUSTOM_GOLD CUSTOM_RED" {
			t.Errorf("known are %s while hosts are not restarted", got)
		}
		gives(h, "CUSTOM_RED")
		restarted(p)
		p.Pass(3 * time.Minute)
		has(p, h, "CUSTOM_GOLD", "CUSTOM_HAND")
		if got := known(p); got != "CUSTOM_GOLD" {
			t.Errorf("known are %s when all is done", got)
		}
		gives(h, "CUSTOM_RED")
		p.Pass(5 * time.Minute)
		has(p, h, "CUSTOM_GOLD", "CUSTOM_HAND", "CUSTOM_RED")
	})
}

// loses takes traits from the host's provider, as people do.
func loses(h *hall, traits ...string) {
	h.with("node-1", func(o *host) {
		o.traits = slices.DeleteFunc(slices.Clone(o.traits), func(t string) bool { return slices.Contains(traits, t) })
		o.generation++
	})
}

// A trait that is declared comes back within a minute to a host that it was taken from, also when Placement knows it no
// more. Others are left to who sets them. Two at a time are one change.
func TestRestoresTraits(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		declared(p, h)
		loses(h, "CUSTOM_RED", "CUSTOM_HAND")
		h.mu.Lock()
		h.unmade = []string{"CUSTOM_RED"}
		h.mu.Unlock()
		p.Pass(61 * time.Second)
		has(p, h, "CUSTOM_GOLD", "CUSTOM_RED")
		if got := fmt.Sprint(field[[]any](p, "traits")); got != "[CUSTOM_GOLD CUSTOM_RED HW_CPU_X86_AVX]" {
			t.Errorf("status has the traits %s", got)
		}
		p.Ready()
		h.asked()
		declare(p, "CUSTOM_GOLD", "CUSTOM_BLUE")
		p.Pass(10 * time.Second)
		has(p, h, "CUSTOM_BLUE", "CUSTOM_GOLD")
		n := 0
		for _, what := range h.asked() {
			if what == "PUT resource_providers/ID/traits" {
				n++
			}
		}
		if n != 1 {
			t.Errorf("traits are set %d times", n)
		}
	})
}

// What was declared is remembered by the object: an operator that has not seen the change takes the trait away, too.
func TestWithdrawsTraitsAfterARestart(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		declared(p, h)
		p.Stop()
		declare(p)
		p.Start()
		p.Pass(time.Minute)
		has(p, h, "CUSTOM_HAND")
	})
}

// A block that is paused is left as it is, with its hosts.
func TestAPausedBlockKeepsTraits(t *testing.T) {
	play(t, func(p *kittest.Play, h *hall) {
		declared(p, h)
		p.Change(block, "spec.paused", true)
		declare(p)
		p.Pass(5 * time.Minute)
		has(p, h, "CUSTOM_GOLD", "CUSTOM_HAND", "CUSTOM_RED")
		p.Change(block, "spec.paused", false)
		p.Pass(2 * time.Minute)
		has(p, h, "CUSTOM_HAND")
	})
}

// Placement refuses who does not know its last word. It is asked again, and a host of which it has a new one each
// time says so.
func TestPlacementHasChangedMeanwhile(t *testing.T) {
	for late, at := range map[int]time.Duration{1: 5 * time.Second, 4: 15 * time.Second} {
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			play(t, func(p *kittest.Play, h *hall) {
				declared(p, h)
				h.mu.Lock()
				h.late = late
				h.mu.Unlock()
				declare(p, "CUSTOM_RED")
				p.Pass(time.Second)
				if late > 3 {
					says(p, "TraitsChange", "CUSTOM_GOLD", "host node-1")
				}
				p.Pass(at)
				has(p, h, "CUSTOM_HAND", "CUSTOM_RED")
				p.Ready()
			})
		})
	}
}

// withdrawal is a trait that is declared, and then is no more.
func withdrawal(p *kittest.Play) {
	declared(p, hallOf(p))
	p.Settle() // who was killed is started again
	declare(p, "CUSTOM_RED")
	p.Settle()
	restarted(p)
	for range 2 {
		p.Pass(61 * time.Second)
		p.Settle()
	}
	has(p, hallOf(p), "CUSTOM_HAND", "CUSTOM_RED")
	if got := known(p); got != "CUSTOM_RED" {
		p.T.Errorf("known are %s", got)
	}
}
