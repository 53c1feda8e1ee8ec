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

// crowded is a survey of many services, of which the last waits.
func crowded() *survey {
	s := &survey{Namespace: "openstack", Name: "cloud", Size: "dev", Readiness: Readiness{Reason: "Waiting", Message: "m"}}
	for i := range 14 {
		name := fmt.Sprintf("service%02d", i)
		s.Services = append(s.Services, serviceState{Name: name, Readiness: Readiness{Ready: i != 13}})
		s.Endpoints = append(s.Endpoints, controlplanev1.Endpoint{Service: name, Public: "https://" + name})
	}
	s.Services[13].Steps = []stepState{{Name: "api", State: owner.StepWaiting, WaitingFor: "Deployment api"}}
	s.Blocks = []blockState{{Name: "first", Hosts: []hostState{
		{Name: "up-1", State: "up", Readiness: Readiness{Ready: true}}, {Name: "down-1", State: "down"}}}}
	return s
}

// drawnOn is what a watch draws on a terminal of that size.
func drawnOn(width, height int, s *survey) string {
	var out bytes.Buffer
	w := &watcher{app: &app{out: &out}, redraw: true, size: func() (int, int) { return width, height }}
	w.show(s, nil)
	return strings.TrimPrefix(out.String(), "\x1b[H\x1b[2J")
}

// On a terminal that is too small what is wrong stays on the screen, then services, then hosts.
func TestWatchOnASmallTerminal(t *testing.T) {
	wrong := []string{"not ready: Waiting: m", "service13   no", "step api", "stackwright why"}
	more := func(n int) string {
		return fmt.Sprintf("\n… %d more lines; make the window taller or run without -w\n", n)
	}
	for height, c := range map[int]struct{ has, lacks []string }{
		0:  {[]string{"up-1", "https://service13"}, []string{"…"}},
		42: {[]string{"up-1", "https://service13"}, []string{"…"}},
		39: {[]string{"up-1", "https://service09", more(4)}, []string{"https://service10"}},
		24: {[]string{"service12", more(18)}, []string{"https://", "HOSTS", "up-1", "down-1"}},
		12: {[]string{"service01", more(29)}, []string{"https://", "HOSTS", "service02"}},
	} {
		text := drawnOn(80, height, crowded())
		if n := strings.Count(text, "\n"); height > 0 && n >= height {
			t.Errorf("%d lines are drawn on %d", n, height)
		}
		for _, want := range append(c.has, wrong...) {
			if !strings.Contains(text, want) {
				t.Errorf("%d lines lack %q:\n%s", height, want, text)
			}
		}
		for _, lack := range c.lacks {
			if strings.Contains(text, lack) {
				t.Errorf("%d lines have %q:\n%s", height, lack, text)
			}
		}
	}
}

// A long line takes several of the terminal, and one that is too small for anything says so.
func TestWatchOnANarrowTerminal(t *testing.T) {
	text, taken := drawnOn(20, 30, crowded()), 1
	for line := range strings.Lines(text) {
		taken += 1 + (utf8.RuneCountInString(line)-2)/20
	}
	if taken > 30 || !strings.Contains(text, "step api") {
		t.Errorf("%d lines of 30 are taken:\n%s", taken, text)
	}
	for _, height := range []int{1, 2, 3} {
		if text := drawnOn(200, height, crowded()); !strings.HasPrefix(text, "… ") && height < 3 ||
			strings.Count(text, "\n") > max(1, height-1) {
			t.Errorf("on %d lines it draws\n%s", height, text)
		}
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
