package resources

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// A run that ends after its object is gone leaves nothing that would hold others for ever.
func TestRunsThatEndAfterTheirObject(t *testing.T) {
	e := New(kinds.Served(), nil)
	c := &controller{kind: &kinds.Region, engine: e, bell: newBell()}
	o := &openstackv1.Region{}
	o.Namespace, o.Name, o.UID = "default", "north", "1"
	late := func() {
		c.link(o, []node{at("parent")})
		c.use(o, []cloudKey{{Name: "default"}}, false)
		if out := c.claim(o, cloudKey{Name: "default"}, "north"); out != nil {
			t.Errorf("the claim says %v", out)
		}
	}
	late()
	if len(e.links.from) != 1 || len(e.users.users) != 1 || len(e.holders.by) != 1 {
		t.Fatalf("a run of an object that is there records %v, %v, %v", e.links.from, e.users.users, e.holders.by)
	}
	c.notice(o, true)
	late()
	if len(e.links.from)+len(e.users.users)+len(e.users.held)+len(e.holders.by)+len(e.holders.of) > 0 {
		t.Errorf("there is left %v, %v, %v", e.links.from, e.users.users, e.holders.by)
	}
}

func TestDepartedAreForgottenInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &departed{}
		for _, uid := range []types.UID{"a", "b", "c"} {
			d.add(uid)
			<-time.After(remembered - time.Minute)
			if !d.has(uid) {
				t.Errorf("%s is forgotten after %s", uid, remembered-time.Minute)
			}
		}
		<-time.After(remembered)
		d.add("d")
		<-time.After(remembered + time.Minute)
		d.add("e")
		if d.has("a") || d.has("b") || !d.has("e") {
			t.Errorf("there are %v and %v", d.earlier, d.recent)
		}
	})
}
