package reconcile_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"stackwright.dev/kit"
	"stackwright.dev/kit/crd"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/kittest/apiserver"
)

type app = v1alpha1.App

// settle is longer than any wake-up that an event causes, and shorter than any backoff that matters.
const settle = 500 * time.Millisecond

// requests counts what goes to the API server, by verb; watches and discovery are left out.
type requests struct {
	next http.RoundTripper
	mu   sync.Mutex
	log  []string
	// events is how many events were sent since the start.
	events int
	// slow is what an answer to a write to a child of app big takes, and sent when the writes to each path began.
	slow time.Duration
	sent map[string][]time.Time
	// before is told of each request that is counted; it may be nil.
	before func(*http.Request)
}

func (r *requests) RoundTrip(h *http.Request) (*http.Response, error) {
	q := h.URL.Query()
	watching := q.Get("watch") != "" || (h.Method == http.MethodGet && q.Has("resourceVersion"))
	if !watching && strings.Count(h.URL.Path, "/") > 3 {
		r.mu.Lock()
		r.log = append(r.log, h.Method+" "+h.URL.Path)
		if strings.HasSuffix(h.URL.Path, "/events") {
			r.events++
		}
		r.mu.Unlock()
		if r.before != nil {
			r.before(h)
		}
	}
	if h.Method == http.MethodPatch && r.slow > 0 && !strings.Contains(h.URL.Path, "/apps/big") {
		r.mu.Lock()
		r.sent[h.URL.Path] = append(r.sent[h.URL.Path], time.Now())
		r.mu.Unlock()
		select {
		case <-time.After(r.slow):
		case <-h.Context().Done():
			return nil, h.Context().Err()
		}
	}
	return r.next.RoundTrip(h)
}

// take returns the requests since the last call; events are counted apart and left out.
func (r *requests) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, l := range r.log {
		if !strings.HasSuffix(l, "/events") {
			out = append(out, l)
		}
	}
	r.log = nil
	return out
}

func count(log []string, verb, part string) int {
	n := 0
	for _, l := range log {
		if strings.HasPrefix(l, verb) && strings.Contains(l, part) {
			n++
		}
	}
	return n
}

var template = sync.OnceValues(func() (*apiserver.Server, error) {
	apps, err := crd.Read(os.DirFS("../examples/app/crd"))
	if err != nil {
		return nil, err
	}
	things, err := crd.Read(os.DirFS("testdata/crd"))
	if err != nil {
		return nil, err
	}
	return apiserver.New(append(apps, things...)...)
})

func scheme(tb testing.TB) *runtime.Scheme {
	tb.Helper()
	s, err := newScheme()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// newScheme makes the scheme once, so that a restart of the operator costs little.
var newScheme = sync.OnceValues(func() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme,
		apiextensionsv1.AddToScheme, addThings} {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	return s, nil
})

// world is an operator on the in-memory API server. It lives in a synctest bubble.
type world struct {
	t    testing.TB
	api  *apiserver.Server
	c    client.Client
	reqs *requests
	def  kit.Definition[*app]
	stop func()
}

// inWorld runs f in a bubble with an operator that is started.
func inWorld(t *testing.T, def kit.Definition[*app], f func(w *world)) {
	t.Helper()
	base, err := template()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		api := base.Fresh()
		w := &world{t: t, api: api, def: def, stop: func() {}}
		w.c, err = client.New(api.Config(), client.Options{Scheme: scheme(t)})
		if err != nil {
			t.Fatal(err)
		}
		w.start()
		defer func() { w.stop() }()
		f(w)
	})
}

// start starts a new process of the operator; a former one must be stopped.
func (w *world) start() {
	w.t.Helper()
	s := scheme(w.t)
	ctl, err := kit.New(w.def, s)
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := w.api.Config()
	w.reqs = &requests{next: cfg.Transport}
	cfg.Transport = w.reqs
	mgr, err := newManager(cfg, s, ctl)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	w.stop = func() {
		w.pass(time.Minute) // the event broadcaster leaks goroutines when it is stopped with events in its queue
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
		w.stop = func() {}
	}
	w.pass(time.Second)
}

func newManager(cfg *rest.Config, s *runtime.Scheme, ctl kit.Controller) (manager.Manager, error) {
	return kit.NewManager(cfg, manager.Options{Scheme: s, Metrics: metricsserver.Options{BindAddress: "0"}}, ctl)
}

// pass lets fake time go by.
func (w *world) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (w *world) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(objs ...client.Object) {
	w.t.Helper()
	for _, o := range objs {
		if o.GetNamespace() == "" {
			o.SetNamespace("default")
		}
		w.do(w.c.Create(w.t.Context(), o))
	}
	w.pass(settle)
}

func newApp(name string) *app {
	a := &app{}
	a.Name, a.Namespace = name, "default"
	a.Spec = v1alpha1.AppSpec{Image: "app:1", Replicas: 1, PasswordSecret: "password", Directory: "http://directory.test"}
	return a
}

func secret(name string, data map[string]string) *corev1.Secret {
	s := &corev1.Secret{Data: map[string][]byte{}}
	s.Name, s.Namespace = name, "default"
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

func (w *world) app(name string) *app {
	w.t.Helper()
	a := &app{}
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, a))
	if err := kittest.Coherent(a); err != nil {
		w.t.Errorf("%s: %v", name, err)
	}
	return a
}

// change edits an object the way a person with kubectl edit does.
func change[O client.Object](w *world, o O, name string, f func(O)) {
	w.t.Helper()
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, o))
	f(o)
	w.do(w.c.Update(w.t.Context(), o))
	w.pass(settle)
}

func (w *world) condition(name, kind string) metav1.Condition {
	w.t.Helper()
	for _, c := range w.app(name).Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return metav1.Condition{Type: kind, Status: "Absent"}
}

func (w *world) wantReady(name string) {
	w.t.Helper()
	if c := w.condition(name, "Ready"); c.Status != metav1.ConditionTrue {
		w.t.Fatalf("%s is not ready: %s %s", name, c.Reason, c.Message)
	}
}

// roll plays the controllers of Kubernetes: every Deployment becomes available, every Job completes.
func (w *world) roll() {
	w.t.Helper()
	deps := &appsv1.DeploymentList{}
	w.do(w.c.List(w.t.Context(), deps))
	for i := range deps.Items {
		d := &deps.Items[i]
		d.Status = available(d)
		w.do(w.c.Status().Update(w.t.Context(), d))
	}
	jobs := &batchv1.JobList{}
	w.do(w.c.List(w.t.Context(), jobs))
	for i := range jobs.Items {
		w.finishJob(&jobs.Items[i], batchv1.JobComplete)
	}
	w.pass(settle)
}

// available is the status of a Deployment that is rolled out.
func available(d *appsv1.Deployment) appsv1.DeploymentStatus {
	n := *d.Spec.Replicas
	return appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n,
		AvailableReplicas: n, Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable,
			Status: corev1.ConditionTrue}}}
}

func (w *world) finishJob(j *batchv1.Job, how batchv1.JobConditionType) {
	w.t.Helper()
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed {
			return
		}
	}
	now := metav1.Now()
	j.Status.StartTime, j.Status.CompletionTime = &now, &now
	if how == batchv1.JobFailed {
		j.Status.CompletionTime = nil
	}
	j.Status.Conditions = append(j.Status.Conditions,
		batchv1.JobCondition{Type: how, Status: corev1.ConditionTrue, LastTransitionTime: now})
	w.do(w.c.Status().Update(w.t.Context(), j))
}

// settled rolls until nothing changes any more.
func (w *world) settled(levels int) {
	w.t.Helper()
	for range levels {
		w.roll()
	}
	w.reqs.take()
}

func (w *world) wantRequests(what string, want int) []string {
	w.t.Helper()
	log := w.reqs.take()
	if len(log) != want {
		w.t.Errorf("%s: %d requests, want %d: %s", what, len(log), want, strings.Join(log, "; "))
	}
	return log
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
