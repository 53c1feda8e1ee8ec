package resources_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// A port gets its address when it is made: one that is made before the subnet of its network never has one.
func TestPortsAwaitSubnets(t *testing.T) {
	const subnet = "resource: {networkRef: {name: web}, ipVersion: 4, cidr: 10.9.0.0/24}"
	objects := []string{
		namespace("red"), credentials("red"), everywhere("red"),
		one("Port", "red", "plain", "resource: {networkRef: {name: web}}"),
		one("FloatingIP", "red", "web", "resource: {floatingNetworkRef: {name: web}}"),
		one("Router", "red", "web", "resource: {externalGateway: {networkRef: {name: web}}}"),
		one("Router", "red", "inside", "resource: {}"),
		one("Router", "red", "fixed", "resource: {externalGateway: {networkRef: {name: web}, addresses: [{ip: 10.9.0.2}]}}"),
		one("Port", "red", "other", "resource: {networkRef: {name: far}}"),
		one("Network", "red", "web", "resource: {}"), one("Network", "red", "far", "resource: {}"),
		// It waits itself, for a pool that nobody has made.
		one("Subnet", "red", "pooled", "resource: {networkRef: {name: web}, ipVersion: 4, subnetPoolRef: {name: none}}"),
		one("Subnet", "red", "web", subnet),
		one("SubnetPool", "red", "some", "resource: {prefixes: [10.0.0.0/8]}"),
	}
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Settle()
		wantSays(p, "Port/red/plain", "Waits for Subnet pooled, as ports get addresses when they are made")
		wantIn(p, "Port", 1) // that of the other network
		wantSays(p, "FloatingIP/red/web", "Waits for Subnet pooled, as Neutron takes addresses from subnets")
		wantSays(p, "Router/red/web", "Waits for Subnet pooled, as routers get addresses outside when they are made")
		wantIn(p, "Router", 2) // the one with an address of its own, and the one that is not connected
		p.Create(copied(p, "SubnetPool/red/some", "none"))
		p.Settle()
		p.Ready()
		wantIn(p, "Port", 2)
		wantIn(p, "Router", 3)
		// Later subnets are nothing to a port that is there.
		late := copied(p, "Subnet/red/pooled", "late")
		if err := unstructured.SetNestedField(late.Object, "no", "spec", "resource", "subnetPoolRef", "name"); err != nil {
			t.Fatal(err)
		}
		p.Create(late)
		p.Settle()
		wantSays(p, "Port/red/plain", "True")
	})
}

// copied is an object of the same spec.
func copied(p *kittest.Play, ref, name string) *unstructured.Unstructured {
	from := p.Object(ref)
	to := &unstructured.Unstructured{Object: map[string]any{"spec": from.Object["spec"]}}
	to.SetGroupVersionKind(from.GroupVersionKind())
	to.SetNamespace(from.GetNamespace())
	to.SetName(name)
	return to
}

// A server on an image that gets its data still is made when it has it, and not refused before.
func TestServersAwaitImages(t *testing.T) {
	objects := []string{
		namespace("red"), credentials("red"), everywhere("red"),
		one("Image", "red", "disk", "resource: {content: {diskFormat: raw}}"),
		one("Flavor", "red", "tiny", "resource: {ram: 128, vcpus: 1, disk: 0}"),
		one("Server", "red", "web", "resource: {flavorRef: {name: tiny}, imageRef: {name: disk}}"),
	}
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Settle()
		wantSays(p, "Server/red/web", "Waits until Image disk is usable; it is queued, and its conditions say why.")
		wantIn(p, "Server", 0)
		for _, image := range cloudOf(p).All("Image") {
			image["status"] = "active"
			cloudOf(p).Put("Image", image)
		}
		p.Pass(later)
		p.Settle()
		p.Ready()
		wantIn(p, "Server", 1)
	})
}
