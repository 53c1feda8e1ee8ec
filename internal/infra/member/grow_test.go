package member

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The API server refuses more for a claim that is not bound, and for one whose class does not let it grow; and it never
// takes less.
func TestSize(t *testing.T) {
	class := func(name string, grows *bool) client.Object {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, AllowVolumeExpansion: grows}
	}
	classes := []client.Object{class("fast", new(true)), class("fixed", new(false)), class("silent", nil)}
	for name, c := range map[string]struct {
		class      string
		phase      corev1.PersistentVolumeClaimPhase
		want, take string
		says       string
	}{
		"grows":                   {class: "fast", phase: corev1.ClaimBound, want: "7Gi", take: "7Gi"},
		"as it is":                {class: "fixed", phase: corev1.ClaimBound, want: "5Gi", take: "5Gi"},
		"somebody made it larger": {class: "fast", phase: corev1.ClaimBound, want: "4Gi", take: "5Gi"},
		"waits for a volume":      {class: "fast", phase: corev1.ClaimPending, want: "7Gi", take: "5Gi"},
		"lost its volume":         {class: "fast", phase: corev1.ClaimLost, want: "7Gi", take: "5Gi"},
		"forbidden": {"fixed", corev1.ClaimBound, "7Gi", "5Gi",
			"StorageClass fixed does not allow expansion; set allowVolumeExpansion: true on it"},
		"not allowed": {"silent", corev1.ClaimBound, "7Gi", "5Gi", "StorageClass silent does not allow expansion"},
		"of a class that is gone": {"gone", corev1.ClaimBound, "7Gi", "5Gi",
			"StorageClass gone does not exist; create it with allowVolumeExpansion: true"},
		"of no class": {"", corev1.ClaimBound, "7Gi", "5Gi", "make a new object that names one, and move the data"},
	} {
		have := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data-db-0"},
			Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &c.class, Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")}}},
			Status: corev1.PersistentVolumeClaimStatus{Phase: c.phase}}
		if got := Size(have, resource.MustParse(c.want), classes); got.String() != c.take {
			t.Errorf("%s: the size is %s, want %s", name, got.String(), c.take)
		}
		o := small(have, classOf(have, classes))
		if c.says != "" && (o.Ready() || !strings.Contains(o.Message, c.says)) {
			t.Errorf("%s: nothing says %q: %+v", name, c.says, o)
		}
	}
	if got := Size(nil, resource.MustParse("7Gi"), classes); got.String() != "7Gi" {
		t.Errorf("a new claim is of %s, want 7Gi", got.String())
	}
}
