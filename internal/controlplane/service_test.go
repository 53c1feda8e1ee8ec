package controlplane_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
)

// optional are the services that run when they are asked for.
func optional() []string {
	return []string{"barbican", "cinder", "glance", "heat", "horizon", "neutron", "placement"}
}

func ask(services ...string) map[string]any {
	out := map[string]any{}
	for _, s := range services {
		out[s] = map[string]any{}
	}
	return out
}

// title is the kind of a service.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// The longest name of a control plane leaves room for those of all services.
func TestLongName(t *testing.T) {
	s := withNova()
	s.Files[1] = filepath.Join(t.TempDir(), "owner.yaml")
	var services []string
	for _, name := range append(optional(), "nova") {
		services = append(services, name+": {}")
	}
	owner := fmt.Sprintf("apiVersion: controlplane.stackwright.dev/v1alpha1\nkind: OpenStackControlPlane\n"+
		"metadata: {name: first, namespace: cloud}\nspec: {size: dev, services: {%s}}\n", strings.Join(services, ", "))
	if err := os.WriteFile(s.Files[1], []byte(owner), 0o600); err != nil {
		t.Fatal(err)
	}
	infratest.LongName(t, s, "OpenStackControlPlane/cloud/first")
}

// Each service that is asked for is a few objects more, and the control plane tells where it answers.
func TestServicesAreAddedByName(t *testing.T) {
	base, err := os.ReadFile("testdata/minimal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range optional() {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
				p.Change(cloud, "spec.services", ask(name))
				p.Settle()
				p.Ready()
				kittest.Golden(t, "testdata/"+name+".diff", kittest.Diff(string(base), p.Applied()))
				list, _, _ := unstructured.NestedSlice(p.Object(cloud).Object, "status", "endpoints")
				if len(list) != 2 || list[1].(map[string]any)["service"] != name {
					t.Errorf("status.endpoints is %v, want Keystone's and that of %s", list, name)
				}
				without(t, p, name)
			})
		})
	}
}

// without disables a service. The Cloud stays: people's objects are in it, and hold it, so that on its way out it would
// keep the next service from coming.
func without(t *testing.T, p *kittest.Play, name string) {
	t.Helper()
	p.Change(cloud, "spec.services", nil)
	p.Settle()
	p.Ready()
	for _, gone := range []string{title(name) + "/first-" + name, "Project/first-keystone-service"} {
		if p.Object(gone) != nil {
			t.Errorf("%s is still there", gone)
		}
	}
	if u := p.Object("Cloud/first-keystone"); u == nil || u.GetDeletionTimestamp() != nil {
		t.Error("the Cloud went with the service")
	}
}

// A service is asked for, and deleted with its control plane, whatever kills the operator meanwhile.
func TestEveryCrashEndsWithAllServices(t *testing.T) {
	s := scenario()
	s.Stride = 5
	kittest.New(t, s).Crash(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask(optional()...))
	})
}

// The cloud by which services are registered is there until the last of them is gone: what they are registered as is
// deleted through it.
func TestTheCloudOutlivesItsServices(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask(optional()...))
		p.Settle()
		p.Ready()
		for _, name := range optional() {
			p.Change(title(name)+"/first-"+name, "metadata.finalizers", []any{"example.org/hold"})
		}
		p.Change(cloud, "spec.confirmDeletion", "first")
		p.Remove(cloud)
		p.Settle()
		for _, kept := range []string{"Cloud/first-keystone", "Project/first-keystone-service", "Keystone/first-keystone"} {
			if u := p.Object(kept); u == nil || u.GetDeletionTimestamp() != nil {
				t.Errorf("%s went before the services", kept)
			}
		}
	})
}

// Each size is one that the kinds of all services take.
func TestEverySizeIsTaken(t *testing.T) {
	kittest.New(t, withNova()).Run(t, func(p *kittest.Play) {
		services := ask(optional()...)
		services["nova"] = map[string]any{}
		p.Change(cloud, "spec.services", services)
		for _, size := range []string{"dev", "small", "medium", "large"} {
			p.Change(cloud, "spec.size", size)
			p.Settle()
			p.Ready()
		}
		if got := field(p, "Keystone/first-keystone", "spec", "replicas"); got != int64(5) {
			t.Errorf("a large Keystone has %v replicas, want 5", got)
		}
	})
}
