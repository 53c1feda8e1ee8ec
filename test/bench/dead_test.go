//go:build bench

package bench

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	skies  = 20
	inEach = 25
)

// One cloud of twenty that hangs does not slow down the others.
func TestDeadCloud(t *testing.T) {
	w := newWorld(t)
	var all []*sky
	var objects []client.Object
	w.operate()
	for i := range skies {
		s, ns := newSky(t), "sky-"+strconv.Itoa(i)
		all = append(all, s)
		w.make(namespace(ns), w.secret(ns, map[string]string{"clouds.yaml": s.CloudsYAML()}))
		objects = append(objects, w.object("Cloud", ns, "default", `{"secretRef": {"name": "cloud"}}`))
		for n := range inEach {
			objects = append(objects, w.object("Project", ns, "project-"+strconv.Itoa(n), `{"resource": {"description": "0"}}`))
		}
	}
	w.make(objects...)
	w.ready(4*time.Minute, "Cloud", "Project")
	w.latency(all, 1) // what is slow for the first time
	alive := w.latency(all, 2)
	all[0].hangs.Store(true)
	dead := w.latency(all, 3)
	all[0].hangs.Store(false)
	again := w.latency(all, 4)
	figure(t, "latency", alive.Seconds()*1000, "ms", 0)
	figure(t, "latency_one_dead", dead.Seconds()*1000, "ms", 0)
	figure(t, "latency_alive_again", again.Seconds()*1000, "ms", 0)
	figure(t, "latency_ratio", 2*dead.Seconds()/(alive+again).Seconds(), "times", 1.1)
}

// latency changes every object of every cloud, and returns the mean time until a cloud other than the first has it.
func (w *world) latency(all []*sky, round int) time.Duration {
	w.t.Helper()
	text := fmt.Sprintf("round %d", round)
	patch := client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec": {"resource": {"description": "`+text+`"}}}`))
	var sum time.Duration
	for n := range inEach {
		dead := w.object("Project", "sky-0", "project-"+strconv.Itoa(n), `{}`)
		if err := w.Patch(w.t.Context(), dead, patch); err != nil {
			w.t.Fatal(err)
		}
	}
	for n := range inEach {
		for i, s := range all[1:] {
			o := w.object("Project", "sky-"+strconv.Itoa(i+1), "project-"+strconv.Itoa(n), `{}`)
			begin := time.Now()
			if err := w.Patch(w.t.Context(), o, patch); err != nil {
				w.t.Fatal(err)
			}
			for !s.has("project-"+strconv.Itoa(n), text) {
				if time.Since(begin) > time.Minute {
					w.t.Fatalf("a minute after a change of project-%d cloud %d does not have it", n, i+1)
				}
				<-time.After(time.Millisecond)
			}
			sum += time.Since(begin)
		}
	}
	return sum / time.Duration(inEach*(len(all)-1))
}

// has tells whether the cloud has a project with that description.
func (s *sky) has(name, description string) bool {
	return slices.ContainsFunc(s.All("Project"), func(m map[string]any) bool {
		return m["name"] == name && m["description"] == description
	})
}
