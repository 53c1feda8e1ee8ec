package member

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

func TestHasClass(t *testing.T) {
	for name, c := range map[string]struct {
		class, volume string
		phase         corev1.PersistentVolumeClaimPhase
		says          []string
	}{
		"bound":       {class: "fast", volume: "pv-1", phase: corev1.ClaimBound},
		"bound alone": {volume: "pv-1", phase: corev1.ClaimBound},
		"pending":     {class: "fast", phase: corev1.ClaimPending},
		"no class":    {phase: corev1.ClaimPending, says: []string{"data-db-0", "set spec.storage.className"}},
		// What has lost its volume goes on naming it.
		"lost": {class: "fast", volume: "pv-1", phase: corev1.ClaimLost,
			says: []string{"data-db-0", "pv-1", "bring it back"}},
		"lost without a class": {volume: "pv-1", phase: corev1.ClaimLost, says: []string{"pv-1", "bring it back"}},
	} {
		claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data-db-0"},
			Spec:   corev1.PersistentVolumeClaimSpec{StorageClassName: &c.class, VolumeName: c.volume},
			Status: corev1.PersistentVolumeClaimStatus{Phase: c.phase}}
		ok, why := HasClass(claim)
		if ok != (c.says == nil) {
			t.Errorf("%s: the answer is %v, %q", name, ok, why)
		}
		for _, text := range c.says {
			if !strings.Contains(why, text) {
				t.Errorf("%s: nothing says %q: %q", name, text, why)
			}
		}
	}
}

// Kubernetes lets a claim without a class get one. With a volume it keeps what it has, and without one nobody takes it
// away from whoever is about to make the volume.
func TestClass(t *testing.T) {
	claim := func(class *string, volume string, phase corev1.PersistentVolumeClaimPhase) client.Object {
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data-db-0", Namespace: "cloud"},
			Spec:   corev1.PersistentVolumeClaimSpec{StorageClassName: class, VolumeName: volume},
			Status: corev1.PersistentVolumeClaimStatus{Phase: phase}}
	}
	for name, c := range map[string]struct {
		have       client.Object
		want, take *string
		says       string
	}{
		"none there":        {want: new("fast"), take: new("fast")},
		"the same":          {claim(new("fast"), "", corev1.ClaimPending), new("fast"), new("fast"), ""},
		"the default":       {claim(new("fast"), "", corev1.ClaimPending), nil, new("fast"), ""},
		"in place of none":  {claim(nil, "", corev1.ClaimPending), new("fast"), new("fast"), ""},
		"bound to another":  {claim(new("slow"), "pv-1", corev1.ClaimBound), new("fast"), new("slow"), ""},
		"bound without one": {claim(nil, "pv-1", corev1.ClaimBound), new("fast"), nil, ""},
		"about to be bound": {claim(new("slow"), "pv-1", corev1.ClaimPending), new("fast"), new("slow"), ""},
		"lost":              {claim(new("slow"), "pv-1", corev1.ClaimLost), new("fast"), new("slow"), ""},
		"another without volume": {claim(new("slow"), "", corev1.ClaimPending), new("fast"), new("slow"),
			"kubectl delete pvc -n cloud data-db-0"},
	} {
		asked := ""
		if c.want != nil {
			asked = *c.want
		}
		got, err := Class(c.have, c.want), Strays([]client.Object{nil, c.have}, asked)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: the answer is %v", name, err)
		}
		if (got == nil) != (c.take == nil) || got != nil && *got != *c.take {
			t.Errorf("%s: the class is %v, want %v", name, got, c.take)
		}
	}
}

// A volume grows, and the template of the StatefulSet cannot.
func TestFirstSize(t *testing.T) {
	now := infrav1.Storage{Size: resource.MustParse("10Gi")}
	status := &owner.Status{Externals: []owner.External{{Step: "other", ID: "1Gi"}}}
	if got := FirstSize(status, "size", now); got.String() != "10Gi" {
		t.Errorf("before anything was remembered the size is %s", got.String())
	}
	status.Externals = append(status.Externals, owner.External{Step: "size", ID: "5Gi"})
	if got := FirstSize(status, "size", now); got.String() != "5Gi" {
		t.Errorf("the first size is %s", got.String())
	}
}
