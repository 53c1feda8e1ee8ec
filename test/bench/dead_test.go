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
	inEach = 12
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
	w.latency(all, 0) // what is slow for the first time
	var alive, dead []time.Duration
	for round := range 3 { // in turns: the machine has other things to do at times
		alive = append(alive, w.latency(all, 2*round+1)...)
		all[0].hangs.Store(true)
		dead = append(dead, w.latency(all, 2*round+2)...)
		all[0].hangs.Store(false)
		w.ready(4*time.Minute, "Cloud", "Project")
	}
	slices.Sort(alive)
	slices.Sort(dead)
	const most = 95 // percent
	figure(t, "latency", alive[len(alive)/2].Seconds()*1000, "ms", 0)
	figure(t, "latency_most", alive[len(alive)*most/100].Seconds()*1000, "ms", 0)
	figure(t, "latency_one_dead", dead[len(dead)/2].Seconds()*1000, "ms", 0)
	figure(t, "latency_one_dead_most", dead[len(dead)*most/100].Seconds()*1000, "ms", 0)
	figure(t, "latency_ratio", dead[len(dead)/2].Seconds()/alive[len(alive)/2].Seconds(), "times", 1.1)
}

// latency changes every object of every cloud, and returns the times until clouds other than the first have that.
func (w *world) latency(all []*sky, round int) (times []time.Duration) {
	w.t.Helper()
	text := fmt.Sprintf("round %d", round)
	patch := client.RawPatch("application/merge-patch+json",
		[]byte(`{"spec": {"resource": {"description": "`+text+`"}}}`))
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
			times = append(times, time.Since(begin))
		}
	}
	return times
}

// has tells whether the cloud has a project with that description.
func (s *sky) has(name, description string) bool {
	return slices.ContainsFunc(s.All("Project"), func(m map[string]any) bool {
		return m["name"] == name && m["description"] == description
	})
}
