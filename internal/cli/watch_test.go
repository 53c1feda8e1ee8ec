package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// seen is a survey of one service with some pods.
func seen(ready int32) *survey {
	return &survey{Namespace: "openstack", Name: "cloud", Size: "dev", Services: []serviceState{
		{Name: "keystone", PodsReady: ready, Pods: 3, Readiness: Readiness{Ready: ready == 3}}}}
}

// reply is one answer of the cluster.
type reply func(context.Context) (*survey, error)

// watch plays a watch, with one answer a second until there are no more: then it is interrupted. It returns what was
// written, how long it took, and the watch's error.
func watch(t *testing.T, redraw bool, answers ...reply) (string, time.Duration, error) {
	t.Helper()
	var out bytes.Buffer
	var err error
	var took time.Duration
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		began := time.Now()
		w := &watcher{app: &app{out: &out}, redraw: redraw, ask: func(ctx context.Context) (*survey, error) {
			if len(answers) == 0 {
				interrupt()
				return nil, ctx.Err()
			}
			answer := answers[0]
			answers = answers[1:]
			return answer(ctx)
		}}
		err, took = w.run(ctx), time.Since(began)
	})
	return out.String(), took, err
}

func tells(s *survey, err error) reply {
	return func(context.Context) (*survey, error) { return s, err }
}

// clock is the time some seconds after a bubble of synctest has begun.
func clock(seconds int) string {
	return time.Date(2000, 1, 1, 0, 0, seconds, 0, time.UTC).Local().Format(time.TimeOnly)
}

var errRefused = errors.New("connection refused")

// A log has a line per change, of what went wrong for a moment too, and the state again once it is known again.
func TestWatchIsALog(t *testing.T) {
	text, _, err := watch(t, false, tells(seen(1), nil), tells(seen(1), nil), tells(seen(2), nil),
		tells(nil, errRefused), tells(nil, errRefused), tells(seen(2), nil), tells(seen(3), nil))
	if err != nil {
		t.Errorf("an interrupted watch ends with %v", err)
	}
	want := clock(0) + " keystone 1/3\n" + clock(2) + " keystone 2/3\n" + clock(3) +
		" asking again: connection refused\n" + clock(5) + " keystone 2/3\n" + clock(6) + " keystone ready\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("the log differs (-want +got):\n%s", diff)
	}
}

// A terminal is drawn anew each second, with what was seen last while nobody answers.
func TestWatchOnATerminal(t *testing.T) {
	text, _, err := watch(t, true, tells(seen(1), nil), tells(nil, errRefused), tells(seen(2), nil))
	screens := strings.Split(text, "\x1b[H\x1b[2J")[1:]
	if err != nil || len(screens) != 3 {
		t.Fatalf("it drew %d screens and ended with %v:\n%s", len(screens), err, text)
	}
	outage := "this is the state of " + clock(0) + "; asking again: connection refused"
	for i, want := range [][]string{{"1/3"}, {"1/3", outage}, {"2/3"}} {
		for _, words := range want {
			if !strings.Contains(screens[i], words) {
				t.Errorf("screen %d does not say %q:\n%s", i, words, screens[i])
			}
		}
		if strings.Contains(screens[i], outage) != (len(want) == 2) {
			t.Errorf("screen %d:\n%s", i, screens[i])
		}
	}
}

// On a terminal that is too small what is wrong stays on the screen, then services, then hosts. Long lines take several
// of it.
func TestWatchOnASmallTerminal(t *testing.T) {
	s := &survey{Namespace: "openstack", Name: "cloud", Size: "dev", Readiness: Readiness{Reason: "Waiting", Message: "m"}}
	for i := range 14 {
		name := fmt.Sprintf("service%02d", i)
		s.Services = append(s.Services, serviceState{Name: name, Readiness: Readiness{Ready: i != 13}})
		s.Endpoints = append(s.Endpoints, controlplanev1.Endpoint{Service: name, Public: "https://" + name})
	}
	s.Services[13].Steps = []stepState{{Name: "api", State: owner.StepWaiting, WaitingFor: "Deployment api"}}
	s.Blocks = []blockState{{Name: "first", Hosts: []hostState{
		{Name: "up-1", State: "up", Readiness: Readiness{Ready: true}}, {Name: "down-1", State: "down"}}}}
	for name, c := range map[string]struct {
		width, height int
		lacks         []string
		more          int
	}{
		"not known":    {0, 0, nil, 0},
		"tall":         {80, 43, nil, 0},
		"one too few":  {80, 39, []string{"https://service13"}, 4},
		"24 lines":     {80, 24, []string{"https://", "HOSTS", "up-1", "down-1"}, 18},
		"short":        {80, 12, []string{"https://", "HOSTS", "service05", "service12"}, 29},
		"narrow":       {20, 30, []string{"https://", "HOSTS"}, 0},
		"of one line":  {80, 2, []string{"https://", "service13"}, 0},
		"with a panic": {1, 1, []string{"https://"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := &watcher{app: &app{out: &out}, redraw: true, size: func() (int, int) { return c.width, c.height }}
			w.show(s, nil)
			text := strings.TrimPrefix(out.String(), "\x1b[H\x1b[2J")
			lines := strings.Split(text, "\n")
			if c.height > 2 {
				taken := 1
				for _, line := range lines[:len(lines)-1] {
					taken += 1 + max(0, utf8.RuneCountInString(line)-1)/max(c.width, 1)
				}
				if taken > c.height {
					t.Errorf("%d lines of %d are taken:\n%s", taken, c.height, text)
				}
				for _, want := range []string{"not ready: Waiting: m", "service13   no", "step api", "stackwright why"} {
					if !strings.Contains(text, want) {
						t.Errorf("%q is left out:\n%s", want, text)
					}
				}
			}
			for _, lack := range c.lacks {
				if strings.Contains(text, lack) {
					t.Errorf("%q is on the screen:\n%s", lack, text)
				}
			}
			last := lines[max(0, len(lines)-2)]
			if want := fmt.Sprintf("… %d more lines; make the window taller or run without -w", c.more); c.more > 0 &&
				last != want {
				t.Errorf("the last line is %q, want %q\n%s", last, want, text)
			}
			if c.lacks == nil && strings.Contains(text, "…") {
				t.Errorf("something is left out:\n%s", text)
			}
		})
	}
}

// What was never seen, is not allowed, or does not come back ends the watch; a server that swallows requests is asked
// again.
func TestWatchEnds(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "x", nil)
	silent := func(ctx context.Context) (*survey, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	var outage []reply
	for range 100 {
		outage = append(outage, tells(nil, errRefused))
	}
	first := tells(seen(1), nil)
	for name, c := range map[string]struct {
		answers []reply
		took    time.Duration
		err     error
	}{
		"never seen":  {[]reply{outage[0], first}, 0, errRefused},
		"not allowed": {[]reply{first, tells(nil, forbidden), first}, time.Second, forbidden},
		"an outage":   {slices.Insert(outage, 0, first), 31 * time.Second, errRefused},
		"silence":     {[]reply{first, silent, first}, 12 * time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, took, err := watch(t, false, c.answers...)
			if took != c.took || !errors.Is(err, c.err) {
				t.Errorf("it ended after %s with %v, want %s with %v", took, err, c.took, c.err)
			}
		})
	}
}
