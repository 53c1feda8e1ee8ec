package kittest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
)

// Death says what becomes of the request at which a process dies.
type Death string

// The ways to die.
const (
	// Lost: the request did not leave the process.
	Lost Death = "lost"
	// Unanswered: the request took effect, its answer did not arrive.
	Unanswered Death = "unanswered"
	// After: the answer arrived, and nothing was done with it.
	After Death = "after"
)

// at kills the process at request k.
func (d Death) at(k int) Fault {
	return func(x *Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		if x.N != k {
			return send()
		}
		defer x.kill()
		if d == Lost {
			return nil, errKilled
		}
		resp, err := send()
		if err == nil && d == Unanswered {
			resp.Body.Close()
			return nil, errKilled
		}
		return resp, err
	}
}

// tooMany ends a crash test that has told enough.
const tooMany = 3

// shortStride is how many requests -short goes on to the next one that it tries.
const shortStride = 24

// Crash plays the scenario once per request of the operator and per way to die. The operator is killed at that
// request and started again; the end state must be that of an undisturbed play, and nothing may have been created
// twice. A script goes on after Scenario.Script, such as a change or a deletion: then the requests that it causes are
// tried, and not those before. It may be nil. With a Stride, which is 24 at least under -short, each way to die is
// tried at a part of them, once at least, from a random one on; the name of a test has its request, and -begin repeats
// it.
func (w *World) Crash(t *testing.T, script func(*Play)) {
	t.Helper()
	want := w.calm(t, script)
	stride, begin := w.pace(want.last - want.first + 1)
	if stride > 1 {
		t.Logf("every request in %d is tried; -args -begin=%d tries the same ones", stride, begin)
	}
	for i, death := range []Death{Lost, Unanswered, After} {
		t.Run(string(death), func(t *testing.T) {
			failed := 0
			for k := want.first + (begin+i)%stride; k <= want.last && failed < tooMany; k += stride {
				if !t.Run(strconv.Itoa(k), func(t *testing.T) { w.crash(t, script, death, k, want) }) {
					failed++
				}
			}
		})
	}
}

// first is the flag that repeats what a crash test has tried.
var first = flag.Int("begin", -1, "try requests in crash plays from this one on, not from a random one")

// pace is how far apart the requests are that are tried of n, and which is the first.
func (w *World) pace(n int) (stride, begin int) {
	stride = max(1, w.Stride)
	if testing.Short() {
		stride = max(stride, shortStride)
	}
	stride = max(1, min(stride, n))
	if *first >= 0 {
		return stride, *first % stride
	}
	return stride, rand.IntN(stride)
}

// crash plays with one death.
func (w *World) crash(t *testing.T, script func(*Play), death Death, k int, want calm) {
	t.Helper()
	w.play(t, func(*Play) Fault { return death.at(k) }, func(p *Play) {
		p.script(script)
		what := fmt.Sprintf("killed at request %d (%s): %s", k, death, p.nth(k))
		p.same(what, want.state)
		if err := twice(p.creations(), want.created); err != nil {
			p.T.Errorf("%s: %v", what, err)
		}
	})
}

// calm is what an undisturbed play came to.
type calm struct {
	state       string
	created     map[string]int
	first, last int
}

// calm plays without faults.
func (w *World) calm(t *testing.T, script func(*Play)) (c calm) {
	t.Helper()
	w.play(t, nil, func(p *Play) {
		c.first = 1
		if script != nil {
			c.first = p.journal.count() + 1
		}
		p.script(script)
		c.state, c.created, c.last = p.Snapshot(), p.creations(), p.journal.count()
	})
	if c.last < c.first {
		t.Fatal("the operator sent no request; is there an owner in Scenario.Files, and does the script change something?")
	}
	return c
}

func (p *Play) script(f func(*Play)) {
	p.T.Helper()
	if f == nil {
		return
	}
	f(p)
	p.Settle()
}

func (p *Play) nth(k int) string {
	for _, x := range p.journal.since(0) {
		if x.N == k {
			return x.String()
		}
	}
	return "no such request in this play"
}
