package resources_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// madeBy is a Project that a controller has made.
func madeBy(apiVersion, kind, by, name string) string {
	return strings.Replace(one("Project", "default", name, "resource: {}"), "name: "+name, fmt.Sprintf(
		"name: %s, ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: \"1\", controller: true}]", name, apiVersion,
		kind, by), 1)
}

func wantUse(p *kittest.Play, want string) {
	p.T.Helper()
	use, _, _ := unstructured.NestedFieldNoCopy(p.Object("Cloud/default").Object, "status", "usedBy")
	if got := fmt.Sprint(use); got != want {
		p.T.Errorf("the Cloud is used by %s, want %s", got, want)
	}
}

const (
	unused   = "<nil>"
	usedOnce = "map[names:[Project shop] objects:1]"
)

// A Cloud tells which objects are in it, by those who make them, but for what a control plane, its services and its
// hosts have made.
func TestCloudTellsWhoUsesIt(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		one("Project", "default", "shop", "resource: {}"),
		madeBy("openstack.stackwright.dev/v1alpha1", "ProjectBundle", "big", "big-1"),
		madeBy("openstack.stackwright.dev/v1alpha1", "ProjectBundle", "big", "big-2"),
		madeBy("controlplane.stackwright.dev/v1alpha1", "OpenStackControlPlane", "first", "service"),
		madeBy("service.stackwright.dev/v1alpha1", "Cinder", "first-cinder", "cache"),
		madeBy("fleet.stackwright.dev/v1alpha1", "BuildingBlock", "rack", "rack"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		wantUse(p, "map[names:[Project shop ProjectBundle big] objects:3]")
		p.Restart()
		p.Settle()
		wantUse(p, "map[names:[Project shop ProjectBundle big] objects:3]")
		for _, gone := range []string{"big-1", "big-2"} {
			p.Remove("Project/" + gone)
		}
		p.Pass(20 * time.Second)
		wantUse(p, usedOnce)
		p.Remove("Project/shop")
		p.Pass(20 * time.Second)
		wantUse(p, unused)
	})
}

// What an operator wrote before it ended counts until the next one has seen all objects: not half of them.
func TestCloudRemembersWhoUsesIt(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		one("Project", "default", "shop", "resource: {}"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Stop()
		p.Remove("Project/shop")
		p.Change("Project/shop", "metadata.finalizers", nil)
		p.Start()
		p.Pass(time.Second)
		wantUse(p, unused)
	})
}

// A Cloud that is not ready tells it as well, and at once.
func TestBrokenCloudTellsWhoUsesIt(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		one("Project", "default", "shop", "resource: {}"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Secret/default/cloud", `data.clouds\.yaml`, "bm90aGluZw==")
		p.Pass(time.Hour)
		wantUse(p, usedOnce)
		p.Change("Project/shop", `metadata.annotations.kit\.stackwright\.dev/abandon`, "resource")
		p.Remove("Project/shop")
		p.Pass(time.Second)
		wantUse(p, unused)
	})
}

// Hosts stay while their control plane goes and comes again: what they have in the cloud does not keep the Cloud,
// unless it is about to go itself.
func TestHostsDoNotKeepTheCloud(t *testing.T) {
	for name, c := range map[string]struct{ apiVersion, kind string }{
		"of a host":    {"fleet.stackwright.dev/v1alpha1", "BuildingBlock"},
		"of a service": {"service.stackwright.dev/v1alpha1", "Cinder"},
	} {
		stays := c.kind == "BuildingBlock"
		t.Run(name, func(t *testing.T) {
			s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
				madeBy(c.apiVersion, c.kind, "rack", "rack"))
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				id := nested(p.Object("Project/rack").Object, "status", "id")
				p.Remove("Cloud/default")
				p.Pass(20 * time.Second)
				if gone := p.Object("Cloud/default") == nil; gone != stays {
					t.Fatalf("the Cloud is gone: %v, want %v", gone, stays)
				}
				if !stays {
					return
				}
				declare(p, cloudIn("default"))
				p.Pass(20 * time.Second)
				p.Ready()
				if now := nested(p.Object("Project/rack").Object, "status", "id"); now != id {
					t.Errorf("when it is back the project is %s, and was %s", now, id)
				}
			})
		})
	}
}

// What hosts are about to take out of the cloud keeps it.
func TestHostsThatGoKeepTheCloud(t *testing.T) {
	s := stage(t, nil, namespace("default"), credentials("default"), cloudIn("default"),
		madeBy("fleet.stackwright.dev/v1alpha1", "BuildingBlock", "rack", "rack"))
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Change("Project/rack", "metadata.finalizers", []any{"kit.stackwright.dev/project", "example.com/foreign"})
		p.Remove("Project/rack")
		p.Settle()
		p.Remove("Cloud/default")
		p.Pass(20 * time.Second)
		if p.Object("Cloud/default") == nil {
			t.Fatal("the Cloud went before what is deleted in it")
		}
		p.Change("Project/rack", "metadata.finalizers", nil)
		p.Pass(20 * time.Second)
		if p.Object("Cloud/default") != nil {
			t.Error("the Cloud stays although nothing is in it")
		}
	})
}
