//go:build bench

package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/kittest/apiserver"
	"stackwright.dev/kit/step"
)

// ownerSize is what an owner weighs in criterion 7, in bytes of JSON.
const ownerSize = 5 << 10

// family renders the children of an owner: a Deployment, a Service, a ServiceAccount, a ConfigMap, a Secret, and again.
func family(name string, n int) []client.Object {
	var out []client.Object
	for i := range n {
		meta := metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", name, i), Labels: map[string]string{"app": "x"}}
		switch i % 5 {
		case 0:
			out = append(out, &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)),
				Template: pod(), Selector: selector}})
		case 1:
			out = append(out, &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: selector.MatchLabels,
				Ports: []corev1.ServicePort{{Name: "http", Port: 80, Protocol: corev1.ProtocolTCP}}}})
		case 2:
			out = append(out, &corev1.ServiceAccount{ObjectMeta: meta})
		case 3:
			out = append(out, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"value": "fixed"}})
		default:
			out = append(out, &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"value": []byte("fixed")}})
		}
	}
	return out
}

// families is the operator of the scale tests; rendered is called for each render.
func families(each int, rendered func(), o ...step.Option[*app]) kit.Definition[*app] {
	return define(step.Objects("family", func(s *scope) ([]client.Object, error) {
		rendered()
		return family(s.Owner().Name, each), nil
	}, append(o, step.Makes[*app](family("", 5)...))...))
}

// pattern is a settled owner with its children, as a run of the operator left them.
type pattern struct {
	owner    *unstructured.Unstructured
	children []*unstructured.Unstructured
}

// settledPattern lets the operator itself settle one owner.
func settledPattern(t *testing.T, def kit.Definition[*app]) (p pattern) {
	t.Helper()
	inWorld(t, def, func(w *world) {
		a := newApp("seed")
		a.Annotations = map[string]string{"weight": ""}
		w.create(a, secret(a.Spec.PasswordSecret, map[string]string{"password": "x"}))
		w.settled(2)
		w.wantReady("seed")
		p.owner = w.raw(v1alpha1.GroupVersion.WithKind("App"), "seed")
		for _, it := range w.app("seed").Status.Inventory {
			gv := schema.GroupVersion{Group: it.Group, Version: "v1"}
			p.children = append(p.children, w.raw(gv.WithKind(it.Kind), it.Name))
		}
		raw, err := p.owner.MarshalJSON()
		w.do(err)
		p.owner.SetAnnotations(merge(p.owner.GetAnnotations(), "weight", strings.Repeat("x", max(0, ownerSize-len(raw)))))
	})
	return p
}

// copies makes n owners of the pattern, with names and uids of their own, and what the operator would have written into
// the inventory of each.
func (p pattern) copies(t *testing.T, def kit.Definition[*app], n, each int, api *apiserver.Server) {
	t.Helper()
	s := scheme(t)
	for i := range n {
		name := fmt.Sprintf("app-%05d", i)
		words := []string{"seed", name, set("seed"), set(name), string(p.owner.GetUID()), string(uuid.NewUUID())}
		for _, c := range p.children {
			words = append(words, string(c.GetUID()), string(uuid.NewUUID()))
		}
		rename := strings.NewReplacer(words...)
		owner, a := renamed(t, p.owner, rename), &app{}
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(owner.Object, a))
		a.Spec.PasswordSecret = "password-" + name
		rendered := family(name, each)
		intents := map[string]string{}
		for _, o := range rendered {
			_, intent, err := apply.Normalize(s, o, apply.Origin{Controller: def.Name, Owner: a,
				OwnerKind: owner.GroupVersionKind(), Step: def.Steps[0].Name})
			must(t, err)
			intents[o.GetName()] = intent
		}
		var all []*unstructured.Unstructured
		for k, c := range p.children {
			c = renamed(t, c, rename)
			all = append(all, c)
			record := &metav1.PartialObjectMetadata{}
			must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(c.Object, record))
			apply.Compact(record, map[string]bool{def.Name: true})
			it := &a.Status.Inventory[k]
			it.Intent, it.Owned = intents[it.Name], apply.Owned(record, def.Name)
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(a)
		must(t, err)
		must(t, api.Load(append(all, &unstructured.Unstructured{Object: content})...))
	}
}

func set(name string) string {
	return apply.SetID(name, "default", v1alpha1.GroupVersion.WithKind("App").GroupKind())
}

func renamed(t *testing.T, u *unstructured.Unstructured, words *strings.Replacer) *unstructured.Unstructured {
	t.Helper()
	raw, err := u.MarshalJSON()
	must(t, err)
	out := &unstructured.Unstructured{}
	must(t, out.UnmarshalJSON([]byte(words.Replace(string(raw)))))
	return out
}
