//go:build bench

package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"stackwright.dev/kit/kittest/apiserver"
	"stackwright.dev/kit/step"
)

// witness sees which owners run, and how long it takes to find out whom an update of a Secret concerns.
type witness struct {
	next ctrlreconcile.Reconciler
	mu   sync.Mutex
	ran  []string
	maps []time.Duration
}

// Reconcile notes the owner and passes it on.
func (w *witness) Reconcile(ctx context.Context, r ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	out, err := w.next.Reconcile(ctx, r)
	w.mu.Lock()
	w.ran = append(w.ran, r.Name)
	w.mu.Unlock()
	return out, err
}

func (w *witness) timed(h handler.EventHandler) handler.EventHandler {
	return handler.Funcs{CreateFunc: h.Create, DeleteFunc: h.Delete, UpdateFunc: func(ctx context.Context,
		e event.UpdateEvent, q workqueue.TypedRateLimitingInterface[ctrlreconcile.Request]) {
		begin := time.Now()
		h.Update(ctx, e, q)
		w.mu.Lock()
		defer w.mu.Unlock()
		if e.ObjectNew.GetName() != "" && e.ObjectNew.GetResourceVersion() != e.ObjectOld.GetResourceVersion() {
			w.maps = append(w.maps, time.Since(begin))
		}
	}}
}

// until waits for n runs, and then for more that should not come.
func (w *witness) until(t *testing.T, n int, rest time.Duration) []string {
	t.Helper()
	for begin := time.Now(); ; <-time.After(10 * time.Millisecond) {
		w.mu.Lock()
		got := len(w.ran)
		w.mu.Unlock()
		if got >= n {
			break
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("after a minute %d owners have run, want %d", got, n)
		}
	}
	<-time.After(rest)
	w.mu.Lock()
	defer w.mu.Unlock()
	ran := w.ran
	w.ran = nil
	return ran
}

// TestScaleWake is criterion 16: of 10,000 owners that refer to a Secret each, a change of one Secret wakes one owner,
// and to find it takes less than a millisecond.
func TestScaleWake(t *testing.T) {
	const owners = 10000
	def := families(1, func() {}, step.Reads[*app]("password"))
	base, err := template()
	must(t, err)
	api := base.Fresh()
	settledPattern(t, def).copies(t, def, owners, 1, api)
	loadPasswords(t, api, owners)
	l, mgr := newLoop(t, def, api.Config())
	w := &witness{next: l}
	ctl, err := controller.New(def.Name, mgr, controller.Options{Reconciler: w, SkipNameValidation: new(true)})
	must(t, err)
	must(t, l.Kinds(l.Store, func(gk schema.GroupKind) error {
		proto, err := l.Store.Prototype(gk)
		if err != nil {
			return err
		}
		h := l.Handler(gk)
		if gk.Kind == "Secret" {
			h = w.timed(h)
		}
		return ctl.Watch(source.Kind(mgr.GetCache(), proto, h))
	}))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	defer func() { cancel(); must(t, <-done) }()
	w.until(t, owners, time.Second)
	c, err := client.New(api.Config(), client.Options{Scheme: scheme(t)})
	must(t, err)
	for i := range 20 {
		s := &corev1.Secret{}
		name := fmt.Sprintf("app-%05d", i*499)
		must(t, c.Get(t.Context(), types.NamespacedName{Namespace: "default", Name: "password-" + name}, s))
		s.Data["password"] = []byte("changed")
		must(t, c.Update(t.Context(), s))
		if ran := w.until(t, 1, 200*time.Millisecond); len(ran) != 1 || ran[0] != name {
			t.Errorf("a change of the Secret of %s woke %v", name, ran)
		}
	}
	slices.Sort(w.maps)
	median := w.maps[len(w.maps)/2]
	t.Logf("criterion 16: %d changes of one Secret among %d owners: found whom to wake in %s to %s, median %s",
		len(w.maps), owners, w.maps[0], w.maps[len(w.maps)-1], median)
	if median > time.Millisecond || len(w.maps) != 20 {
		t.Errorf("it took %s to find whom to wake, want at most 1 ms, in %d events", median, len(w.maps))
	}
}

// loadPasswords gives each owner its Secret.
func loadPasswords(t *testing.T, api *apiserver.Server, owners int) {
	t.Helper()
	for i := range owners {
		s := secret(fmt.Sprintf("password-app-%05d", i), map[string]string{"password": "x"})
		s.UID, s.Type = types.UID(fmt.Sprintf("password-%d", i)), corev1.SecretTypeOpaque
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s)
		must(t, err)
		u := &unstructured.Unstructured{Object: content}
		u.SetAPIVersion("v1")
		u.SetKind("Secret")
		must(t, api.Load(u))
	}
}
