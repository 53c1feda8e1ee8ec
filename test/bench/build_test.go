//go:build bench

package bench

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

const (
	builds = 1000
	build  = time.Minute
)

// A thousand resources that take a while to build are looked at by lists, and each is seen soon after it is ready.
func TestBuild(t *testing.T) {
	all := kinds.Served()
	i := slices.IndexFunc(all, func(k *d.Kind) bool { return k.Name == "Server" })
	if i < 0 {
		figure(t, "builds", 0, "objects (no kind Server is served)", 0)
		return
	}
	w, s := newWorld(t), newSky(t)
	s.Build = build
	w.make(namespace("builds"), w.secret("builds", map[string]string{"clouds.yaml": s.CloudsYAML()}),
		w.object("Cloud", "builds", "default", `{"secretRef": {"name": "cloud"},
			"limits": {"requestsPerSecond": 1000, "parallel": 100}}`))
	w.operate()
	w.ready(time.Minute, "Cloud")
	w.builds(s, all[i])
}

// builds makes the objects, and measures while all of them are pending and until the last is ready.
func (w *world) builds(s *sky, k *d.Kind) {
	w.t.Helper()
	declared := map[string]any{}
	if err := yaml.Unmarshal([]byte(k.Sample), &declared); err != nil {
		w.t.Fatal(err)
	}
	s.offer(k.Fields, declared)
	spec, err := json.Marshal(map[string]any{"resource": declared})
	if err != nil {
		w.t.Fatal(err)
	}
	var objects []client.Object
	for n := range builds {
		objects = append(objects, w.object(k.Name, "builds", "build-"+strconv.Itoa(n), string(spec)))
	}
	w.make(objects...)
	w.until(5*time.Minute, "everything is being built", func() bool { return len(s.IDs(k.Name)) == builds })
	figure(w.t, "builds", builds, "objects", 0)
	polls := rate(w.t.Context(), build/2, func() float64 { return float64(s.asked.Load()) })
	figure(w.t, "build_requests", polls, "requests/s", 2)
	w.ready(3*build, k.Name)
	figure(w.t, "build_seen", w.seen(s, k).Seconds(), "s", 5)
}

// offer puts what a sample refers to by name into the cloud.
func (s *sky) offer(fields []d.Field, declared map[string]any) {
	for _, f := range fields {
		list, ok := declared[f.Spec()].([]any)
		if !ok {
			list = []any{declared[f.Spec()]}
		}
		for _, v := range list {
			m, _ := v.(map[string]any)
			if e, ok := m["external"].(map[string]any); ok && f.Ref != "" {
				s.Put(f.Ref, map[string]any{"name": e["name"]})
			}
			s.offer(f.Fields, m)
		}
	}
}

// seen is the longest time from when a resource was ready until its object was. Both are known to the second.
func (w *world) seen(s *sky, k *d.Kind) (longest time.Duration) {
	w.t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(openstackv1.GroupVersion.String())
	list.SetKind(k.Name + "List")
	if err := w.List(w.t.Context(), list); err != nil {
		w.t.Fatal(err)
	}
	at := map[string]time.Time{}
	for _, u := range list.Items {
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		for _, c := range conditions {
			if m, _ := c.(map[string]any); m["type"] == "Ready" {
				at[u.GetName()], _ = time.Parse(time.RFC3339, m["lastTransitionTime"].(string))
			}
		}
	}
	for _, row := range s.All(k.Name) {
		made, err := time.Parse(time.RFC3339, row["created_at"].(string))
		if name, _ := row["name"].(string); err == nil {
			longest = max(longest, at[name].Sub(made.Add(build)))
		}
	}
	return longest
}
