package resources

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

func named(i int) types.NamespacedName { return types.NamespacedName{Name: fmt.Sprint(i)} }

// The objects of one cloud hold some of the workers, those of a slow one hold one, and others are not concerned.
func TestTurns(t *testing.T) {
	var turns turns
	hangs, fine, now := "hangs", "fine", time.Now()
	for i := range 100 {
		if turns.take(hangs, named(i), now) != (i < atOnce) {
			t.Errorf("run %d of one cloud", i)
		}
	}
	if !turns.take(fine, named(0), now) {
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
		for c.turns.take("cloud", named(n), time.Now()) {
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
		if turns.take(c, named(i), now) {
			running = append(running, named(i))
		}
		turns.take(c, named(49), now) // whoever asks twice waits once
	}
	for len(running) > 0 {
		key := running[0]
		seen[key]++
		running = running[1:]
		for _, next := range turns.done(c, key, now) {
			if turns.take(c, next, now) {
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
		turns.take("cloud", named(i), now)
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
		turns.take("cloud", named(i), now)
	}
	if next := turns.done("cloud", named(0), now); len(next) != 1 || next[0] != named(atOnce) {
		t.Fatalf("the next are %v, want the one who waits", next)
	}
	if turns.take("cloud", named(0), now) {
		t.Error("who has just run takes the place of the one who was woken")
	}
	if !turns.take("cloud", named(atOnce), now) {
		t.Error("who was woken has to wait once more")
	}
}
