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
