package rehearse_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/rehearse"
)

// shelf is a cluster that has these objects.
type shelf []client.Object

var errAbsent = errors.New("absent")

func (s shelf) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	for _, o := range s {
		if from, ok := o.(*corev1.Secret); ok && client.ObjectKeyFromObject(o) == key {
			if to, ok := into.(*corev1.Secret); ok {
				from.DeepCopyInto(to)
				return nil
			}
		}
		if from, ok := o.(*servicev1.Keystone); ok && client.ObjectKeyFromObject(o) == key {
			if to, ok := into.(*servicev1.Keystone); ok {
				from.DeepCopyInto(to)
				return nil
			}
		}
	}
	return errAbsent
}

func (s shelf) List(context.Context, client.ObjectList, ...client.ListOption) error { return errAbsent }

func identity() *servicev1.Keystone {
	k := &servicev1.Keystone{ObjectMeta: metav1.ObjectMeta{Name: "identity", Namespace: "cloud"}}
	k.Spec.Image, k.Spec.Region, k.Spec.Release = "images.test/keystone:1", "RegionOne", "epoxy"
	k.Spec.Database.Galera = "db"
	return k
}

func play(t *testing.T, o client.Object, cluster client.Reader) *rehearse.Result {
	t.Helper()
	players := operator.Registry(operator.Environment{}).Players()
	r, err := rehearse.Play(t.Context(), o, rehearse.World{Scheme: operator.Scheme(), Reader: cluster,
		Operated: cluster != nil}, players...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func made(r *rehearse.Result, kind, name string) client.Object {
	for _, m := range r.Made {
		if m.Object.GetObjectKind().GroupVersionKind().Kind == kind && m.Object.GetName() == name {
			return m.Object
		}
	}
	return nil
}

// What a step makes is played by its own controller, and what that makes is there for the steps that come after.
func TestObjectsArePlayedInTurn(t *testing.T) {
	r := play(t, identity(), nil)
	for _, want := range []struct{ kind, name, controller string }{
		{"Database", "identity", "keystone"}, {"Secret", "identity-db", "database"},
		{"Deployment", "identity-api", "keystone"}, {"Secret", "identity-clouds", "keystone"},
	} {
		i := slices.IndexFunc(r.Made, func(m rehearse.Made) bool {
			return m.Object.GetObjectKind().GroupVersionKind().Kind == want.kind && m.Object.GetName() == want.name
		})
		if i < 0 || r.Made[i].Controller != want.controller {
			t.Errorf("%s %s was not made by controller %s", want.kind, want.name, want.controller)
		}
	}
	if ns := made(r, "Deployment", "identity-api").GetNamespace(); ns != "cloud" {
		t.Errorf("the Deployment is in namespace %q", ns)
	}
}

// A Secret that a person has to make is stood for, and noted; one that the cluster has is used.
func TestWhatAPersonHasToMakeIsNoted(t *testing.T) {
	k := identity()
	k.Spec.AdminPasswordSecret = "given"
	const note = "given has to have key password"
	if r := play(t, k.DeepCopy(), nil); !slices.Contains(r.Notes, note) {
		t.Errorf("the notes are %q, want %q", r.Notes, note)
	}
	given := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "given", Namespace: "cloud"},
		Data: map[string][]byte{"password": []byte("hunter2")}}
	r := play(t, k, shelf{given})
	if slices.Contains(r.Notes, note) {
		t.Error("a Secret that is there is noted as missing")
	}
	clouds, ok := made(r, "Secret", "identity-clouds").(*corev1.Secret)
	if !ok || !strings.Contains(string(clouds.Data["clouds.yaml"]), "password: hunter2") {
		t.Error("the cluster's Secret is not used")
	}
}

// What was made and is not made again goes, but for Jobs, for what outlives its owner, and for what a step would make
// that was not shown all it reads.
func TestGone(t *testing.T) {
	k := identity()
	live := k.DeepCopy()
	for _, it := range []owner.Item{
		{Step: "clouds", Kind: "Secret", Name: "older-clouds"}, {Step: "renamed", Kind: "Secret", Name: "orphan"},
		{Step: "db-expand", Group: "batch", Kind: "Job", Name: "older"},
		{Step: "credential-keys", Kind: "Secret", Name: "older"}, {Step: "renamed", Kind: "Secret", Name: "identity-clouds"},
	} {
		it.Namespace = k.Namespace
		live.Status.Inventory = append(live.Status.Inventory, it)
	}
	gone := func(k *servicev1.Keystone, cluster ...client.Object) string {
		t.Helper()
		var names []string
		for _, g := range play(t, k.DeepCopy(), shelf(cluster)).Gone {
			if g.Of.GetName() != k.Name {
				t.Errorf("%s was made for %s", g.Name, g.Of.GetName())
			}
			names = append(names, g.Name)
		}
		return strings.Join(names, " ")
	}
	if got := gone(k); got != "" {
		t.Errorf("of what is not there %s goes", got)
	}
	if got := gone(k, live); got != "older-clouds orphan" {
		t.Errorf("%s goes", got)
	}
	k.Spec.AdminPasswordSecret = "given"
	if got := gone(k, live); got != "orphan" {
		t.Errorf("%s goes although nobody knows the password", got)
	}
}

// A switched off step makes nothing, and a step that is wrong in itself is an error that names it.
func TestStepsThatAreOffOrWrong(t *testing.T) {
	k := identity()
	k.Spec.TLS.Disabled = true
	if r := play(t, k, nil); made(r, "Secret", "identity-tls") != nil || made(r, "Secret", "identity-ca") != nil {
		t.Error("there are certificates although TLS is off")
	}
	k = identity()
	k.Spec.Release = "yoga"
	_, err := rehearse.Play(t.Context(), k, rehearse.World{Scheme: operator.Scheme()},
		operator.Registry(operator.Environment{}).Players()...)
	if err == nil || !strings.Contains(err.Error(), "playing step config of Keystone identity") {
		t.Errorf("the error is %v", err)
	}
}

func TestOwns(t *testing.T) {
	owned := 0
	for _, p := range operator.Registry(operator.Environment{}).Players() {
		if p.Owns(schema.GroupKind{Group: infrav1.GroupVersion.Group, Kind: "Galera"}) {
			owned++
		}
	}
	if owned != 1 {
		t.Errorf("%d players own Galera, want 1", owned)
	}
}
