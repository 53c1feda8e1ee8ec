package controlplane

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

// forwards make the objects of the services by the names that these have in a control plane.
func forwards() map[string]func(*scope) ([]kubeclient.Object, error) {
	return map[string]func(*scope) ([]kubeclient.Object, error){
		"barbican": barbican, "cinder": cinder, "galera": galera, "glance": glance, "heat": heat, "horizon": horizon,
		"keystone": keystone, "memcached": memcached, "neutron": neutron, "nova": nova, "ovn": ovn,
		"placement": placement, "rabbitmq": rabbitmq,
	}
}

// A service's own kind has most fields where the control plane has them. These are elsewhere, or nowhere.
var elsewhere = map[string]string{
	"tlsSecret":        "tls.secret", // beside the authority, which is the control plane's
	"galera.storage":   "storage.size",
	"rabbitmq.storage": "storage.size",
	"ovn.storage":      "storage.size",
	"enabled":          nowhere, // there is no object without it
	// These name the bus instead, as is seen in TestKeystoneNotifiesWhenAsked and TestEverybodyNotifiesWhenAsked.
	"keystone.notifications": nowhere,
	"glance.notifications":   nowhere,
}

const nowhere = ""

// target is where the object of a service has what the control plane has at a path.
func target(name, path string) (to string, ok bool) {
	for _, exception := range []string{name + "." + path, path} {
		if to, ok := elsewhere[exception]; ok {
			return to, to != nowhere
		}
	}
	return path, true
}

// Whatever can be said about a service in a control plane reaches the service: a line that is forgotten where its
// object is made is a field that does nothing.
func TestServicesGetWhatIsAsked(t *testing.T) {
	if got := slices.Sorted(maps.Keys(forwards())); !slices.Equal(got, controlplanev1.ServiceNames()) {
		t.Errorf("services are %v, want %v", got, controlplanev1.ServiceNames())
	}
	for name, render := range forwards() {
		t.Run(name, func(t *testing.T) {
			asked, made := forwarded(t, name, render)
			for path, want := range asked {
				to, ok := target(name, path)
				if got := made[to]; ok && got != want {
					t.Errorf("%s is %v, and the object has %v at %s; forward it, or add an exception", path, want, got, to)
				}
			}
		})
	}
}

// Everything that has volumes of its own has them from the class that the control plane names.
func TestVolumesAreOfTheClassAsked(t *testing.T) {
	o := &cloud{}
	o.Name, o.Namespace, o.Spec.StorageClass = "first", "cloud", "ssd"
	for _, name := range []string{"galera", "ovn", "rabbitmq"} {
		render := forwards()[name]
		reads := step.Objects(name, render, step.Reads[*cloud](refRelease, refGalera, refRabbitMQ, refOVN, refGlance))
		objects, err := render(step.NewScope(o, &reads, empty{}, logr.Discard(), time.Time{}))
		if err != nil || len(objects) != 1 {
			t.Fatalf("%d objects are made of %s: %v", len(objects), name, err)
		}
		spec := reflect.ValueOf(objects[0]).Elem().FieldByName("Spec").Interface()
		if got := leaves(t, spec)["storage.className"]; got != "ssd" {
			t.Errorf("%s has volumes of class %v, want ssd", name, got)
		}
	}
}

// An exception that is none any more hides the next line that is forgotten.
func TestExceptionsAreNeeded(t *testing.T) {
	needed := map[string]bool{}
	for name, render := range forwards() {
		asked, made := forwarded(t, name, render)
		for path, want := range asked {
			needed[path] = needed[path] || made[path] != want
			needed[name+"."+path] = made[path] != want
		}
	}
	for exception := range elsewhere {
		if !needed[exception] {
			t.Errorf("%s is forwarded as it is; take out the exception", exception)
		}
	}
}

// forwarded fills all that can be said about a service, and returns it beside the spec of the service's object.
func forwarded(
	t *testing.T, name string, render func(*scope) ([]kubeclient.Object, error),
) (asked, made map[string]any) {
	t.Helper()
	o := &cloud{}
	o.Name, o.Namespace = "first", "cloud"
	field := reflect.ValueOf(&o.Spec.Services).Elem().FieldByNameFunc(
		func(s string) bool { return strings.EqualFold(s, name) })
	(&filler{}).fill(field)
	reads := step.Objects(name, render, step.Reads[*cloud](refRelease, refGalera, refRabbitMQ, refOVN, refGlance))
	objects, err := render(step.NewScope(o, &reads, empty{}, logr.Discard(), time.Time{}))
	if err != nil || len(objects) != 1 {
		t.Fatalf("%d objects are made: %v", len(objects), err)
	}
	spec := reflect.ValueOf(objects[0]).Elem().FieldByName("Spec").Interface()
	return leaves(t, field.Interface()), leaves(t, spec)
}

// empty is a cluster in which nothing is.
type empty struct{ step.View }

func (empty) Referenced(string) []kubeclient.Object { return nil }
