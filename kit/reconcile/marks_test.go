package reconcile_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// Somebody takes away all annotations or labels of a child, the kit's own among them, by which it finds the owner and
// the step. One apply heals that, and the object is not deleted, whether the operator runs or not.
func TestMarksTakenAway(t *testing.T) {
	def := define(step.Objects("web", workload("web"), makesWeb), step.Objects("config", configMap("config", fixed),
		makesMaps))
	// Kinds that are referred to are watched without a label selector.
	def.Refs = append(def.Refs, ref.Local("others", &corev1.ConfigMap{}, func(*app) string { return "" }))
	for kind, child := range map[string]struct {
		object func() client.Object
		name   string
	}{
		"Deployment": {func() client.Object { return &appsv1.Deployment{} }, "one-web"},
		"ConfigMap":  {func() client.Object { return &corev1.ConfigMap{} }, "one-config"},
	} {
		for what, strip := range map[string]func(client.Object){
			"annotations": func(o client.Object) { o.SetAnnotations(nil) },
			"labels":      func(o client.Object) { o.SetLabels(nil) },
			"both":        func(o client.Object) { o.SetAnnotations(nil); o.SetLabels(nil) },
		} {
			t.Run(kind+"/"+what, func(t *testing.T) {
				inWorld(t, def, func(w *world) {
					w.create(newApp("one"))
					w.settled(2)
					before := w.uid(child.object(), child.name)
					change(w, child.object(), child.name, strip)
					w.wantWrites(what+" taken away", child.name)
					w.stop()
					change(w, child.object(), child.name, strip)
					w.start()
					w.wantWrites(what+" taken away while the operator was down", child.name)
					if after := w.uid(child.object(), child.name); after != before {
						t.Errorf("the object was replaced: %s, then %s", before, after)
					}
				})
			})
		}
	}
}

// wantWrites wants one apply of an object and no other write of it.
func (w *world) wantWrites(what, name string) {
	w.t.Helper()
	log := w.reqs.take()
	if count(log, "PATCH", "/"+name) != 1 || count(log, "DELETE", "") != 0 {
		w.t.Errorf("%s: want one apply of %s: %s", what, name, strings.Join(log, "; "))
	}
	w.roll()
	w.wantReady("one")
	w.reqs.take()
}

func (w *world) uid(o client.Object, name string) types.UID {
	w.t.Helper()
	w.do(w.c.Get(w.t.Context(), types.NamespacedName{Namespace: "default", Name: name}, o))
	if o.GetAnnotations()["kit.stackwright.dev/step"] == "" || o.GetLabels()["kit.stackwright.dev/controller"] == "" {
		w.t.Errorf("%s has not got its marks: %v %v", name, o.GetAnnotations(), o.GetLabels())
	}
	return o.GetUID()
}
