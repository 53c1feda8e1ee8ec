package reconcile_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"stackwright.dev/kit"
	"stackwright.dev/kit/backoff"
	"stackwright.dev/kit/cache"
	"stackwright.dev/kit/obs"
	"stackwright.dev/kit/reconcile"
)

// allocBudget and timeBudget are of criterion 1: a run at rest of an owner with 30 children. The criterion allows less
// than 100 allocations. They are an exact count, now 62, so that a fifth more than that is no chance: a change that
// needs them says so here. Times differ from machine to machine, and their budget is the criterion's.
const (
	allocBudget = 74
	timeBudget  = 50 * time.Microsecond
)

// newLoop returns a loop and its manager, as kit.NewManager makes them, and leaves it to the test to run the loop.
func newLoop(t *testing.T, def kit.Definition[*app], cfg *rest.Config) (*reconcile.Loop[*app], manager.Manager) {
	t.Helper()
	s := scheme(t)
	plan, err := reconcile.NewPlan(reconcile.Config[*app]{Name: def.Name, New: def.New, Refs: def.Refs, Steps: def.Steps,
		Parallel: 4, Deadline: 10 * time.Minute}, s)
	must(t, err)
	store := cache.NewStore(s, []string{def.Name})
	plan.Declare(store)
	o := manager.Options{Scheme: s, Metrics: metricsserver.Options{BindAddress: "0"}}
	o.Cache, err = store.Options(o.Cache)
	must(t, err)
	mgr, err := manager.New(cfg, o)
	must(t, err)
	must(t, store.Connect(t.Context(), mgr.GetCache()))
	l := reconcile.NewLoop(plan)
	l.Scheme, l.Store, l.Client, l.Live = s, store, mgr.GetClient(), mgr.GetAPIReader()
	l.Backoff = backoff.New(time.Now, rand.Float64)
	l.Recorder, l.Observe = mgr.GetEventRecorder(def.Name), obs.Default
	return l, mgr
}

// restingLoop returns a loop whose owner "big" is settled, and the request that runs it. It must be used in a bubble.
func restingLoop(t *testing.T, w *world) (*reconcile.Loop[*app], ctrlreconcile.Request) {
	t.Helper()
	cfg := w.api.Config()
	cfg.Transport = w.reqs
	l, mgr := newLoop(t, graph30(map[string]*atomic.Int64{}, &atomic.Int64{}), cfg)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	w.stop = func() {
		w.pass(time.Minute) // as world.stop does
		cancel()
		w.do(<-done)
	}
	w.pass(time.Second)
	req := ctrlreconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "big"}}
	for range 6 {
		_, err := l.Reconcile(t.Context(), req)
		w.do(err)
		w.pass(settle)
		w.roll()
	}
	_, err := l.Reconcile(t.Context(), req)
	w.do(err)
	w.wantReady("big")
	w.reqs.take()
	return l, req
}

// cpuTime returns the CPU time of one call: the best of 20 batches. The clock of a bubble is fake, and the wall clock
// of a busy machine says nothing; the time of the thread is real.
func cpuTime(f func()) time.Duration {
	const batches, calls = 20, 200
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Hour
	for range batches {
		begin := clock(unix.CLOCK_THREAD_CPUTIME_ID)
		for range calls {
			f()
		}
		best = min(best, (clock(unix.CLOCK_THREAD_CPUTIME_ID)-begin)/calls)
	}
	return best
}

// walls returns the times that half of the calls, and 99 of 100, stay below, as a clock on the wall sees them: pauses
// count.
func walls(f func()) (p50, p99 time.Duration) {
	took := make([]time.Duration, 5000)
	for i := range took {
		begin := clock(unix.CLOCK_MONOTONIC)
		f()
		took[i] = clock(unix.CLOCK_MONOTONIC) - begin
	}
	slices.Sort(took)
	return took[len(took)/2], took[len(took)*99/100]
}

// clock reads a clock that does not stand still in a bubble of synctest.
func clock(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

// TestRunAtRest is criterion 1: no request, allocations within the budget, at most 50 µs, and 1 ms for 99 of 100. The
// 50 µs are the best of several batches, so that a busy machine does not fail it.
func TestRunAtRest(t *testing.T) {
	base, err := template()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		api := base.Fresh()
		w := &world{t: t, api: api, stop: func() {}}
		w.reqs = &requests{next: api.Config().Transport}
		w.c, err = client.New(api.Config(), client.Options{Scheme: scheme(t)})
		w.do(err)
		w.create(secret("password", map[string]string{"password": "x"}), newApp("big"))
		l, req := restingLoop(t, w)
		defer w.stop()
		allocs := testing.AllocsPerRun(200, func() { _, _ = l.Reconcile(t.Context(), req) })
		if log := w.reqs.take(); len(log) > 0 {
			t.Errorf("a run at rest sent requests: %s", strings.Join(log, "; "))
		}
		t.Logf("noop_reconcile_allocs %.0f count", allocs)
		if allocs > allocBudget && !race { // the race detector lets pools lose what is put back
			t.Errorf("a run at rest allocates %.0f times, want at most %d", allocs, allocBudget)
		}
		best := cpuTime(func() { _, _ = l.Reconcile(t.Context(), req) })
		t.Logf("noop_reconcile_time %.1f us", float64(best.Nanoseconds())/1000)
		if best > timeBudget && !race {
			t.Errorf("a run at rest takes %s, want at most %s", best, timeBudget)
		}
		p50, p99 := walls(func() { _, _ = l.Reconcile(t.Context(), req) })
		t.Logf("noop_reconcile_p50 %.1f us", float64(p50.Nanoseconds())/1000)
		t.Logf("noop_reconcile_p99 %.1f us", float64(p99.Nanoseconds())/1000)
		if p99 > time.Millisecond && !race {
			t.Errorf("one of 100 runs at rest takes %s or longer, want at most 1ms", p99)
		}
	})
}
