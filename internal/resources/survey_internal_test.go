package resources

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// watchedPart is a part of which a survey tells.
var watchedPart = func() d.Kind {
	k := part
	k.List.Survey = d.Survey{Path: "/wholes", Items: "wholes", Parent: "id", Shows: []string{"parts", "updated"}}
	return k
}()

// wholes answers lists of parts, and the survey of them.
type wholes struct {
	empty
	*testing.T // of the play
	// parts by their wholes, missing those that the survey does not show, plain ones that it shows without their parts.
	parts          map[string][]string
	missing, plain map[string]bool
	// fault of the survey, and how many pages it has.
	fault error
	pages int
	// surveys and lists that were asked for.
	surveys int
	listed  map[string]int
	// asking is held during a request: mirrors ask beside each other.
	asking sync.Mutex
}

// pass lets time pass, and who has something to do then come to its end.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (w *wholes) Do(_ context.Context, r openstack.Request) (*openstack.Response, error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	if r.Path == "/wholes" {
		return w.survey(r)
	}
	id := strings.Split(r.Path, "/")[2]
	w.listed[id]++
	return r.Hand(&openstack.Response{Code: http.StatusOK,
		Body: []byte(`{"parts": [` + w.below(id, `{"id": %q}`) + `]}`)}), nil
}

func (w *wholes) survey(r openstack.Request) (*openstack.Response, error) {
	w.surveys++
	if w.fault != nil {
		return nil, w.fault
	}
	var entries []string
	for id := range w.parts {
		switch {
		case w.missing[id]:
		case w.plain[id]:
			entries = append(entries, fmt.Sprintf(`{"id": %q}`, id))
		default:
			entries = append(entries, fmt.Sprintf(`{"id": %q, "updated": null, "parts": [%s]}`, id, w.below(id, `%q`)))
		}
	}
	next := "null"
	if n := len(r.Query["page"]) + 1; n < w.pages {
		next = `"http://cloud/wholes?` + strings.Repeat("page=1&", n) + `"`
	}
	return r.Hand(&openstack.Response{Code: http.StatusOK,
		Body: []byte(`{"wholes": [` + strings.Join(entries, ", ") + `], "next": ` + next + `}`)}), nil
}

// below has the parts of a whole, in another order each time.
func (w *wholes) below(id, format string) string {
	var out []string
	for _, name := range w.parts[id] {
		out = append(out, fmt.Sprintf(format, name))
		if w.surveys%2 == 1 && len(out) == 2 {
			out[0], out[1] = out[1], out[0]
		}
	}
	return strings.Join(out, ", ")
}

// surveyed plays f when so many wholes, of which each has somebody who follows, have been at rest for ten periods.
func surveyed(t *testing.T, n int, change func(*wholes), f func(w *wholes, c *cloud)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &wholes{T: t, parts: map[string][]string{}, missing: map[string]bool{}, plain: map[string]bool{},
			listed: map[string]int{}, pages: 1}
		if change != nil {
			change(w)
		}
		c := opened(t, w)
		defer c.end()
		for i := range n {
			id := fmt.Sprint(i)
			w.let(func() { w.parts[id] = []string{"a" + id, "b" + id} })
			c.follow(t, id)
			pass(700 * time.Millisecond) // lists begin at different times
		}
		pass(10 * time.Minute)
		w.reset()
		f(w, c)
	})
}

func (w *wholes) reset() { w.let(func() { w.surveys, w.listed = 0, map[string]int{} }) }

// let changes what is answered, between two requests.
func (w *wholes) let(change func()) {
	w.asking.Lock()
	defer w.asking.Unlock()
	change()
}

// total is how many lists of wholes there were.
func (w *wholes) total() (n int) {
	for _, lists := range w.listed {
		n += lists
	}
	return n
}

func (c *cloud) follow(t *testing.T, id string) *watched {
	t.Helper()
	m, err := c.mirror(&watchedPart, map[string]any{"whole_id": id})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Fresh(t.Context(), time.Time{}); err != nil {
		t.Fatal(err)
	}
	m.Follow("object", "a"+id, "", mirror.Steady, func() {})
	return m
}

// What a survey does not tell costs the lists that there would be without it, and no survey that is of no use.
func TestSurveysThatTellNothing(t *testing.T) {
	fault := func(class openstack.Class) func(*wholes) {
		return func(w *wholes) { w.fault = &openstack.Fault{Class: class, Message: "no"} }
	}
	cases := map[string]struct {
		wholes         int
		change         func(*wholes)
		surveys, lists [2]int // least and most in 20 periods
	}{
		"it tells":             {wholes: 20, surveys: [2]int{19, 21}},
		"few wholes":           {wholes: 4, lists: [2]int{76, 84}},
		"more pages than pays": {wholes: 20, change: func(w *wholes) { w.pages = 5 }, lists: [2]int{380, 420}},
		"pages that pay":       {wholes: 20, change: func(w *wholes) { w.pages = 4 }, surveys: [2]int{76, 84}},
		"refused":              {wholes: 20, change: fault(openstack.Auth), surveys: [2]int{0, 1}, lists: [2]int{380, 420}},
		"not known": {wholes: 20, change: fault(openstack.NotFound),
			surveys: [2]int{0, 1}, lists: [2]int{380, 420}},
		"down": {wholes: 20, change: fault(openstack.Unavailable),
			surveys: [2]int{10, 21}, lists: [2]int{380, 420}},
		"another project's": {wholes: 20, change: func(w *wholes) { w.missing["7"] = true },
			surveys: [2]int{19, 21}, lists: [2]int{19, 21}},
		"one without parts": {wholes: 20, change: func(w *wholes) { w.plain["7"] = true },
			surveys: [2]int{19, 21}, lists: [2]int{19, 21}},
		"all without parts": {wholes: 20, change: func(w *wholes) {
			for i := range 20 {
				w.plain[fmt.Sprint(i)] = true
			}
		}, surveys: [2]int{0, 1}, lists: [2]int{380, 420}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			surveyed(t, c.wholes, c.change, func(w *wholes, _ *cloud) {
				pass(20 * time.Minute)
				if n := w.surveys; n < c.surveys[0] || n > c.surveys[1] {
					w.Errorf("%d requests for the survey in twenty periods, want %v", n, c.surveys)
				}
				if n := w.total(); n < c.lists[0] || n > c.lists[1] {
					w.Errorf("%d lists in twenty periods, want %v", n, c.lists)
				}
			})
		})
	}
}

// What was made or deleted is seen within the period, and no other whole is listed for it. A whole that the survey no
// longer shows is listed: it may be somebody else's now, with all that is in it.
func TestSurveysLeadToLists(t *testing.T) {
	surveyed(t, 20, nil, func(w *wholes, c *cloud) {
		w.let(func() { w.parts["3"], w.parts["5"] = []string{"a3"}, []string{"a5", "b5", "c5"} })
		w.let(func() { w.missing["7"] = true })
		pass(time.Minute + time.Second)
		_, gone := c.follow(w.T, "3").Get("b3")
		_, made := c.follow(w.T, "5").Get("c5")
		_, kept := c.follow(w.T, "7").Get("a7")
		if gone || !made || !kept || len(w.listed) != 3 {
			w.Errorf("what is gone is there: %t, what was made: %t, what moved: %t, after lists %v", gone, made, kept, w.listed)
		}
		pass(5 * time.Minute)
		if w.listed["3"] > 2 || w.listed["5"] > 2 || w.listed["7"] < 4 || w.total() > 12 {
			w.Errorf("in six periods there were the lists %v", w.listed)
		}
	})
}

// What comes back to what the survey has shown before is not taken for what a list has shown in between.
func TestSurveysDoNotSkipTheWayBack(t *testing.T) {
	surveyed(t, 20, nil, func(w *wholes, c *cloud) {
		w.let(func() { w.parts["3"] = []string{"a3"} })
		m := c.follow(w.T, "3")
		if err := m.Fresh(w.Context(), time.Now()); err != nil {
			w.Fatal(err)
		}
		w.let(func() { w.parts["3"] = []string{"a3", "b3"} })
		pass(time.Minute + time.Second)
		if _, there := m.Get("b3"); !there {
			w.Error("what came back is not there")
		}
	})
}

// Nor is it for what we have made of it ourselves, which no list has to show.
func TestSurveysDoNotSkipTheWayBackFromOurs(t *testing.T) {
	surveyed(t, 20, nil, func(w *wholes, c *cloud) {
		w.let(func() { w.parts["3"] = []string{"a3"} })
		m := c.follow(w.T, "3")
		(&target{lister: m.lister, mirror: m.Mirror}).drop("b3", time.Now())
		w.let(func() { w.parts["3"] = []string{"a3", "b3"} })
		pass(time.Minute + time.Second)
		if _, there := m.Get("b3"); !there {
			w.Error("what came back is not there")
		}
	})
}

// Who is told of a change of one whole lists it, and who is told of some change asks the survey of which.
func TestSurveysAfterHints(t *testing.T) {
	surveyed(t, 20, nil, func(w *wholes, c *cloud) {
		pass(10 * time.Second)
		w.reset()
		w.let(func() { w.parts["3"] = []string{"a3"} })
		named := c.follow(w.T, "3")
		named.lister.watch.doubt()
		named.Hint(true)
		pass(5 * time.Second)
		if w.surveys != 0 || w.listed["3"] != 1 || w.total() != 1 {
			w.Errorf("after a hint at one whole there were %d surveys and the lists %v", w.surveys, w.listed)
		}
		w.reset()
		w.let(func() { w.parts["4"] = []string{"a4"} })
		c.hint(true, func(*watched) bool { return true })
		pass(5 * time.Second)
		if _, there := c.follow(w.T, "4").Get("b4"); there || w.surveys != 1 || w.listed["4"] != 1 || w.total() > 2 {
			w.Errorf("after a hint at all there were %d surveys and the lists %v", w.surveys, w.listed)
		}
	})
}

// Wholes that nobody looks at any more do not count.
func TestSurveysForgetParents(t *testing.T) {
	surveyed(t, 6, nil, func(w *wholes, c *cloud) {
		for i := range 6 {
			c.follow(w.T, fmt.Sprint(i)).Unfollow("object")
		}
		pass((idle + 2) * time.Minute)
		if n := c.surveys["compute/wholes"].parents.Load(); n != 0 || len(c.mirrors) != 0 {
			w.Errorf("the survey counts %d wholes, and there are %d mirrors", n, len(c.mirrors))
		}
	})
}
