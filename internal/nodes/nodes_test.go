package nodes

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Of two owners one is the older one, whatever they have in common.
func TestOlder(t *testing.T) {
	made := func(namespace, name string, second int64) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
			CreationTimestamp: metav1.NewTime(time.Unix(second, 0))}}
	}
	for name, younger := range map[string]*corev1.ConfigMap{
		"later":              made("a", "a", 2),
		"in the same second": made("a", "c", 1),
		"with the same name": made("c", "b", 1),
	} {
		t.Run(name, func(t *testing.T) {
			first := made("b", "b", 1)
			if !Older(first, younger) || Older(younger, first) {
				t.Errorf("%v is not the older one", first.ObjectMeta)
			}
		})
	}
}
