package controlplane_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/controlplane"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

const shop = `
---
apiVersion: openstack.stackwright.dev/v1alpha1
kind: Project
metadata: {name: shop, namespace: cloud}
spec: {cloudRef: {name: first-keystone}, resource: {}}
`

// whole is a control plane with Placement, and the operator of resources, by which a person has a project in its cloud.
func whole(t *testing.T) kittest.Scenario {
	t.Helper()
	s := scenario()
	given, err := os.ReadFile("testdata/world.yaml")
	if err != nil {
		t.Fatal(err)
	}
	clouds := strings.Replace(fake.New(nil).CloudsYAML(), "fake:", "internal:", 1)
	file := filepath.Join(t.TempDir(), "world.yaml")
	text := strings.NewReplacer("Y2xvdWRzOiB7fQ==", base64.StdEncoding.EncodeToString([]byte(clouds)), "Y2E=", `""`,
		"{name: cloud}", "{name: cloud, finalizers: [example.org/hold]}").Replace(string(given))
	if err := os.WriteFile(file, []byte(text+shop), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Files = []string{file, "testdata/owner.yaml"}
	s.Outside = func() http.RoundTripper { return fake.New(kinds.Served()) }
	s.Controllers = func(outside http.RoundTripper) ([]kit.Controller, error) {
		e := resources.New(kinds.Served(), resources.Sessions(openstack.NewPool(openstack.Options{Transport: outside})))
		below, err := e.Controllers(operator.Scheme(), "Project")
		if err != nil {
			return nil, err
		}
		above, err := kit.New(controlplane.Definition(releases), operator.Scheme())
		return append(below, above), err
	}
	s.Children = maps.Clone(s.Children)
	delete(s.Children, "Cloud")
	delete(s.Children, "Project")
	s.Script = func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask("placement"))
		p.Change(cloud, "spec.deletionPolicy", "Delete")
		p.Change(cloud, "spec.confirmDeletion", "first")
	}
	return s
}

// projects are those in the cloud.
func projects(p *kittest.Play) int {
	p.T.Helper()
	c, ok := p.Outside.(*fake.Cloud)
	if !ok {
		p.T.Fatalf("outside is a %T", p.Outside)
	}
	return len(c.IDs("Project"))
}

// A person's project is deleted by way of the control plane, which goes when that is done.
func TestPeoplesObjectsGoFirst(t *testing.T) {
	kittest.New(t, whole(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := projects(p)
		p.Remove(cloud)
		p.Settle()
		wantCondition(t, p, "Ready", "False", "DeletionHeld", "(Project shop)")
		p.Restart()
		p.Settle()
		if u := p.Object("Placement/first-placement"); u == nil || u.GetDeletionTimestamp() != nil {
			t.Error("Placement goes before the project")
		}
		p.Remove("Project/shop")
		p.Settle()
		if p.Object(cloud) != nil || p.Object("Cloud/first-keystone") != nil {
			t.Error("the control plane is left")
		}
		if got := projects(p); got != before-2 {
			t.Errorf("there are %d projects in the cloud, which had %d with that of the services", got, before)
		}
	})
}

// A namespace takes all that is in it at once, the pods of Keystone too: what is in the cloud does not hold it.
func TestNamespaceTakesAControlPlaneThatIsUsed(t *testing.T) {
	kittest.New(t, whole(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Stop() // so that it has no session any more
		p.Change("Secret/first-keystone-clouds", `data.clouds\.yaml`, "bm90aGluZw==")
		p.Remove("Namespace/cloud")
		for _, o := range p.Objects() {
			if o.GetKind() == "Namespace" || o.GetNamespace() == "" {
				continue
			}
			if err := client.IgnoreNotFound(p.Client.Delete(t.Context(), o)); err != nil {
				t.Fatal(err)
			}
		}
		p.Start()
		p.Pass(time.Minute)
		if p.Object("Project/shop") == nil {
			t.Error("nobody waited for the cloud")
		}
		p.Pass(3 * time.Minute)
		for _, ref := range []string{cloud, "Project/shop", "Cloud/first-keystone", "Keystone/first-keystone"} {
			if p.Object(ref) != nil {
				t.Errorf("%s is left", ref)
			}
		}
	})
}
