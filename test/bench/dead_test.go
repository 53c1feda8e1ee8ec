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
	rounds = 7
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
	var ratios []float64
	for round := range rounds { // in turns, and each with its own: the machine has other things to do at times
		before := w.latency(all, 2*round+1)
		all[0].hangs.Store(true)
		with := w.latency(all, 2*round+2)
		all[0].hangs.Store(false)
		w.ready(4*time.Minute, "Cloud", "Project")
		alive, dead = append(alive, before...), append(dead, with...)
		ratios = append(ratios, percentile(with, 50).Seconds()/percentile(before, 50).Seconds())
	}
	slices.Sort(ratios)
	figure(t, "latency", percentile(alive, 50).Seconds()*1000, "ms", 0)
	figure(t, "latency_most", percentile(alive, 95).Seconds()*1000, "ms", 0)
	figure(t, "latency_one_dead", percentile(dead, 50).Seconds()*1000, "ms", 0)
	figure(t, "latency_one_dead_most", percentile(dead, 95).Seconds()*1000, "ms", 0)
	figure(t, "latency_ratio_least", ratios[0], "times", 0)
	figure(t, "latency_ratio", ratios[len(ratios)/2], "times", 1.1)
}

// percentile is the time that so many of a hundred do not exceed.
func percentile(times []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)-1)*percent/100]
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
