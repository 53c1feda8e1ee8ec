package kittest

import (
	"fmt"
	"net/http"
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

// Crash plays the scenario once per request of the operator and per way to die. The operator is killed at that request
// and started again; the end state must be that of an undisturbed play, and nothing may have been created twice. A
// script goes on after Scenario.Script, such as a change or a deletion; it may be nil.
func (w *World) Crash(t *testing.T, script func(*Play)) {
	t.Helper()
	want, created, n := w.calm(t, script)
	for _, death := range []Death{Lost, Unanswered, After} {
		t.Run(string(death), func(t *testing.T) {
			failed := 0
			for k := 1; k <= n && failed < tooMany; k++ {
				ok := t.Run(fmt.Sprint(k), func(t *testing.T) {
					w.play(t, func(*Play) Fault { return death.at(k) }, func(p *Play) {
						p.script(script)
						p.same(fmt.Sprintf("killed at request %d (%s): %s", k, death, p.nth(k)), want)
						if err := twice(p.creations(), created); err != nil {
							p.T.Errorf("killed at request %d (%s): %v", k, death, err)
						}
					})
				})
				if !ok {
					failed++
				}
			}
		})
	}
}

// calm plays without faults.
func (w *World) calm(t *testing.T, script func(*Play)) (state string, created map[string]int, requests int) {
	t.Helper()
	w.play(t, nil, func(p *Play) {
		p.script(script)
		state, created, requests = p.Snapshot(), p.creations(), p.journal.n
	})
	if requests == 0 {
		t.Fatal("the operator sent no request; is there an owner in Scenario.Files?")
	}
	return state, created, requests
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
