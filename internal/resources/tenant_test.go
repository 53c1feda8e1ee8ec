package resources_test

import (
	"testing"
	"time"

	"stackwright.dev/kit/kittest"
)

// shops is a ClusterCloud for the namespaces of shops alone, and an object in a namespace that is none yet.
func shops(policy string) []string {
	return []string{
		namespace("ops"), namespace("default"), credentials("ops"),
		one("ClusterCloud", `""`, "default", "secretRef: {name: cloud, namespace: ops}, syncPeriod: 5m, "+
			"namespaceSelector: {matchLabels: {cloud: shop}}"),
		one("Network", "default", "web", policy+"resource: {description: first}"),
	}
}

const (
	web    = "Network/default/web"
	banned = "False NotAllowed Step resource: The cloud is not for objects of this namespace; its " +
		"spec.namespaceSelector is cloud=shop. Name another in spec.cloudRef."
)

// admit gives the namespace a label of that value.
func admit(p *kittest.Play, value string) {
	p.T.Helper()
	p.Change("Namespace/default", "metadata.labels", map[string]any{"cloud": value})
	p.Settle()
}

// silent wants no request, nor a list, for an hour in which somebody changes what the object declares.
func silent(p *kittest.Play, description string) {
	p.T.Helper()
	before := len(cloudOf(p).Requests())
	p.Change(web, "spec.resource.description", description)
	p.Pass(time.Hour)
	for _, r := range cloudOf(p).Requests()[before:] {
		p.T.Errorf("for a namespace that is not admitted there is the request %s %s", r.Method, r.Path)
	}
	wantSays(p, web, banned)
}

// A ClusterCloud does nothing for namespaces that it does not admit: neither before it admits them nor after it did.
func TestNamespacesAreAdmitted(t *testing.T) {
	kittest.New(t, stage(t, nil, shops("")...)).Run(t, func(p *kittest.Play) {
		wantSays(p, web, banned)
		silent(p, "second")
		wantIn(p, "Network", 0)

		admit(p, "shop")
		wantSays(p, web, "True")
		wantIn(p, "Network", 1)

		admit(p, "office")
		silent(p, "third")
		wantIn(p, "Network", 1)

		admit(p, "shop")
		wantSays(p, web, "True")
		wantDescription(p, "third")

		const selector = "spec.namespaceSelector.matchLabels"
		p.Change("ClusterCloud/default", selector, map[string]any{"cloud": "bank"})
		p.Settle()
		wantSays(p, web, "its spec.namespaceSelector is cloud=bank.")
		p.Change(web, "spec.resource.description", "fourth")
		p.Pass(time.Hour)
		wantDescription(p, "third")
		p.Change("ClusterCloud/default", selector, map[string]any{"cloud": "shop"})
		p.Settle()
		wantSays(p, web, "True")
		wantDescription(p, "fourth")
	})
}

func wantDescription(p *kittest.Play, want string) {
	p.T.Helper()
	for _, n := range cloudOf(p).All("Network") {
		if n["description"] != want {
			p.T.Errorf("the description of the network is %v, want %s", n["description"], want)
		}
	}
}

// What is refused is not put right either, and not made again.
func TestNamespacesThatWereAdmittedAreLeftAlone(t *testing.T) {
	kittest.New(t, stage(t, nil, shops("")...)).Run(t, func(p *kittest.Play) {
		admit(p, "shop")
		admit(p, "office")
		cloudOf(p).Put("Network", map[string]any{"id": cloudOf(p).IDs("Network")[0], "description": "changed"})
		p.Pass(time.Hour)
		wantDescription(p, "changed")
		cloudOf(p).Remove("Network", cloudOf(p).IDs("Network")[0])
		p.Pass(time.Hour)
		wantIn(p, "Network", 0)
		wantSays(p, web, banned)
	})
}

// An object that is deleted takes its resource with it, also when its namespace is not admitted any more: what was made
// while it was would be left behind otherwise, and nobody could delete the namespace. One that never was admitted goes
// without a request.
func TestNamespacesThatWereAdmittedAreDeleted(t *testing.T) {
	for name, c := range map[string]struct {
		policy, label string
		left, writes  int
	}{
		"admitted before":       {"", "shop", 0, 1},
		"admitted never":        {"", "office", 0, 0},
		"admitted and detached": {"policy: detach, ", "shop", 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, stage(t, nil, shops(c.policy)...)).Run(t, func(p *kittest.Play) {
				admit(p, c.label)
				admit(p, "office")
				before := len(writes(p))
				p.Remove(web)
				p.Settle()
				if p.Object(web) != nil {
					t.Errorf("the object is still there: %s", says(p, web))
				}
				wantIn(p, "Network", c.left)
				if n := len(writes(p)) - before; n > c.writes {
					t.Errorf("there are %d requests that change something, want at most %d", n, c.writes)
				}
				p.Remove("ClusterCloud/default")
				p.Settle()
				if p.Object("ClusterCloud/default") != nil {
					t.Errorf("the cloud is still there: %s", says(p, "ClusterCloud/default"))
				}
			})
		})
	}
}

// Who was never admitted to a ClusterCloud does not use it: any tenant could keep its owner from deleting it otherwise.
// Nor does the object have to wait for a cloud that it never was in.
func TestNamespacesThatAreNotAdmittedHoldNoCloud(t *testing.T) {
	const cloud = "ClusterCloud/default"
	kittest.New(t, stage(t, nil, shops("")...)).Run(t, func(p *kittest.Play) {
		wantSays(p, web, banned)
		if used := p.Object(cloud).Object["status"].(map[string]any)["usedBy"]; used != nil {
			t.Errorf("the cloud says that it is used by %v", used)
		}
		p.Remove(cloud)
		p.Settle()
		if p.Object(cloud) != nil {
			t.Errorf("the cloud is still there: %s", says(p, cloud))
		}
		p.Remove(web)
		p.Settle()
		if p.Object(web) != nil {
			t.Errorf("the object is still there: %s", says(p, web))
		}
	})
}
