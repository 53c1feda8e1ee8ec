package resources_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

func has(events []string, start, text string) bool {
	return slices.ContainsFunc(events, func(e string) bool {
		return strings.HasPrefix(e, start) && strings.Contains(e, text)
	})
}

// What becomes of a resource is told, and counted, once.
func TestEvents(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.registry = prometheus.NewRegistry()
	w.station = newStation()
	w.station.exchanges = nil // nothing is heard: it is only counted
	s := w.scenario()
	s.Files = s.Files[:len(s.Files)-1] // the recorder loses what comes before it has begun
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Create(&unstructured.Unstructured{Object: w.object})
		p.Settle()
		p.Ready()
		if all := p.Events("Project/sample"); !has(all, "Normal Created: ", "is made") || has(all, "Warning", "") {
			t.Errorf("after creation the events are %q", all)
		}
		row := made(w, p)[0]
		cloudOf(p).Put("Project", map[string]any{"id": row["id"], "description": "changed"})
		p.Pass(later)
		p.Settle()
		if all := p.Events("Project/sample"); !has(all, "Warning DriftCorrected: ", "description") {
			t.Errorf("after a change the events are %q", all)
		}
		p.Change("Project/sample", "spec.resource.description", "wanted by a person")
		p.Settle()
		cloudOf(p).Remove("Project", cloudOf(p).IDs("Project")[w.seeded("Project")])
		p.Pass(later)
		p.Settle()
		if all := p.Events("Project/sample"); !has(all, "Warning DeletedOutside: ", "made again") {
			t.Errorf("after a deletion the events are %q", all)
		}
		w.counted()
		before := len(p.Events("Project/sample"))
		p.Pass(time.Hour)
		if n := len(p.Events("Project/sample")); n > before {
			t.Errorf("%d events in an hour in which nothing happens", n-before)
		}
	})
}

// counted looks at the metrics after a change and a deletion behind our back.
func (w *world) counted() {
	w.t.Helper()
	series := `{cloud="default/default",kind="Project"}`
	for name, want := range map[string]float64{"drift_found_total": 2, "drift_corrected_total": 2, "mirror_resources": 1,
		"pending": 0} {
		if got := w.metric(name + series); got != want {
			w.t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := w.metric(`listening{cloud="default/default"}`); got != 0 {
		w.t.Errorf("listening is %v", got)
	}
	if age := w.metric("mirror_age_seconds" + series); age <= 0 || age > 300 {
		w.t.Errorf("the mirror is %v s old", age)
	}
	if size := w.metric("mirror_bytes" + series); size < 50 {
		w.t.Errorf("the mirror has %v bytes", size)
	}
}

// A resource with the marker of an object that is not there is an orphan, also while the operator has just started; one
// of another cluster is not.
func TestOrphansAreCounted(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.registry = prometheus.NewRegistry()
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		series := `orphans{cloud="default/default",kind="Project"}`
		if n := w.metric(series); n != 0 {
			t.Errorf("%v orphans although all is well", n)
		}
		for name, tag := range map[string]string{"ours": "." + w.cluster, "theirs": ".ffffffff", "old": ""} {
			cloudOf(p).Put("Project", map[string]any{"name": name, "stackwright_owner": "aaaa" + tag})
		}
		p.Pass(later)
		if n := w.metric(series); n != 1 {
			t.Errorf("%v orphans, want 1", n)
		}
		p.Restart()
		p.Pass(later)
		if n := w.metric(series); n != 1 {
			t.Errorf("%v orphans after a restart, want 1", n)
		}
	})
}

// Drift that is only reported is found once, however often it is seen.
func TestReportedDriftCountsOnce(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.registry = prometheus.NewRegistry()
	w.spec()["drift"] = "Report"
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).Put("Project", map[string]any{"id": made(w, p)[0]["id"], "description": "changed"})
		p.Pass(later)
		cloudOf(p).Put("Project", map[string]any{"id": made(w, p)[0]["id"], "description": "changed again"})
		p.Pass(later)
		p.Settle()
		series := `{cloud="default/default",kind="Project"}`
		if found, corrected := w.metric("drift_found_total"+series), w.metric("drift_corrected_total"+series); found != 1 ||
			corrected != 0 {
			t.Errorf("found %v, corrected %v", found, corrected)
		}
		if all := p.Events("Project/sample"); !has(all, "Normal Differs: ", "description") {
			t.Errorf("the events are %q", all)
		}
	})
}

// What a service refuses is told with the request, by which it is found in the service's logs, and the condition, which
// stays the same, goes without.
func TestRefusalIsTold(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.fault = func(_ int, r *http.Request) fake.Fault {
		if r.Method == http.MethodPatch {
			return fake.Down
		}
		return fake.None
	}
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Project/sample", "spec.resource.description", "other")
		p.Pass(time.Hour)
		all := p.Events("Project/sample")
		if !has(all, "Warning ", "(request req-") {
			t.Errorf("the events are %q", all)
		}
		if len(all) > 6 {
			t.Errorf("%d events about one failure: %q", len(all), all)
		}
		if c := p.Condition("Project/sample", "Ready"); c.Status != "False" || strings.Contains(c.Message, "req-") {
			t.Errorf("the condition is %v", c)
		}
	})
}

// Who waits first and is refused then is told so, with the request, although it was not ready before either.
func TestRefusalAfterWaitingIsTold(t *testing.T) {
	refuse := func(_ int, r *http.Request) fake.Fault {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/users") {
			return fake.Down
		}
		return fake.None
	}
	objects := good(namespace("default"), one("Project", "default", "other", "resource: {}"),
		one("User", "default", "ann", "resource: {defaultProjectRef: {name: shop}}"))
	kittest.New(t, stage(t, func(c *fake.Cloud) { c.Fault = refuse }, objects...)).Run(t, func(p *kittest.Play) {
		wantSays(p, "User/ann", "False Waiting")
		another("Project", "shop", "resource: {}")(p)
		p.Pass(time.Hour)
		wantSays(p, "User/ann", "False Unavailable")
		all := p.Events("User/ann")
		if len(all) != 1 || !has(all, "Warning ", "(request req-") {
			t.Errorf("the events are %q", all)
		}
	})
}

// Nova's fault of a server is in the condition, the same in each run, and in an Event, once.
func TestFaultIsTold(t *testing.T) {
	w := newWorld(t, kind(t, "Server"))
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		const fault = "No valid host was found."
		cloudOf(p).Put("Server", map[string]any{"id": made(w, p)[0]["id"], "status": "ERROR",
			"fault": map[string]any{"code": float64(500), "message": fault}})
		p.Pass(later)
		const said = "the Server is in state ERROR: No valid host was found; repair it"
		told := func() []string {
			return slices.DeleteFunc(p.Events("Server/sample"), func(e string) bool { return !strings.HasPrefix(e, "Warning ") })
		}
		if all := told(); len(all) != 1 || !strings.Contains(all[0], said) {
			t.Errorf("the warnings are %q", all)
		}
		before := p.Condition("Server/sample", "Ready")
		if !strings.Contains(before.Message, said) {
			t.Errorf("the condition is %v", before)
		}
		p.Pass(time.Hour)
		if now := p.Condition("Server/sample", "Ready"); now != before {
			t.Errorf("after an hour the condition is %v, it was %v", now, before)
		}
		if all := told(); len(all) != 1 {
			t.Errorf("after an hour the warnings are %q", all)
		}
	})
}

// metric is the value of a series, without the prefix of its name.
func (w *world) metric(series string) float64 {
	w.t.Helper()
	families, err := w.registry.Gather()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			if f.GetName()+"{"+strings.Join(labels, ",")+"}" == "stackwright_resources_"+series {
				return m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	w.t.Errorf("there is no %s", series)
	return -1
}
