package bundle_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/bundle"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

const (
	crds = "../../../charts/stackwright-operator/crds/openstack.stackwright.dev_"
	shop = "ProjectBundle/shop"
)

// used are the kinds that the bundle of the tests makes, and the one that it refers to.
func used() []string {
	return []string{"Project", "ComputeQuota", "NetworkQuota", "VolumeQuota", "Limit", "Network", "Subnet", "Router",
		"RouterInterface", "SecurityGroup", "SecurityGroupRule", "RoleAssignment", "User"}
}

func serves(kind string) bool { return slices.Contains(used(), kind) }

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, openstackv1.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// scenario is a bundle in a cloud that has what it does not make: a role, a service and the way to the outside.
func scenario(t *testing.T, served func(string) bool) kittest.Scenario {
	t.Helper()
	secret, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
		"name": "cloud", "namespace": "default"}, "data": map[string]any{
		"clouds.yaml": base64.StdEncoding.EncodeToString([]byte(fake.New(nil).CloudsYAML()))}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "secret.yaml")
	if err := os.WriteFile(file, secret, 0o600); err != nil {
		t.Fatal(err)
	}
	s := kittest.Scenario{Scheme: scheme(), Files: []string{file, "testdata/shop.yaml"},
		CRDs: []string{crds + "clouds.yaml", crds + "clusterclouds.yaml", crds + "referencegrants.yaml",
			crds + "projectbundles.yaml"},
		Outside: func() http.RoundTripper {
			c := fake.New(kinds.Served())
			c.Put("Role", map[string]any{"id": "member", "name": "member"})
			c.Put("Service", map[string]any{"id": "barbican", "name": "barbican", "type": "key-manager"})
			c.Put("Network", map[string]any{"id": "public", "name": "public", "status": "ACTIVE", "project_id": "other"})
			return c
		},
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			pool := openstack.NewPool(openstack.Options{Transport: outside})
			e := resources.New(kinds.Served(), resources.Sessions(pool))
			e.Lacks(func(kind string) bool { return serves(kind) || kind == "Role" || kind == "Service" })
			all, err := e.Controllers(scheme(), used()...)
			if err != nil {
				return nil, err
			}
			b, err := kit.New(bundle.Definition(served), scheme())
			return append(all, b), err
		}}
	for _, k := range kinds.Served() {
		if serves(k.Name) || k.Name == "Role" || k.Name == "Service" {
			s.CRDs = append(s.CRDs, crds+k.Plural+".yaml")
		}
	}
	return s
}

func cloudOf(p *kittest.Play) *fake.Cloud {
	c, _ := p.Outside.(*fake.Cloud)
	return c
}

func wantSays(p *kittest.Play, condition, part string) {
	p.T.Helper()
	if c := p.Condition(shop, condition); !strings.Contains(c.Reason+" "+c.Message, part) {
		p.T.Errorf("condition %s is %s %s %q, want %q", condition, c.Status, c.Reason, c.Message, part)
	}
}

func TestGolden(t *testing.T) {
	s := scenario(t, nil)
	s.Controllers = func(http.RoundTripper) ([]kit.Controller, error) {
		b, err := kit.New(bundle.Definition(nil), scheme())
		return []kit.Controller{b}, err
	}
	s.Children = map[string]kittest.Behaviour{}
	for _, kind := range used() {
		s.Children[kind] = kittest.Ready
	}
	kittest.New(t, s).Golden(t, "testdata/minimal.yaml")
}

func TestBundleIsMadeAndDeletedInOrder(t *testing.T) {
	kittest.New(t, scenario(t, nil)).Run(t, func(p *kittest.Play) {
		p.Ready()
		c := cloudOf(p)
		for kind, want := range map[string]int{"Project": 1, "Network": 2, "Subnet": 2, "Router": 1, "RouterInterface": 1,
			"SecurityGroup": 1, "SecurityGroupRule": 2, "RoleAssignment": 1, "Limit": 1} {
			if got := len(c.IDs(kind)); got != want {
				t.Errorf("there are %d resources of kind %s, want %d", got, kind, want)
			}
		}
		begin := len(c.Requests())
		p.Remove(shop)
		p.Settle()
		if p.Object(shop) != nil {
			wantSays(p, "Ready", "gone")
		}
		for kind, want := range map[string]int{"Project": 0, "Network": 1, "Subnet": 0, "Router": 0, "SecurityGroup": 0,
			"RoleAssignment": 0, "Limit": 0} {
			if got := len(c.IDs(kind)); got != want {
				t.Errorf("%d resources of kind %s are left, want %d", got, kind, want)
			}
		}
		var order []string
		for _, r := range c.Requests()[begin:] {
			if r.Method == http.MethodDelete {
				order = append(order, path.Base(path.Dir(r.Path)))
			}
		}
		if got := strings.Join(order, " "); !strings.HasSuffix(got, " projects") ||
			slices.Index(order, "subnets") > slices.Index(order, "networks") {
			t.Errorf("deleted are %s", got)
		}
	})
}

// The condition names the object that is not ready, and why it is not.
func TestWhy(t *testing.T) {
	kittest.New(t, scenario(t, nil)).Run(t, func(p *kittest.Play) {
		p.Change(shop, "spec.roleBindings", []any{map[string]any{"roleRef": map[string]any{"external": map[string]any{
			"name": "owner"}}, "userRef": map[string]any{"name": "ann"}}})
		p.Settle()
		wantSays(p, "RolesReady", "No Role in the cloud fits the filter name=owner.")
		wantSays(p, "Ready", "RoleAssignment shop.")
		wantSays(p, "NetworksReady", "Ready")
		if got := len(cloudOf(p).IDs("RoleAssignment")); got != 0 {
			t.Errorf("the binding that is not declared any more is still there, with %d others", got-1)
		}
		cloudOf(p).Put("Role", map[string]any{"id": "owner", "name": "owner"})
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
	})
}

// What is taken out of a bundle is deleted, and a rule keeps its name when the others change.
func TestPartsGo(t *testing.T) {
	kittest.New(t, scenario(t, nil)).Run(t, func(p *kittest.Play) {
		before := cloudOf(p).IDs("SecurityGroupRule")
		p.Change(shop, "spec.networks", nil)
		p.Change(shop, "spec.routers", nil)
		p.Change(shop, "spec.securityGroups", []any{map[string]any{"name": "web", "rules": []any{map[string]any{
			"direction": "ingress", "remoteGroup": "web"}}}})
		p.Settle()
		p.Ready()
		after := cloudOf(p).IDs("SecurityGroupRule")
		if len(after) != 1 || !slices.Contains(before, after[0]) {
			t.Errorf("the rules were %v and are %v", before, after)
		}
		if got := len(cloudOf(p).IDs("Network")); got != 1 {
			t.Errorf("there are %d networks, want the one to the outside", got)
		}
	})
}

// An object of somebody else that has the name of a part is left alone.
func TestSomebodyElsesObject(t *testing.T) {
	s := scenario(t, nil)
	s.Files = append([]string{"testdata/before.yaml"}, s.Files...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		wantSays(p, "ProjectReady", "Conflict")
		p.Remove(shop)
		p.Settle()
		if p.Object("Project/shop") == nil {
			t.Error("the project of somebody else went with the bundle")
		}
	})
}

// A cluster that serves some kinds only keeps the parts of these.
func TestKindsThatAreNotServed(t *testing.T) {
	served := func(kind string) bool { return kind != "Router" }
	kittest.New(t, scenario(t, served)).Run(t, func(p *kittest.Play) {
		wantSays(p, "RoutersReady", "this cluster has no kind Router: install it and restart the operator, or take routers "+
			"out of the bundle")
		wantSays(p, "NetworksReady", "Ready")
	})
}

func TestCrash(t *testing.T) {
	s := scenario(t, nil)
	s.Files[1] = "testdata/small.yaml"
	kittest.New(t, s).Crash(t, nil)
}
