package reconcile_test

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// thing is a custom resource, with a default and an atomic list, that no kit controller reconciles.
type thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec              thingSpec `json:"spec"`
}

type thingSpec struct {
	Size  int      `json:"size,omitempty"`
	Color string   `json:"color,omitempty"`
	Hosts []string `json:"hosts,omitempty"`
}

type thingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []thing `json:"items"`
}

// DeepCopyObject copies the thing.
func (t *thing) DeepCopyObject() runtime.Object {
	out := *t
	out.ObjectMeta = *t.ObjectMeta.DeepCopy()
	out.Spec.Hosts = slices.Clone(t.Spec.Hosts)
	return &out
}

// DeepCopyObject copies the list.
func (l *thingList) DeepCopyObject() runtime.Object {
	out := &thingList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*thing))
	}
	return out
}

func addThings(s *runtime.Scheme) error {
	gv := schema.GroupVersion{Group: "test.stackwright.dev", Version: "v1"}
	s.AddKnownTypeWithName(gv.WithKind("Thing"), &thing{})
	s.AddKnownTypeWithName(gv.WithKind("ThingList"), &thingList{})
	metav1.AddToGroupVersion(s, gv)
	return nil
}
