package resources_test

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// crowd is how many parents there are with an object below each.
const crowd = 30

// eachCrowd plays f with a crowd of each kind that has a survey.
func eachCrowd(t *testing.T, fault func(k *d.Kind, r *http.Request) fake.Fault, f func(w *world, p *kittest.Play)) {
	t.Helper()
	for _, k := range kinds.Served() {
		if k.List.Survey.Path == "" {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, k)
			for i := range crowd - 1 {
				declared := map[string]any{}
				if err := yaml.Unmarshal([]byte(k.Sample), &declared); err != nil {
					t.Fatal(err)
				}
				w.resolve(k.Fields, declared)
				w.objects = append(w.objects, w.make(fmt.Sprint("more-", i), map[string]any{"resource": declared}))
			}
			if fault != nil {
				w.fault = func(_ int, r *http.Request) fake.Fault { return fault(k, r) }
			}
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { f(w, p) })
		})
	}
}

// surveys tells whether a request is that for the survey of a kind.
func surveys(k *d.Kind, r fake.Request) bool {
	path, _, _ := strings.Cut(k.List.Survey.Path, "?")
	asked, _, _ := strings.Cut(r.Path, "?")
	return strings.Contains(r.Path, "/"+cmp.Or(k.List.Survey.Service, k.Service)+"/") && strings.HasSuffix(asked, path)
}

// rest counts the requests of four periods at rest, and those among them for the survey.
func rest(w *world, p *kittest.Play) (all, survey int) {
	before := len(cloudOf(p).Requests())
	p.Pass(20 * time.Minute)
	for _, r := range cloudOf(p).Requests()[before:] {
		all++
		if surveys(w.kind, r) {
			survey++
		}
	}
	return all, survey
}

// However many parents there are, a cloud at rest is asked for one list.
func TestParentsAreSurveyed(t *testing.T) {
	eachCrowd(t, nil, func(w *world, p *kittest.Play) {
		p.Ready()
		p.Pass(30 * time.Minute)
		all, survey := rest(w, p)
		p.T.Logf("%d requests in four periods for %d parents, %d of them the survey", all, crowd, survey)
		lists := 1 // in each period
		if within := w.kind.List.Within; within > 0 {
			lists = int(5 * time.Minute / within)
		}
		if all > 5*lists || survey < 3*lists || all > survey+1 {
			p.T.Errorf("%d requests in four periods, %d of them the survey, want %d and these alone", all, survey, 4*lists)
		}
	})
}

// What somebody deletes or changes is seen within the period, and nothing else is looked at for it.
func TestSurveysShowChanges(t *testing.T) {
	eachCrowd(t, nil, func(w *world, p *kittest.Play) {
		p.Ready()
		p.Pass(30 * time.Minute)
		before := len(cloudOf(p).Requests())
		if w.kind.Shape == d.Singleton {
			cloudOf(p).Put(w.kind.Name, map[string]any{"project_id": "seed-project-1", "network": 1.0, "load_balancer": 1.0})
		} else {
			cloudOf(p).Remove(w.kind.Name, cloudOf(p).IDs(w.kind.Name)[0])
		}
		p.Pass(later)
		p.Ready()
		lists, writes := 0, 0
		for _, r := range cloudOf(p).Requests()[before:] {
			if r.Method != http.MethodGet {
				writes++
			} else {
				lists++
			}
		}
		if n := len(cloudOf(p).IDs(w.kind.Name)); n < crowd || writes != 1 || lists > 15 {
			p.T.Errorf("there are %d %s, after %d writes and %d other requests", n, w.kind.Plural, writes, lists)
		}
	})
}

// A cloud that refuses the survey is not asked for it again soon, and parents are listed one by one.
func TestSurveysThatAreRefused(t *testing.T) {
	refuse := func(k *d.Kind, r *http.Request) fake.Fault {
		if surveys(k, fake.Request{Path: r.URL.RequestURI()}) && r.Method == http.MethodGet {
			return fake.Refused(http.StatusForbidden, "Policy does not allow this list.")
		}
		return fake.None
	}
	eachCrowd(t, refuse, func(w *world, p *kittest.Play) {
		p.Ready()
		p.Pass(30 * time.Minute)
		if all, survey := rest(w, p); all < 4*crowd || survey > 1 {
			p.T.Errorf("%d requests in four periods, %d of them the survey", all, survey)
		}
	})
}
