package controlplane_test

import (
	"context"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/controlplane"
	"stackwright.dev/stackwright/internal/operator"
)

const cloud = "OpenStackControlPlane/first"

func scenario() kittest.Scenario {
	return kittest.Scenario{
		Scheme: operator.Scheme(),
		Controllers: func(http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(controlplane.Definition(releases), operator.Scheme())
			return []kit.Controller{c}, err
		},
		CRDs:  []string{"../../charts/stackwright-operator/crds"},
		Files: []string{"testdata/world.yaml", "testdata/owner.yaml"},
		Children: map[string]kittest.Behaviour{
			"Galera":    kittest.Told("True", "Ready", ""),
			"RabbitMQ":  kittest.Told("True", "Ready", ""),
			"Memcached": kittest.Told("True", "Ready", ""),
			"Keystone":  keystoneReady,
			"Cloud":     kittest.Told("True", "Ready", ""),
			"Project":   kittest.Told("True", "Ready", ""),
			"Glance":    answering("https://192.0.2.3:9292"),
			"Placement": answering("https://192.0.2.2:8778"),
			"OVN":       kittest.Told("True", "Ready", ""),
			"Neutron":   answering("https://192.0.2.4:9696"),
			"Nova":      answering("https://192.0.2.5:8774/v2.1"),
			"Barbican":  answering("https://192.0.2.6:9311"),
			"Heat":      answering("https://192.0.2.7:8004/v1/%(project_id)s"),
			"Cinder":    answering("https://192.0.2.8:8776/v3"),
			"Horizon":   answering("https://192.0.2.9"),
		},
	}
}

func releases(context.Context) ([]string, error) { return []string{"epoxy", "flamingo", "zed"}, nil }

func keystoneReady(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
	status := kittest.Told("True", "Ready", "")(p, u)
	status["clouds"] = u.GetName() + "-clouds"
	status["endpoints"] = map[string]any{"public": "https://192.0.2.1:5000/v3",
		"internal": "https://keystone.cloud.svc:5000/v3"}
	return status
}

func answering(public string) kittest.Behaviour {
	return kittest.With(kittest.Told("True", "Ready", ""), map[string]any{"endpoints": map[string]any{"public": public}})
}

func TestGolden(t *testing.T) {
	kittest.New(t, scenario()).Golden(t, "testdata/minimal.yaml")
}

func TestReadyTellsWhereTheCloudIs(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		for path, want := range map[string]string{
			"release": "epoxy", "openstack": "2025.1", "deployedRelease": "epoxy", "clouds": "first-keystone-clouds",
		} {
			if got, _, _ := unstructured.NestedString(p.Object(cloud).Object, "status", path); got != want {
				t.Errorf("status.%s is %q, want %q", path, got, want)
			}
		}
		list, _, _ := unstructured.NestedSlice(p.Object(cloud).Object, "status", "endpoints")
		if len(list) != 1 || list[0].(map[string]any)["public"] != "https://192.0.2.1:5000/v3" {
			t.Errorf("status.endpoints is %v, want Keystone's", list)
		}
	})
}

func TestAtRestNothingIsSent(t *testing.T) {
	kittest.New(t, scenario()).Budget(t, 0, 0)
}

func TestEveryCrashEndsInTheSameCloud(t *testing.T) {
	kittest.New(t, scenario()).Crash(t, nil)
}

func TestDriftOfAChildIsHealed(t *testing.T) {
	kittest.New(t, scenario()).Drift(t, "Galera/first-galera", "spec.image", "images.test/other:1")
}

// Whatever is deleted behind the plane's back is made again as it was.
func TestADeletedChildComesBack(t *testing.T) {
	for _, ref := range []string{"Galera/first-galera", "RabbitMQ/first-rabbitmq", "Memcached/first-memcached",
		"Keystone/first-keystone", "Cloud/first-keystone", "Deployment/first-client"} {
		t.Run(ref, func(t *testing.T) { kittest.New(t, scenario()).Drift(t, ref, "", nil) })
	}
}

func TestDeletionNeedsConfirmation(t *testing.T) {
	w := kittest.New(t, scenario())
	w.Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove(cloud)
		p.Settle()
		if p.Object("Galera/first-galera") == nil {
			t.Fatal("Galera is gone although nobody confirmed the deletion")
		}
		wantCondition(t, p, "Ready", "False", "DeletionHeld", "spec.confirmDeletion to first")
		p.Change(cloud, "spec.deletionPolicy", "Delete")
		p.Change(cloud, "spec.confirmDeletion", "first")
		p.Settle()
		p.Empty()
	})
	w.Delete(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.deletionPolicy", "Delete")
		p.Change(cloud, "metadata.annotations", map[string]any{"controlplane.stackwright.dev/confirm-deletion": "first"})
	})
}
