package proof

import (
	"net/netip"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/stackwright/internal/operator"
)

func place() Place {
	return Place{Namespace: "openstack", Secret: "openstack-keystone-clouds", Image: "images.test/guest:1",
		Outside: netip.MustParsePrefix("10.180.3.0/24"), Gateway: netip.MustParseAddr("10.180.3.1")}
}

func objectsOf(t *testing.T, p Place) []*unstructured.Unstructured {
	t.Helper()
	objects, err := p.Objects()
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// Each object is of a kind that there is, and those that it refers to are there, too.
func TestObjectsBelongTogether(t *testing.T) {
	p := place()
	if n := len(objectsOf(t, p)); n == 0 || p.Says() != 1 {
		t.Errorf("without volumes there are %d objects and %d lines", n, p.Says())
	}
	p.Volumes = true
	objects := objectsOf(t, p)
	known := operator.Scheme()
	have := map[string]bool{}
	for _, o := range objects {
		if !known.Recognizes(o.GroupVersionKind()) && o.GroupVersionKind() != (schema.GroupVersionKind{
			Version: "v1", Kind: "Namespace"}) {
			t.Errorf("%s is no kind", o.GroupVersionKind())
		}
		have[strings.ToLower(o.GetKind())+"/"+o.GetName()] = true
	}
	for _, o := range objects {
		resource, _, _ := unstructured.NestedMap(o.Object, "spec", "resource")
		for field, value := range resource {
			to, ok := value.(map[string]any)
			kind := strings.TrimSuffix(strings.ToLower(field), "ref")
			if field == "floatingNetworkRef" {
				kind = "network"
			}
			if field == "userDataRef" {
				kind = "secret"
			}
			if name, is := to["name"].(string); ok && is && !have[kind+"/"+name] {
				t.Errorf("%s %s refers to %s %s, which is not there", o.GetKind(), o.GetName(), kind, name)
			}
		}
	}
}

func TestAnotherNetworkIsRefused(t *testing.T) {
	p := place()
	p.Outside = netip.MustParsePrefix("10.0.0.0/16")
	if _, err := p.Objects(); err == nil || !strings.Contains(err.Error(), "want one of IPv4 with 24 bits") {
		t.Errorf("the error is %v", err)
	}
}

// This machine answers itself, and an address that nobody can have does not.
func TestPing(t *testing.T) {
	if err := Ping(t.Context(), netip.MustParseAddr("127.0.0.1")); err != nil {
		t.Error(err)
	}
	if err := Ping(t.Context(), netip.MustParseAddr("240.0.0.1")); err == nil {
		t.Error("an address that nobody can have answers")
	}
}
