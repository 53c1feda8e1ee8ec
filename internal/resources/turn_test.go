package resources

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/owner"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

func named(i int) types.NamespacedName { return types.NamespacedName{Name: fmt.Sprint(i)} }

// The objects of one cloud hold some of the workers, those of a slow one hold one, and others are not concerned.
func TestTurns(t *testing.T) {
	var turns turns
	hangs, fine, now := "hangs", "fine", time.Now()
	for i := range 100 {
		if turns.take(hangs, named(i), openstack.Urgent, now) != (i < atOnce) {
			t.Errorf("run %d of one cloud", i)
		}
	}
	if !turns.take(fine, named(0), openstack.Urgent, now) {
		t.Error("an object of another cloud has to wait")
	}
	now = now.Add(time.Minute)
	for i := range atOnce {
		next := turns.done(hangs, named(i), now)
		want := 0
		if i == atOnce-1 {
			want = atOnce // nobody runs any more, so nobody is slow
		}
		if len(next) != want || want > 0 && next[0] != named(atOnce) {
			t.Errorf("after the end of run %d the next are %v, want %d", i, next, want)
		}
	}
	turns.done(fine, named(0), now)
	if len(turns.lanes) != 1 {
		t.Errorf("there are %d lanes, want that of the cloud for which objects wait", len(turns.lanes))
	}
}

// Of few workers and of many, the objects of one cloud hold a third, and one at least.
func TestTurnsOfOtherNumbers(t *testing.T) {
	for workers, want := range map[int]int{0: 8, 1: 1, 2: 1, 24: 8, 60: 20} {
		e := New([]*d.Kind{{Name: "Thing"}}, nil)
		e.Workers = workers
		c := e.controller("Thing")
		if got := c.definition().Options.Workers; got != cmp.Or(workers, Workers) {
			t.Errorf("there are %d workers, want %d", got, workers)
		}
		n := 0
		for c.turns.take("cloud", named(n), openstack.Urgent, time.Now()) {
			n++
		}
		if n != want {
			t.Errorf("of %d workers the objects of one cloud hold %d, want %d", workers, n, want)
		}
	}
}

// All get their turn, one after the other, and each once.
func TestTurnsAreFair(t *testing.T) {
	var turns turns
	c, now, seen := "cloud", time.Now(), map[types.NamespacedName]int{}
	var running []types.NamespacedName
	for i := range 50 {
		if turns.take(c, named(i), openstack.Urgent, now) {
			running = append(running, named(i))
		}
		turns.take(c, named(49), openstack.Urgent, now) // whoever asks twice waits once
	}
	for len(running) > 0 {
		key := running[0]
		seen[key]++
		running = running[1:]
		for _, next := range turns.done(c, key, now) {
			if turns.take(c, next, openstack.Urgent, now) {
				running = append(running, next)
			}
		}
	}
	if len(seen) != 50 || seen[named(49)] != 1 || len(turns.lanes) != 0 {
		t.Errorf("%d objects ran, the last %d times; %d lanes are left", len(seen), seen[named(49)], len(turns.lanes))
	}
}

// Those who wait get their turn although those who were woken before them do not exist any more.
func TestTurnsOutliveDeletions(t *testing.T) {
	var turns turns
	now, left := time.Now(), 100
	for i := range left {
		turns.take("cloud", named(i), openstack.Urgent, now)
	}
	if !turns.look("cloud") || turns.look("cloud") {
		t.Error("not one has to look again")
	}
	for i := range atOnce {
		left -= len(turns.done("cloud", named(i), now))
	}
	for range 100 {
		now = now.Add(again)
		next, more := turns.next("cloud", now)
		if left -= len(next); !more {
			break
		}
	}
	if left != atOnce || len(turns.lanes) != 0 {
		t.Errorf("%d were never woken, %d lanes are left", left-atOnce, len(turns.lanes))
	}
}

// Who was woken keeps its place until it comes: others who ask in the meantime are behind it.
func TestWokenKeepTheirPlace(t *testing.T) {
	var turns turns
	now := time.Now()
	for i := range atOnce + 1 {
		turns.take("cloud", named(i), openstack.Urgent, now)
	}
	if next := turns.done("cloud", named(0), now); len(next) != 1 || next[0] != named(atOnce) {
		t.Fatalf("the next are %v, want the one who waits", next)
	}
	if turns.take("cloud", named(0), openstack.Urgent, now) {
		t.Error("who has just run takes the place of the one who was woken")
	}
	if !turns.take("cloud", named(atOnce), openstack.Urgent, now) {
		t.Error("who was woken has to wait once more")
	}
}

// crowd plays runs that take half a second each on the workers of a kind, and returns when the last of each namespace
// has run.
func crowd(turns *turns, objects []types.NamespacedName, urgency func(types.NamespacedName) openstack.Lane,
) map[string]time.Duration {
	const long = 500 * time.Millisecond
	begin, ended := time.Now(), map[string]time.Duration{}
	queue, running := objects, []types.NamespacedName{}
	for now := begin; len(queue) > 0 || len(running) > 0; now = now.Add(long) {
		var woken []types.NamespacedName
		for _, key := range running {
			ended[key.Namespace] = now.Sub(begin)
			woken = append(woken, turns.done("cloud", key, now)...)
		}
		running = nil
		for _, key := range append(queue, woken...) {
			if turns.take("cloud", key, urgency(key), now) {
				running = append(running, key)
			}
		}
		queue = nil
	}
	return ended
}

func crew(namespace string, n int) (out []types.NamespacedName) {
	for i := range n {
		out = append(out, types.NamespacedName{Namespace: namespace, Name: fmt.Sprint(i)})
	}
	return out
}

func urgent(types.NamespacedName) openstack.Lane { return openstack.Urgent }

// One namespace with thousands of objects does not keep the one object of another waiting.
func TestNamespacesTakeTurns(t *testing.T) {
	ended := crowd(&turns{}, append(crew("big", 5000), crew("small", 1)...), urgent)
	if ended["small"] > 2*time.Second || ended["big"] < 4*time.Minute {
		t.Errorf("the one object was done after %s, the 5,000 after %s", ended["small"], ended["big"])
	}
	t.Logf("the one object was done after %s, the 5,000 after %s", ended["small"], ended["big"])
}

// What is to be made, changed or deleted does not wait for objects that are only looked after, of any namespace.
func TestWorkGoesBeforeRest(t *testing.T) {
	all := append(crew("rests", 5000), crew("works", 100)...)
	ended := crowd(&turns{}, all, func(key types.NamespacedName) openstack.Lane {
		if key.Namespace == "rests" {
			return openstack.Drift
		}
		return openstack.Urgent
	})
	if ended["works"] > 10*time.Second {
		t.Errorf("100 changes were done after %s", ended["works"])
	}
}

// Who waits to be looked after and is changed meanwhile does not wait any longer.
func TestChangesOvertake(t *testing.T) {
	var turns turns
	now := time.Now()
	for i := range 100 {
		turns.take("cloud", named(i), openstack.Drift, now)
	}
	turns.take("cloud", named(99), openstack.Urgent, now)
	if next := turns.done("cloud", named(0), now); len(next) != 1 || next[0] != named(99) {
		t.Errorf("the next are %v, want the one that was changed", next)
	}
}

// However many clouds hang, a worker is left for one more; and once workers are free, it is the turn of the one that
// has none.
func TestCloudsTakeTurns(t *testing.T) {
	var turns turns
	now, held := time.Now(), []int{}
	for cloud := range 6 {
		n := 0
		for i := range 100 {
			if turns.take(fmt.Sprint(cloud), named(i), openstack.Urgent, now) {
				n++
			}
		}
		held = append(held, n)
	}
	if want := []int{8, 8, 4, 2, 1, 1}; !slices.Equal(held, want) {
		t.Errorf("the clouds hold %v workers, want %v", held, want)
	}
	if turns.take("last", named(0), openstack.Urgent, now) {
		t.Error("there are more workers than there are")
	}
	if next := turns.done("0", named(0), now); len(next) != 1 || next[0] != named(0) ||
		!turns.take("last", named(0), openstack.Urgent, now) {
		t.Errorf("the next are %v, want the object of the cloud that has no worker", next)
	}
}

func TestLaneOf(t *testing.T) {
	rests := func() object {
		o := openstackv1.New("Project")
		o.SetGeneration(3)
		*o.KitStatus() = owner.Status{ObservedGeneration: 3, Steps: []owner.Step{{Name: stepResource, State: owner.StepDone}}}
		return o
	}
	for name, c := range map[string]struct {
		change func(object)
		want   openstack.Lane
	}{
		"at rest": {func(object) {}, openstack.Drift},
		"new":     {func(o object) { *o.KitStatus() = owner.Status{} }, openstack.Urgent},
		"changed": {func(o object) { o.SetGeneration(4) }, openstack.Urgent},
		"deleted": {func(o object) { o.SetDeletionTimestamp(&metav1.Time{Time: time.Now()}) }, openstack.Urgent},
		"waiting": {func(o object) { o.KitStatus().Steps[0].State = owner.StepWaiting }, openstack.Urgent},
	} {
		o := rests()
		if c.change(o); laneOf(o) != c.want {
			t.Errorf("%s: it is in lane %s, want %s", name, laneOf(o), c.want)
		}
	}
}
