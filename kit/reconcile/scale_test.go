package reconcile_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/step"
)

func children(n int) kit.Definition[*app] {
	render := func(s *scope) ([]client.Object, error) {
		var out []client.Object
		for i := range n {
			cm := &corev1.ConfigMap{Data: map[string]string{"value": "fixed"}}
			cm.Name = fmt.Sprintf("%s-%d", s.Owner().Name, i)
			out = append(out, cm)
		}
		return out, nil
	}
	d := define(step.Objects("things", render, makesMaps))
	return d
}

// TestRestart is criteria 5 and 6 at a size that a unit test can have; `make bench-kit` has them in full. A process
// that starts on settled owners writes nothing and reads no single object. It renders every step once, for it may be
// another binary than the last one, and finds nothing to send.
func TestRestart(t *testing.T) { restart(t, 300, 5) }

func restart(t *testing.T, owners, each int) {
	t.Helper()
	inWorld(t, children(each), func(w *world) {
		for i := range owners {
			w.do(w.c.Create(w.t.Context(), newApp(fmt.Sprintf("app-%05d", i))))
		}
		w.pass(time.Minute)
		w.wantReady(fmt.Sprintf("app-%05d", owners-1))
		w.stop()
		begin := clock(unix.CLOCK_PROCESS_CPUTIME_ID)
		w.start()
		w.pass(time.Minute)
		t.Logf("restart_cpu %.2f s for %d owners with %d children each",
			(clock(unix.CLOCK_PROCESS_CPUTIME_ID) - begin).Seconds(), owners, each)
		if log := w.reqs.take(); len(log) > 0 {
			t.Errorf("the start sent %d requests: %s", len(log), strings.Join(log[:min(len(log), 5)], "; "))
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		t.Logf("heap_after_restart %d MiB with the API server in the same process", m.HeapAlloc>>20)
	})
}
