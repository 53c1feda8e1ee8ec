// Package infratest has what the tests of the operators of this group share: the world they play in, pods that are
// ready when members serve, and what is promised of all of them.
package infratest

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/owner"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// definitions begins the files of the kinds of this group, seen from the folder of an operator.
const definitions = "../../../charts/stackwright-operator/crds/infra.stackwright.dev_"

// Scenario is the world of testdata/world.yaml with one controller. define makes it of what answers its requests, kinds
// are the names in the plural of the kinds of this group that the world has.
func Scenario[T owner.Object](
	t *testing.T, define func(outside http.RoundTripper) kit.Definition[T], kinds ...string,
) kittest.Scenario {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, infrav1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	named, err := labels.NewRequirement("app.kubernetes.io/name", selection.Exists, nil)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, kind := range kinds {
		files = append(files, definitions+kind+".yaml")
	}
	return kittest.Scenario{
		Scheme: s,
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			d := define(outside)
			d.Options.Pods = labels.NewSelector().Add(*named)
			c, err := kit.New(d, s)
			return []kit.Controller{c}, err
		},
		CRDs:  files,
		Files: []string{"testdata/world.yaml"},
	}
}

// Outside is what answers a play's requests.
func Outside[T http.RoundTripper](p *kittest.Play) T {
	p.T.Helper()
	out, ok := p.Outside.(T)
	if !ok {
		p.T.Fatalf("outside is a %T", p.Outside)
	}
	return out
}

// AsMembers makes as many pods of a StatefulSet ready as members of that name serve.
func AsMembers[T interface {
	http.RoundTripper
	Serving(set string) int64
}](p *kittest.Play, u *unstructured.Unstructured) map[string]any {
	status := kittest.Ready(p, u)
	want, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	serving := min(Outside[T](p).Serving(u.GetName()), want)
	status["readyReplicas"], status["availableReplicas"] = serving, serving
	return status
}

// Change lets something happen to members, which the readiness of the pods of their StatefulSets shows.
func Change[T http.RoundTripper](p *kittest.Play, f func(T), sets ...string) {
	p.T.Helper()
	f(Outside[T](p))
	for _, set := range sets {
		p.Change(set, "metadata.annotations.seen", p.Object(set).GetResourceVersion())
	}
	p.Settle()
}

// KeepsVolumes deletes an object, whose volumes stay unless its spec.deletionPolicy is Delete, also when nobody has set
// any; want is how many it has.
func KeepsVolumes(t *testing.T, scenario func(*testing.T) kittest.Scenario, object string, want int) {
	t.Helper()
	for policy, want := range map[string]int{"": want, "Retain": want, "Delete": 0} {
		t.Run(cmp.Or(policy, "default"), func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				p.Ready()
				if policy != "" {
					p.Change(object, "spec.deletionPolicy", policy)
					p.Settle()
				}
				p.Remove(object)
				p.Settle()
				n := 0
				for _, u := range p.Objects() {
					if u.GetKind() == "PersistentVolumeClaim" {
						n++
					}
				}
				if n != want {
					t.Errorf("%d volume claims are left, want %d", n, want)
				}
			})
		})
	}
}

// Variants renders an object whose pods run on some nodes only, and one without TLS, and compares in what each
// differs from testdata/minimal.yaml with a file of its name.
func Variants(t *testing.T, scenario func(*testing.T) kittest.Scenario, object string) {
	t.Helper()
	base, err := os.ReadFile("testdata/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, fields := range map[string]map[string]any{
		"placed": {"spec.nodeSelector": map[string]any{"disk": "fast"}, "spec.tolerations": []any{
			map[string]any{"key": "data", "operator": "Exists", "effect": "NoSchedule"}}},
		"plain": {"spec.tls.disabled": true},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				for path, value := range fields {
					p.Change(object, path, value)
				}
				p.Settle()
				p.Ready()
				kittest.Golden(t, "testdata/"+name+".diff", kittest.Diff(string(base), p.Applied()))
			})
		})
	}
}

// Count tells how often want is in a list.
func Count(list []string, want string) int {
	n := 0
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}
