package resources

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// empty is the door of a cloud that has nothing in it.
type empty struct{ lists int }

func (e *empty) Do(_ context.Context, r openstack.Request) (*openstack.Response, error) {
	e.lists++
	return r.Hand(&openstack.Response{Code: http.StatusOK, Body: []byte(`{"parts": []}`)}), nil
}

func (e *empty) ProjectID() string  { return "p" }
func (e *empty) UserID() string     { return "u" }
func (e *empty) Services() []string { return []string{"compute"} }
func (e *empty) Microversions(context.Context, string) (string, string, error) {
	return "", "", nil
}

// part is a kind whose resources are parts of others.
var part = d.Kind{Name: "Part", Plural: "parts", Service: "compute", Path: "/wholes/{whole_id}/parts", Item: "part",
	Items: "parts", Fields: []d.Field{{API: "whole_id", Required: true, CreateOnly: true}}}

// opened is a cloud with a period of a minute.
func opened(t *testing.T, door Door) *cloud {
	t.Helper()
	all := newClouds()
	all.set(cloudKey{Name: "shop"}, door, terms{period: time.Minute, admits: labels.Everything()})
	return all.get(cloudKey{Name: "shop"})
}

func (c *cloud) part(t *testing.T, whole string) *watched {
	t.Helper()
	w, err := c.mirror(&part, map[string]any{"whole_id": whole})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A kind that is wanted sooner than the cloud's period is listed within its own time, and never more rarely than
// others.
func TestSomeKindsAreListedSooner(t *testing.T) {
	for within, want := range map[time.Duration]int{0: 10, 10 * time.Second: 60, time.Hour: 10} {
		synctest.Test(t, func(t *testing.T) {
			door := &empty{}
			c := opened(t, door)
			defer c.end()
			soon := part
			soon.List.Within = within
			w, err := c.mirror(&soon, map[string]any{"whole_id": "1"})
			if err != nil {
				t.Fatal(err)
			}
			w.Follow("object", "1", "", mirror.Steady, func() {})
			<-time.After(10 * time.Minute)
			if n := door.lists; n < want*3/4 || n > want*5/4 {
				t.Errorf("within %s: %d lists in ten minutes, want some %d", within, n, want)
			}
		})
	}
}

// Wholes come and go, and each has a mirror of its parts: one that nobody uses any more goes with its goroutine and its
// gauges. The bubble fails when a goroutine is left, for nobody ends the session here.
func TestMirrorsThatNobodyUsesGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t, &empty{})
		for i := range 20 {
			w := c.part(t, fmt.Sprint(i))
			w.Follow("object", "1", "", mirror.Steady, func() {})
			<-time.After(time.Minute)
			w.Unfollow("object")
			if n := len(c.mirrors); n > idle+2 {
				t.Fatalf("after %d wholes there are %d mirrors", i+1, n)
			}
		}
		<-time.After((idle + 2) * time.Minute)
		if figures := c.figures(); len(c.mirrors) != 0 || len(figures) != 0 {
			t.Errorf("in the end there are the mirrors %v with the figures %v", c.mirrors, figures)
		}
	})
}

// A mirror that somebody follows stays, also when no run asks for it; one that runs ask for stays, also when nobody
// follows, and shows no age: nobody expects it to list.
func TestMirrorsThatAreUsedStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t, &empty{})
		defer c.end()
		followed, asked := c.part(t, "followed"), c.part(t, "asked")
		followed.Follow("object", "1", "", mirror.Steady, func() {})
		if err := asked.Fresh(t.Context(), time.Time{}); err != nil {
			t.Fatal(err)
		}
		for range 30 {
			<-time.After(2 * time.Minute)
			if c.part(t, "asked") != asked {
				t.Fatal("a mirror that is asked for every other period was made anew")
			}
		}
		if c.mirrors["Part/wholes/followed/parts"] != followed {
			t.Error("a mirror that somebody follows is gone")
		}
		followed.Unfollow("object")
		if age := c.figures()["Part"].oldest; !age.IsZero() {
			t.Errorf("mirrors that nobody follows show the time %s", age)
		}
	})
}

// A run that got a mirror long ago follows it after it is gone: it is woken and gets another one, which lists.
func TestLateFollowersAreWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		door := &empty{}
		c := opened(t, door)
		defer c.end()
		old := c.part(t, "1")
		<-time.After(time.Hour)
		woken := 0
		old.Follow("object", "1", "", mirror.Changing, func() { woken++ })
		now := c.part(t, "1")
		if woken != 1 || now == old {
			t.Errorf("it is woken %d times, and gets the old mirror again: %t", woken, now == old)
		}
		before := door.lists
		now.Follow("object", "1", "", mirror.Changing, func() { woken++ })
		<-time.After(time.Minute)
		synctest.Wait()
		if door.lists <= before {
			t.Error("the new mirror does not list")
		}
	})
}

// An object whose resource became a part of something else does not follow the old one any more.
func TestFollowersMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := opened(t, &empty{})
		defer c.end()
		var f follows
		for _, whole := range []string{"1", "2"} {
			w := c.part(t, whole)
			f.move("object", w.Mirror)
			w.Follow("object", "1", "", mirror.Steady, func() {})
		}
		<-time.After(time.Hour)
		if len(c.mirrors) != 1 || c.part(t, "2").Close() {
			t.Errorf("the mirrors are %v", c.mirrors)
		}
		f.move("object", nil)
		<-time.After(time.Hour)
		if len(c.mirrors)+len(f.of) != 0 {
			t.Errorf("left are %v and %v", c.mirrors, f.of)
		}
	})
}
