package member

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
