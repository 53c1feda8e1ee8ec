package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of the kinds in this package.
var GroupVersion = schema.GroupVersion{Group: "service.stackwright.dev", Version: "v1alpha1"}

// AddToScheme makes the kinds of this package known to s.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Barbican{}, &BarbicanList{}, &Cinder{}, &CinderList{}, &Glance{}, &GlanceList{},
		&Heat{}, &HeatList{}, &Horizon{}, &HorizonList{},
		&Keystone{}, &KeystoneList{},
		&Neutron{}, &NeutronList{}, &Nova{}, &NovaList{}, &NovaCell{}, &NovaCellList{}, &Placement{}, &PlacementList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
