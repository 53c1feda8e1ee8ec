package reconcile_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stackwright.dev/kit/external"
	"stackwright.dev/kit/step"
)

// answers are what an API outside says.
type answers struct {
	found  []string
	state  external.State
	diff   []string
	policy external.Policy
}

// shelf is an API outside of which every answer can be set.
type shelf struct {
	mu sync.Mutex
	answers
	calls []string
}

// called returns what was done so far.
func (s *shelf) called() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *shelf) Observe(context.Context, string, string) (external.Observation[string], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return external.Observation[string]{State: s.state, Diff: s.diff, Detail: "its disk is slow"}, nil
}

func (s *shelf) Find(context.Context, external.Marker, string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found, nil
}

func (s *shelf) Create(context.Context, external.Marker, string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.found = append(s.calls, "create"), []string{"a"}
	return "a", nil
}

func (s *shelf) Update(_ context.Context, _, _ string, diff []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.diff = append(s.calls, "update "+strings.Join(diff, ",")), nil
	return nil
}

func (s *shelf) Delete(context.Context, string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls, s.found, s.state = append(s.calls, "delete"), nil, external.Absent
	return nil
}

// TestExternal has what an External step says and does for each answer of an API and each policy, at once and when the
// owner is deleted a minute later.
func TestExternal(t *testing.T) {
	ready, absent := external.Ready, external.Absent
	for name, c := range map[string]struct {
		answers        answers
		message, calls string
	}{
		"made":  {answers{state: ready}, "", "create delete"},
		"found": {answers{state: ready, found: []string{"a"}}, "", "delete"},
		"found twice": {answers{found: []string{"a", "b"}}, "2 resources carry our marker: a, b; delete all but one",
			"delete delete"},
		"may not create": {answers{policy: external.Policy{NoCreate: true}}, "may not be created; create it or", ""},
		"only observed":  {answers{policy: external.Policy{ObserveOnly: true}}, "may not be created; create it or", ""},
		"differs":        {answers{state: ready, diff: []string{"size"}}, "", "create update size delete"},
		"may not update": {answers{state: ready, diff: []string{"size"}, policy: external.Policy{NoUpdate: true}},
			"The resource a differs in size and may not be updated; change it or the policy.", "create delete"},
		"may not delete": {answers{state: ready, policy: external.Policy{NoDelete: true}}, "", "create"},
		"pending":        {answers{state: external.Pending}, "Waits until resource a is ready: its disk is", "create delete"},
		"broken":         {answers{state: external.Broken}, "resource a is broken: its disk is slow;", "create delete"},
		"not shown yet":  {answers{state: absent}, "Waits until resource a shows up at its API", "create delete"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{answers: c.answers}
			def := define(step.External("thing", step.Externals[*app, string, string]{
				Dial:   func(*scope) (external.Client[string, string], error) { return s, nil },
				Want:   func(*scope) (string, error) { return "", nil },
				Policy: func(*app) external.Policy { return c.answers.policy },
			}, step.Condition[*app]("ThingReady")))
			inWorld(t, def, func(w *world) {
				w.create(newApp("one"))
				got := w.condition("one", "ThingReady")
				if (got.Status == "True") != (c.message == "") || !strings.Contains(got.Message, c.message) {
					t.Errorf("the condition is %s %q, want %q", got.Status, got.Message, c.message)
				}
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(time.Minute)
				if calls := strings.Join(s.called(), " "); calls != c.calls {
					t.Errorf("the API was called for %q, want %q", calls, c.calls)
				}
			})
		})
	}
}

// TestExternalThatIsGone: what somebody deletes is made again, but not within the seconds in which an API may not show
// yet what it has just made.
func TestExternalThatIsGone(t *testing.T) {
	s := &shelf{answers: answers{state: external.Ready}}
	def := define(step.External("thing", step.Externals[*app, string, string]{
		Dial: func(*scope) (external.Client[string, string], error) { return s, nil },
		Want: func(*scope) (string, error) { return "", nil },
	}, step.Every[*app](5*time.Second)))
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		s.mu.Lock()
		s.state, s.found = external.Absent, nil
		s.mu.Unlock()
		w.pass(6 * time.Second)
		if calls := s.called(); len(calls) != 1 {
			t.Errorf("within ten seconds the calls are %v, want one create", calls)
		}
		w.pass(time.Minute)
		if calls := s.called(); len(calls) < 2 || calls[1] != "create" {
			t.Errorf("a minute later the calls are %v, want a second create", calls)
		}
	})
}
