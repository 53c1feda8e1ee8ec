package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/external"
	"stackwright.dev/kit/step"
)

// shelf is an API outside of which every answer can be set.
type shelf struct {
	found  []string
	state  external.State
	diff   []string
	policy external.Policy
	calls  []string
}

func (s *shelf) Observe(context.Context, string, string) (external.Observation[string], error) {
	return external.Observation[string]{State: s.state, Diff: s.diff, Detail: "its disk is slow"}, nil
}

func (s *shelf) Find(context.Context, external.Marker, string) ([]string, error) { return s.found, nil }

func (s *shelf) Create(context.Context, external.Marker, string) (string, error) {
	s.calls, s.found = append(s.calls, "create"), []string{"a"}
	return "a", nil
}

func (s *shelf) Update(_ context.Context, _, _ string, diff []string) error {
	s.calls, s.diff = append(s.calls, "update "+strings.Join(diff, ",")), nil
	return nil
}

func (s *shelf) Delete(context.Context, string) error {
	s.calls, s.found, s.state = append(s.calls, "delete"), nil, external.Absent
	return nil
}

// TestExternal has what an External step says and does for each answer of an API and each policy, at once and when the
// owner is deleted a minute later.
func TestExternal(t *testing.T) {
	ready, absent := external.Ready, external.Absent
	for name, c := range map[string]struct {
		shelf          shelf
		message, calls string
	}{
		"made":  {shelf{state: ready}, "", "create delete"},
		"found": {shelf{state: ready, found: []string{"a"}}, "", "delete"},
		"found twice": {shelf{found: []string{"a", "b"}}, "2 resources carry our marker: a, b; delete all but one",
			"delete delete"},
		"may not create": {shelf{policy: external.Policy{NoCreate: true}}, "may not be created; create it or", ""},
		"only observed":  {shelf{policy: external.Policy{ObserveOnly: true}}, "may not be created; create it or", ""},
		"differs":        {shelf{state: ready, diff: []string{"size"}}, "", "create update size delete"},
		"may not update": {shelf{state: ready, diff: []string{"size"}, policy: external.Policy{NoUpdate: true}},
			"The resource a differs in size and may not be updated; change it or the policy.", "create delete"},
		"may not delete": {shelf{state: ready, policy: external.Policy{NoDelete: true}}, "", "create"},
		"pending":        {shelf{state: external.Pending}, "Waits until resource a is ready: its disk is slow", "create delete"},
		"broken":         {shelf{state: external.Broken}, "resource a is broken: its disk is slow; repair or", "create delete"},
		"not shown yet":  {shelf{state: absent}, "Waits until resource a shows up at its API", "create delete"},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.shelf
			def := define(step.External("thing", step.Externals[*app, string, string]{
				Dial:   func(*scope) (external.Client[string, string], error) { return &s, nil },
				Want:   func(*scope) (string, error) { return "", nil },
				Policy: func(*app) external.Policy { return s.policy },
			}, step.Condition[*app]("ThingReady")))
			inWorld(t, def, func(w *world) {
				w.create(newApp("one"))
				got := w.condition("one", "ThingReady")
				if (got.Status == "True") != (c.message == "") || !strings.Contains(got.Message, c.message) {
					t.Errorf("the condition is %s %q, want %q", got.Status, got.Message, c.message)
				}
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(time.Minute)
				if calls := strings.Join(s.calls, " "); calls != c.calls {
					t.Errorf("the API was called for %q, want %q", calls, c.calls)
				}
			})
		})
	}
}

// TestExternalThatIsGone: what somebody deletes is made again, but not within the seconds in which an API may not show
// yet what it has just made.
func TestExternalThatIsGone(t *testing.T) {
	s := shelf{state: external.Ready}
	def := define(step.External("thing", step.Externals[*app, string, string]{
		Dial: func(*scope) (external.Client[string, string], error) { return &s, nil },
		Want: func(*scope) (string, error) { return "", nil },
	}, step.Every[*app](5*time.Second)))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		s.state, s.found = external.Absent, nil
		w.pass(6 * time.Second)
		if len(s.calls) != 1 {
			t.Errorf("within ten seconds the calls are %v, want one create", s.calls)
		}
		w.pass(time.Minute)
		if len(s.calls) < 2 || s.calls[1] != "create" {
			t.Errorf("a minute later the calls are %v, want a second create", s.calls)
		}
	})
}
