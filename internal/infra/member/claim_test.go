package member

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"stackwright.dev/kit/owner"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

func TestHasClass(t *testing.T) {
	for name, c := range map[string]struct {
		claim corev1.PersistentVolumeClaim
		says  string
	}{
		"a class":  {claim: corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: new("a")}}},
		"a volume": {claim: corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "a"}}},
		"neither":  {says: "set spec.storage.className"},
		"no class": {claim: corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: new("")}},
			says: "set spec.storage.className"},
		"lost": {claim: corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimLost}},
			says: "bring it back"},
	} {
		ok, why := HasClass(&c.claim)
		if ok != (c.says == "") || !strings.Contains(why, c.says) {
			t.Errorf("%s: the answer is %v, %q", name, ok, why)
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
