package arch

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/operator"
)

func registry() operator.Entries {
	return operator.Registry(operator.Environment{
		Releases: func(context.Context) ([]string, error) { return []string{"epoxy"}, nil }, Gateway: true,
	})
}

// resources is the entry of the controllers of all kinds that stand for an OpenStack resource, of clouds, and of
// Hypervisor, which asks them.
const resources = "resources"

// controller is the name of the controller of a kind.
func controller(crd *definition) string {
	if crd.Spec.Group == "openstack.stackwright.dev" || crd.Spec.Names.Kind == "Hypervisor" {
		return resources
	}
	return strings.TrimPrefix(strings.ToLower(crd.Spec.Names.Kind), "openstack")
}

func TestRegistryAndKindsAgree(t *testing.T) {
	wanted := map[string]bool{}
	for _, crd := range kinds(t) {
		if _, ok := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]; ok {
			wanted[controller(crd)] = true
		}
	}
	for _, e := range registry() {
		if !wanted[e.Name] {
			t.Errorf("controller %s has no kind with a status; kinds are %v", e.Name, slices.Sorted(maps.Keys(wanted)))
		}
		delete(wanted, e.Name)
	}
	for name := range wanted {
		t.Errorf("controller %s is wanted by a kind and does not exist; add a line to operator.Registry", name)
	}
}

// Definitions are checked when they are made: graphs without cycles, references that exist, one maker per object.
func TestControllersAreWellFormed(t *testing.T) {
	for _, e := range registry() {
		if _, err := e.New(nil); err != nil {
			t.Errorf("controller %s: %v", e.Name, err)
		}
	}
}

func TestControllersHaveGoldenFiles(t *testing.T) {
	golden := map[string]bool{}
	for _, file := range files(t, ".yaml", ".diff", ".golden") {
		dir := path.Dir(file)
		if strings.HasPrefix(file, "internal/") && path.Base(dir) == "testdata" {
			golden[path.Base(path.Dir(dir))] = true
		}
	}
	for _, e := range registry() {
		if e.Name != resources && !golden[e.Name] { // these make no Kubernetes objects
			t.Errorf("controller %s has no golden file; render its objects into testdata/minimal.yaml beside it", e.Name)
		}
	}
}

// A page lists every condition that its kind can have.
func TestPagesListTheConditions(t *testing.T) {
	for _, e := range registry() {
		controllers, err := e.New(nil)
		if err != nil {
			t.Errorf("controller %s: %v", e.Name, err)
		}
		for _, c := range controllers {
			page := "docs/kinds/" + strings.ToLower(c.Plan().Kind.Kind) + ".md"
			text := string(readFile(t, page))
			for _, s := range c.Plan().Steps {
				if s.Condition != "" && !strings.Contains(text, "`"+s.Condition+"`") {
					t.Errorf("%s does not list condition %s of step %s", page, s.Condition, s.Name)
				}
			}
		}
	}
}
