package reconcile_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/step"
)

// What an owner below makes carries the apply set of the one at the top, however many are in between.
func TestEstateIsPassedOn(t *testing.T) {
	inWorld(t, define(step.Objects("config", configMap("config", fixed), makesMaps)), func(w *world) {
		top, below, under := newApp("top"), newApp("below"), newApp("under")
		below.Labels = map[string]string{apply.LabelPartOf: "applyset-of-top"}
		under.Labels = map[string]string{apply.LabelPartOf: "applyset-of-below", apply.LabelEstate: "applyset-of-top"}
		w.create(top, below, under)
		for name, want := range map[string]string{"top": "", "below": "applyset-of-top", "under": "applyset-of-top"} {
			w.wantReady(name)
			cm := &corev1.ConfigMap{}
			w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name + "-config"}, cm))
			if got := cm.Labels[apply.LabelEstate]; got != want {
				t.Errorf("what %s made is of the estate %q, want %q", name, got, want)
			}
		}
	})
}

// An owner that inherits takes with it what others below it have kept, and nothing that still has an owner or that is
// of another estate. One that does not inherit leaves all of it.
func TestInheritance(t *testing.T) {
	for name, c := range map[string]struct {
		inherits bool
		want     string
	}{
		"with":    {true, "of-another owned two-config"},
		"without": {false, "kept of-another owned two-config"},
	} {
		t.Run(name, func(t *testing.T) {
			def := define(step.Objects("config", configMap("config", fixed), makesMaps))
			def.Inherits = func(*app) bool { return c.inherits }
			inWorld(t, def, func(w *world) {
				w.create(newApp("one"), newApp("two"))
				w.wantReady("one")
				two := w.app("two")
				estate := func(app string) string {
					cm := &corev1.ConfigMap{}
					w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: app + "-config"}, cm))
					return cm.Labels[apply.LabelPartOf]
				}
				for name, of := range map[string]string{"kept": "one", "owned": "one", "of-another": "two"} {
					cm := &corev1.ConfigMap{}
					cm.Name = name
					cm.Labels = map[string]string{apply.LabelEstate: estate(of), apply.LabelPartOf: "applyset-of-one-that-is-gone"}
					if name == "owned" {
						cm.OwnerReferences = []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "App", Name: "two",
							UID: two.UID, Controller: new(true)}}
					}
					w.create(cm)
				}
				w.do(w.c.Delete(t.Context(), w.app("one")))
				w.pass(settle)
				if got := w.maps(); got != c.want {
					t.Errorf("left are %s, want %s", got, c.want)
				}
			})
		})
	}
}

// Kinds that no step makes are inherited where the definition names them, with the right to delete them and not to make
// them.
func TestInheritanceOfWhatNoStepMakes(t *testing.T) {
	def := define(step.Objects("config", configMap("config", fixed), makesMaps))
	def.Inherits = func(*app) bool { return true }
	def.Estate = []client.Object{&corev1.Secret{}}
	inWorld(t, def, func(w *world) {
		w.create(newApp("one"))
		w.wantReady("one")
		cm := &corev1.ConfigMap{}
		w.do(w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-config"}, cm))
		kept := &corev1.Secret{}
		kept.Name, kept.Labels = "kept", map[string]string{apply.LabelEstate: cm.Labels[apply.LabelPartOf],
			apply.LabelPartOf: "applyset-of-one-that-is-gone"}
		w.create(kept)
		w.do(w.c.Delete(t.Context(), w.app("one")))
		w.pass(settle)
		if err := w.c.Get(t.Context(), client.ObjectKeyFromObject(kept), kept); !apierrors.IsNotFound(err) {
			t.Errorf("what was inherited is not gone: %v", err)
		}
	})
	ctl, err := kit.New(def, scheme(t))
	if err != nil {
		t.Fatal(err)
	}
	rules := kit.Rules(func(gvk schema.GroupVersionKind) string { return gvk.Kind }, ctl)
	i := slices.IndexFunc(rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, "Secret") })
	if i < 0 || strings.Join(rules[i].Verbs, " ") != "delete get list watch" {
		t.Errorf("the rights are %v", rules)
	}
}
