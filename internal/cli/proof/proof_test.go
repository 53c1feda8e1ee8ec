package proof

import (
	"cmp"
	"net/netip"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/stackwright/internal/operator"
)

func place() Place {
	return Place{Namespace: "openstack", Secret: "openstack-keystone-clouds", Image: "images.test/guest:1",
		Password: "DRAWN", Outside: netip.MustParsePrefix("10.180.3.0/24"), Gateway: netip.MustParseAddr("10.180.3.1")}
}

func objectsOf(t *testing.T, p Place) []*unstructured.Unstructured {
	t.Helper()
	objects, err := p.Objects()
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// called are the kinds of references that are not called like them.
var called = map[string]string{"floatingNetworkRef": "network", "defaultProjectRef": "project", "userDataRef": "secret",
	"passwordRef": "secret"}

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
			kind = cmp.Or(called[field], kind)
			if name, is := to["name"].(string); ok && is && !have[kind+"/"+name] {
				t.Errorf("%s %s refers to %s %s, which is not there", o.GetKind(), o.GetName(), kind, name)
			}
		}
	}
}

// A user of the project has the password that was drawn, and no other object tells it.
func TestTheUserHasThePassword(t *testing.T) {
	kinds := map[string]bool{}
	for _, o := range objectsOf(t, place()) {
		kinds[o.GetKind()+" "+o.GetName()] = true
		secret := o.GetKind() == "Secret" && o.GetName() == User
		if got, _, _ := unstructured.NestedString(o.Object, "stringData", KeyPassword); secret && got != "DRAWN" {
			t.Errorf("the password is %q", got)
		}
		if text, err := o.MarshalJSON(); err != nil || !secret && strings.Contains(string(text), "DRAWN") {
			t.Errorf("%s %s tells the password, or %v", o.GetKind(), o.GetName(), err)
		}
	}
	if !kinds["User "+User] || !kinds["RoleAssignment "+User] || !kinds["Secret "+User] {
		t.Errorf("the objects are %v", kinds)
	}
	p := place()
	p.Password = ""
	if _, err := p.Objects(); err == nil {
		t.Error("a user gets an empty password")
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

// Nobody is given the address that the server is to have.
func TestServersAddressIsFree(t *testing.T) {
	p := place()
	if f := p.Floating(); !p.Outside.Contains(f) || f.Compare(p.First()) >= 0 && f.Compare(p.Last()) <= 0 {
		t.Errorf("the server is to have %s; a router can get %s to %s", f, p.First(), p.Last())
	}
}
