package resources_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// hardship is a fault, what the condition says of it, and the pause before the next try.
type hardship struct {
	fault  fake.Fault
	reason string
	pause  time.Duration
	// exact pauses may be up to a fifth shorter or longer, others only longer: the service has asked for them.
	exact bool
	// woken pauses end early when the service answers anybody.
	woken bool
}

// hardships are met one after the other by the request that makes a resource. The reasons and pauses are those of
// docs/how-to/find-the-cause.md.
var hardships = []hardship{
	{fault: fake.Busy, reason: "Conflict", pause: 200 * time.Millisecond, exact: true},
	{fault: fake.Busy, reason: "Conflict", pause: 400 * time.Millisecond, exact: true},
	{fault: fake.InUse, reason: "Conflict", pause: time.Second, exact: true},
	{fault: fake.InUse, reason: "Conflict", pause: 2 * time.Second, exact: true},
	{fault: fake.InUse, reason: "Conflict", pause: 4 * time.Second, exact: true},
	{fault: fake.TooLarge, reason: "QuotaExceeded", pause: time.Minute, exact: true},
	{fault: fake.TooLarge, reason: "QuotaExceeded", pause: time.Minute, exact: true},
	{fault: fake.TooMany, reason: "RateLimited", pause: fake.Pause},
	{fault: fake.TooMany, reason: "RateLimited", pause: fake.Pause},
	{fault: fake.Down, reason: "Unavailable", pause: time.Second, woken: true},
	{fault: fake.Lost, reason: "Unavailable", pause: 2 * time.Second, woken: true},
}

// lasts are met last, because they take effect: one by each kind, or all of them with -whole.
var lasts = []fake.Fault{fake.Unanswered, fake.Timeout, fake.Broken, fake.Garbage, fake.Slow}

// Whatever a service answers to the creation of a resource, the condition says it, the next try comes when the papers
// say, and in the end there is one resource.
func TestHardship(t *testing.T) {
	for i, k := range writable() {
		if k.Shape == d.Singleton {
			continue // a quota is there already: it is learnt in one run and changed in the next
		}
		for n, last := range lasts {
			if !*whole && i%len(lasts) != n {
				continue
			}
			t.Run(k.Name+"/"+string(last), func(t *testing.T) {
				w := newWorld(t, k)
				w.later = true
				t.Parallel()
				kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { endures(w, p, last) })
			})
		}
	}
}

func endures(w *world, p *kittest.Play, last fake.Fault) {
	p.T.Helper()
	var tries atomic.Int32
	var at atomic.Int64
	cloudOf(p).SetFault(func(_ int, r *http.Request) fake.Fault {
		if r.Method == http.MethodGet {
			return fake.None
		}
		n := int(tries.Add(1))
		at.Store(time.Now().UnixNano())
		switch {
		case n <= len(hardships):
			return hardships[n-1].fault
		case n == len(hardships)+1:
			return last
		}
		return fake.None
	})
	p.Create(&unstructured.Unstructured{Object: w.object})
	p.Until(time.Minute, "the first try", func() bool { return tries.Load() == 1 })
	for i, h := range hardships {
		begin := time.Unix(0, at.Load())
		h.meet(w, p, begin)
		p.Until(time.Hour, "the next try", func() bool { return int(tries.Load()) > i+1 })
		pause := time.Unix(0, at.Load()).Sub(begin)
		if least, most := h.bounds(); pause < least || pause > most {
			p.T.Errorf("after %s, number %d, the next try came after %s, want %s to %s", h.fault, i, pause, least, most)
		}
	}
	p.Pass(time.Hour)
	p.Settle()
	p.Ready()
	if n := len(made(w, p)); n != 1 {
		p.T.Errorf("there are %d %s, want 1", n, w.kind.Plural)
	}
}

// meet looks at the condition in the middle of a pause.
func (h hardship) meet(w *world, p *kittest.Play, begin time.Time) {
	p.T.Helper()
	if h.woken {
		return
	}
	p.Pass(time.Until(begin.Add(h.pause / 2)))
	if c := p.Condition(w.kind.Name+"/sample", "Ready"); c.Reason != h.reason || c.Message == "" {
		p.T.Errorf("after %s the condition is %v, want reason %s", h.fault, c, h.reason)
	}
}

// bounds are the shortest and the longest pause. Time goes by in steps of ten milliseconds.
func (h hardship) bounds() (least, most time.Duration) {
	least, most = h.pause, h.pause+h.pause/5+50*time.Millisecond
	switch {
	case h.woken:
		least = 0
	case h.exact:
		least -= h.pause / 5
	}
	return least, most
}

// What OpenStack does not delete because it is in use stays, the condition says so, and it goes once it is not in use
// any more.
func TestDeleteRefused(t *testing.T) {
	each(t, asItIs, func(w *world, p *kittest.Play) {
		if w.kind.Delete.Method == d.None {
			return
		}
		p.Ready()
		var refused atomic.Int32
		cloudOf(p).SetFault(func(_ int, r *http.Request) fake.Fault {
			if r.Method != http.MethodGet {
				refused.Add(1)
				return fake.InUse
			}
			return fake.None
		})
		p.Remove(w.kind.Name + "/sample")
		p.Pass(10 * time.Minute)
		if p.Object(w.kind.Name+"/sample") == nil && refused.Load() > 0 {
			p.T.Fatal("the object is gone, and what it stands for is there")
		}
		if n := refused.Load(); n == 0 || n > 45 {
			p.T.Errorf("%d requests in ten minutes, want some, and fewer and fewer", n)
		}
		if c := p.Condition(w.kind.Name+"/sample", "Ready"); !strings.Contains(c.Message, "in use") {
			p.T.Errorf("the condition does not say why: %v", c)
		}
		cloudOf(p).SetFault(nil)
		p.Pass(3 * time.Minute)
		if p.Object(w.kind.Name+"/sample") != nil {
			p.T.Error("the object is still there after it was not in use any more")
		}
	})
}
