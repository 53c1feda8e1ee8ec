package controlplane_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

func TestBadInputIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		path, reason, says, condition string
		value                         any
	}{
		"unknown release": {
			path: "spec.release", value: "yoga", condition: "ReleaseReady", reason: "UnknownRelease",
			says: "set spec.release to one that does: epoxy, flamingo, zed",
		},
		"downgrade": {
			path: "spec.release", value: "zed", condition: "ReleaseReady", reason: "Downgrade",
			says: "set spec.release to epoxy or a later one",
		},
		"release without images": {
			path: "spec.release", value: "flamingo", condition: "ReleaseReady", reason: "ImageMissing",
			says: "names no image for rabbitmq, memcached, keystone, openstackclient; add it to spec.images",
		},
		"service without image": {
			path: "spec", value: map[string]any{"size": "dev", "release": "flamingo", "services": map[string]any{
				"placement": map[string]any{}}}, condition: "ReleaseReady", reason: "ImageMissing",
			says: "names no image for rabbitmq, memcached, keystone, openstackclient, placement; add it to spec.images",
		},
		"unknown service": {
			path: "spec.services", value: map[string]any{"nova2": map[string]any{}}, condition: "ServicesKnown",
			reason: "UnknownService", says: "nova2, which is no service; name one that exists: barbican, cinder, galera, " +
				"glance, heat, horizon, keystone, memcached, neutron, nova, ovn, placement, rabbitmq",
		},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
				p.Ready()
				p.Change(cloud, c.path, c.value)
				p.Settle()
				wantCondition(t, p, c.condition, "False", c.reason, c.says)
				if image(p, "Galera/first-galera") != "images.test/mariadb:1" {
					t.Error("Galera was changed although the input was refused")
				}
				if p.Object("Keystone/first-keystone") == nil {
					t.Error("Keystone is gone although the input was refused")
				}
			})
		})
	}
}

// A release that is deleted stays as long as a control plane uses it, which says so and runs on.
func TestReleaseInUseIsKept(t *testing.T) {
	const release = "OpenStackRelease/epoxy"
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		other := p.Object("OpenStackRelease/epoxy").DeepCopy()
		p.Remove(release)
		p.Settle()
		if u := p.Object(release); u == nil || u.GetDeletionTimestamp() == nil {
			t.Fatal("the release is gone, or was not deleted")
		}
		wantCondition(t, p, "ReleaseReady", "False", "ReleaseDeleted",
			"OpenStackRelease epoxy was deleted and stays while control plane first in namespace cloud uses it; "+
				"set spec.release to another one")
		p.Change(cloud, "spec.services", map[string]any{"galera": map[string]any{"replicas": int64(3)}})
		p.Settle()
		if n, _, _ := unstructured.NestedInt64(p.Object("Galera/first-galera").Object, "spec", "replicas"); n != 3 {
			t.Errorf("Galera has %d replicas: a change waits for the release", n)
		}
		other.SetName("copy")
		other.SetFinalizers(nil)
		other.SetResourceVersion("")
		other.SetUID("")
		other.SetManagedFields(nil)
		p.Create(other)
		p.Change(cloud, "spec.release", "copy")
		p.Settle()
		p.Ready()
		if p.Object(release) != nil {
			t.Error("the release is held although nobody uses it")
		}
		p.Remove("OpenStackRelease/copy")
		p.Remove(cloud)
		p.Change(cloud, "spec.confirmDeletion", "first")
		p.Settle()
		if p.Object("OpenStackRelease/copy") != nil {
			t.Error("the release outlives the last control plane")
		}
	})
}

func wantCondition(t *testing.T, p *kittest.Play, kind, status, reason, says string) {
	t.Helper()
	c := p.Condition(cloud, kind)
	if string(c.Status) != status || c.Reason != reason || !strings.Contains(c.Message, says) {
		t.Errorf("condition %s is %s, %s: %q; want %s, %s with %q", kind, c.Status, c.Reason, c.Message, status, reason, says)
	}
}
