package resources

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// What follows is for those who look at objects from outside of the engine.

// ConfigOf is what a cloud's object and the content of its Secret say about how the cloud is reached.
func ConfigOf(spec *openstackv1.CloudSpec, content map[string][]byte) openstack.Config {
	return openstack.Config{Clouds: content[keyClouds], Entry: spec.Entry, CA: content[keyCA],
		Region: spec.Region, Interface: spec.Interface, Limits: limits(spec.Limits)}
}

// Marker is what the resource of an object carries, if its kind has a place for it.
func Marker(k *d.Kind, o openstackv1.Object) string { return markerOf(k, o) }

// ClusterID names a cluster, by the uid of its namespace kube-system: the beginning is enough to tell those apart that
// share a cloud.
func ClusterID(uid types.UID) string {
	id, _, _ := strings.Cut(string(uid), "-")
	return id
}

// Marked tells whether the resources of a kind show that they belong to an object, and to which. An id that was chosen
// looks like any other.
func Marked(k *d.Kind) bool {
	return !k.Keyed() && k.Marker.Channel != d.MarkByKey && k.Marker.Channel != d.MarkByID &&
		k.Marker.Channel != ""
}

// Booked is the id by which a census shows the resource of an object; empty while it has none.
func Booked(k *d.Kind, o openstackv1.Object) string {
	for _, e := range o.KitStatus().Externals {
		if e.Step == stepResource && e.ID != "" {
			return bare(k, e.ID)
		}
	}
	return ""
}

// Stands tells whether rendered fields of an object without an id of its own, such as a relation, stand for a resource:
// the keys are the same.
func Stands(k *d.Kind, wanted map[string]any, f Found) bool {
	return related(k, wanted, f.Fields)
}
