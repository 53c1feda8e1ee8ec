//go:build bench

package bench

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/openstack/bus/broker"
	"stackwright.dev/stackwright/internal/openstack/fake"
)

const (
	people = 10 // namespaces
	period = time.Minute
)

// crowd is 10,000 objects of 12 kinds. In specs i is the number of the object and ns that of its namespace, in which
// are all that it refers to. The members of each of ten groups, and what each of ten roles implies, are lists of their
// own.
var crowd = []struct {
	kind string
	n    int
	spec string
}{
	{"Domain", 50, `"description": "Number {i}"`},
	{"Region", 50, `"description": "Number {i}"`},
	{"Role", 150, `"description": "Number {i}"`},
	{"Service", 150, `"type": "type-{i}"`},
	{"Project", 2600, `"description": "Number {i}", "domainRef": {"name": "domain-{ns}"}, "tags": ["a", "b"]`},
	{"User", 2500, `"description": "Number {i}", "domainRef": {"name": "domain-{ns}"}, "email": "{i}@example.org"`},
	{"Group", 600, `"description": "Number {i}", "domainRef": {"name": "domain-{ns}"}`},
	{"RoleInference", 100, `"priorRoleRef": {"name": "role-{next of ns}"}, "impliedRoleRef": {"name": "role-{later}"}`},
	{"RegisteredLimit", 100, `"serviceRef": {"name": "service-{ns}"}, "resourceName": "things-{i}", "defaultLimit": 10`},
	{"Endpoint", 300, `"serviceRef": {"name": "service-{half}"}, "interface": "{face}", "url": "https://{i}.example.org"`},
	{"RoleAssignment", 2500, `"roleRef": {"name": "role-{ns}"}, "userRef": {"name": "user-{i}"},
		"projectRef": {"name": "project-{i}"}`},
	{"GroupMembership", 900, `"groupRef": {"name": "group-{next of ns}"}, "userRef": {"name": "user-{i}"}`},
}

func (w *world) crowd() (out []client.Object, names []string) {
	w.t.Helper()
	for _, c := range crowd {
		names = append(names, c.kind)
		for i := range c.n {
			number, ns := strconv.Itoa(i), strconv.Itoa(i%people)
			words := strings.NewReplacer("{i}", number, "{ns}", ns, "{later}", strconv.Itoa(i+2*people),
				"{next of ns}", "1"+ns, "{half}", strconv.Itoa(i%150), "{face}", []string{"public", "internal"}[i/150%2])
			out = append(out, w.object(c.kind, "people-"+ns, strings.ToLower(c.kind)+"-"+number,
				`{"resource": {`+words.Replace(c.spec)+`}}`))
		}
	}
	return out, names
}

// offer makes a ClusterCloud that notifies.
func (w *world) offer(s *sky, b *broker.Broker) {
	w.t.Helper()
	w.make(namespace("openstack"))
	for i := range people {
		w.make(namespace("people-" + strconv.Itoa(i)))
	}
	w.make(w.secret("openstack", map[string]string{"clouds.yaml": s.CloudsYAML(), "transport_url": b.URL()}),
		w.object("ClusterCloud", "", "default", `{"secretRef": {"name": "cloud", "namespace": "openstack"},
			"namespaceSelector": {}, "syncPeriod": "`+period.String()+`",
			"limits": {"requestsPerSecond": 1000, "parallel": 100},
			"notifications": {"secretRef": {"name": "cloud", "namespace": "openstack"}}}`))
}

// 10,000 objects at rest cost next to nothing, and what is changed behind our back is put right.
func TestRest(t *testing.T) {
	w, s := newWorld(t), newSky(t)
	b, err := broker.Listen("127.0.0.1:0", nil, "keystone")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	s.Notify = func(n fake.Notification) { b.Notify(n.Exchange, n.Type, n.Payload) }
	w.offer(s, b)
	o := w.operate()
	objects, names := w.crowd()
	begin := time.Now()
	w.make(objects...)
	w.ready(8*time.Minute, names...)
	figure(t, "objects", float64(len(objects)), "objects", 0)
	figure(t, "create", time.Since(begin).Seconds(), "s", 0)
	figure(t, "create_api_requests", o.requests()/float64(len(objects)), "requests/object", 0)
	figure(t, "create_memory", o.memory(), "MiB", 0)
	o.stop()
	begin, o = time.Now(), w.operate()
	o.settled(2*time.Minute, float64(len(objects)))
	figure(t, "start", time.Since(begin).Seconds()-5, "s", 0)
	w.rest(o, s)
	figure(t, "correct_notified", w.corrected(s, 5).Seconds(), "s", 5)
	w.deaf(o)
	figure(t, "correct_listed", w.corrected(s, 1).Seconds(), "s", period.Seconds()+10)
}

// rest measures one period in which nothing happens.
func (w *world) rest(o *operator, s *sky) {
	w.t.Helper()
	reads, writes := o.requests(`method="GET"`), o.requests()-o.requests(`method="GET"`)
	lists := rate(w.t.Context(), period, func() float64 { return float64(s.asked.Load()) })
	figure(w.t, "rest_cloud_requests", lists, "requests/s", 1)
	reads, writes = o.requests(`method="GET"`)-reads, o.requests()-o.requests(`method="GET"`)-writes
	figure(w.t, "rest_api_reads", reads/period.Seconds(), "requests/s", 0)
	figure(w.t, "rest_api_writes", writes, "requests", 0)
	if writes > 0 {
		w.t.Errorf("the operator wrote %.0f times at rest", writes)
	}
	figure(w.t, "rest_memory", o.memory(), "MiB", 300)
	figure(w.t, "rest_processor", 100*rate(w.t.Context(), 10*time.Second, func() float64 {
		return o.sum("process_cpu_seconds_total")
	}), "%", 0)
}

// corrected changes something behind the operator's back, a few times, and returns the longest time until it is put
// right.
func (w *world) corrected(s *sky, times int) (longest time.Duration) {
	w.t.Helper()
	for range times {
		row := s.All("Project")[100]
		id, want := row["id"].(string), row["description"]
		s.Put("Project", map[string]any{"id": id, "description": "changed behind our back"})
		took := w.until(2*period, "the change is corrected", func() bool {
			return s.All("Project")[100]["description"] == want
		})
		longest = max(longest, took)
	}
	return longest
}

// deaf takes the bus away from the cloud, and waits until all that are of it have looked at it anew.
func (w *world) deaf(o *operator) {
	w.t.Helper()
	before := o.runs()
	cloud := w.object("ClusterCloud", "", "default", `{}`)
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec": {"notifications": null}}`))
	if err := w.Patch(w.t.Context(), cloud, patch); err != nil {
		w.t.Fatal(err)
	}
	o.settled(2*time.Minute, before+1)
}
