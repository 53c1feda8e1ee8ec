package kittest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app"
	"stackwright.dev/kit/kittest"
)

// component of the example's steps; the others are of the main one.
var component = map[string]string{"migrate": "setup", "account": "setup", "deployment": "web", "service": "web"}

// The processes of a split scenario.
const (
	processMain = iota
	processSetup
	processWeb
)

// split is the scenario with one process for each component.
func split(t *testing.T) kittest.Scenario {
	t.Helper()
	s := scenario(t)
	of := func(components ...string) func(http.RoundTripper) ([]kit.Controller, error) {
		return func(outside http.RoundTripper) ([]kit.Controller, error) {
			d := app.Definition(outside)
			for i := range d.Steps {
				d.Steps[i].Component = component[d.Steps[i].Name]
			}
			d.Options.Components = components
			c, err := kit.New(d, s.Scheme)
			return []kit.Controller{c}, err
		}
	}
	s.Controllers = of("")
	s.Beside = []func(http.RoundTripper) ([]kit.Controller, error){of("setup"), of("web")}
	return s
}

func snapshot(t *testing.T, s kittest.Scenario, f func(*kittest.Play)) []string {
	t.Helper()
	var out string
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		if f != nil {
			f(p)
			p.Settle()
		}
		out = p.Snapshot()
	})
	return strings.Split(out, "\n")
}

// One process for each component comes to the same end as one process for all, status included.
func TestComponentsComeToTheSameEnd(t *testing.T) {
	for name, script := range map[string]func(*kittest.Play){
		"made":    nil,
		"changed": func(p *kittest.Play) { p.Change("App/web", "spec.image", "example.test/web:2") },
		"off":     func(p *kittest.Play) { p.Change("App/web", "spec.public", false) },
		"on again": func(p *kittest.Play) {
			p.Change("App/web", "spec.public", false)
			p.Settle()
			p.Change("App/web", "spec.public", true)
		},
		"secret":        func(p *kittest.Play) { p.Change("Secret/db-password", "data.password", "bmV3") },
		"broken secret": func(p *kittest.Play) { p.Change("Secret/db-password", "data", map[string]any{"b": "YQ=="}) },
		"job fails": func(p *kittest.Play) {
			p.Behave("Job", kittest.Fail("table users is locked"))
			p.Change("App/web", "spec.image", "example.test/web:2")
		},
		"held": func(p *kittest.Play) {
			p.Behave("Deployment/web", kittest.Hold)
			p.Change("App/web", "spec.image", "example.test/web:2")
		},
		"deleted": func(p *kittest.Play) { p.Remove("App/web") },
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(snapshot(t, scenario(t), script), snapshot(t, split(t), script)); diff != "" {
				t.Errorf("components differ from one process (-one +components):\n%s", diff)
			}
		})
	}
}

func TestComponentsAtRest(t *testing.T) { kittest.New(t, split(t)).Budget(t, 0, 0) }

// A component must not take for done what another did before the change: the application of a new image would meet the
// tables of the old one.
func TestComponentWaitsUntilTheOtherHasSeenTheChange(t *testing.T) {
	for name, change := range map[string]func(*kittest.Play){
		"spec":      func(p *kittest.Play) { p.Change("App/web", "spec.image", "example.test/web:2") },
		"reference": func(p *kittest.Play) { p.Change("Secret/db-password", "data.password", "bmV3") },
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, split(t)).Run(t, func(p *kittest.Play) {
				p.Ready()
				before := template(p)
				p.StopOne(processSetup)
				change(p)
				p.Settle()
				if diff := cmp.Diff(before, template(p)); diff != "" {
					t.Errorf("the Deployment was changed before the migration ran:\n%s", diff)
				}
				c := p.Condition("App/web", "Ready")
				if c.Status != "False" || !strings.Contains(c.Message, "component setup") {
					t.Errorf("without component setup Ready is %s: %q", c.Status, c.Message)
				}
				p.Start()
				p.Settle()
				p.Ready()
				if cmp.Equal(before, template(p)) {
					t.Error("the Deployment was never changed")
				}
			})
		})
	}
}

func template(p *kittest.Play) any {
	v, _, _ := unstructured.NestedFieldCopy(p.Object("Deployment/web").Object, "spec", "template")
	return v
}

// What a component made is removed by it alone: another may have no way to reach what is outside of Kubernetes.
func TestComponentRemovesItsOwn(t *testing.T) {
	kittest.New(t, split(t)).Run(t, func(p *kittest.Play) {
		p.StopOne(processSetup)
		p.Remove("App/web")
		p.Settle()
		if p.Object("App/web") == nil {
			t.Fatal("the App is gone although component setup has an account to remove")
		}
		if p.Object("Deployment/web") != nil {
			t.Error("component web did not remove its Deployment")
		}
		if c := p.Condition("App/web", "Ready"); !strings.Contains(c.Message, "operator of component setup") {
			t.Errorf("Ready says %q", c.Message)
		}
		p.Start()
		p.Settle()
		p.Empty()
	})
}

// A child that somebody holds is named by the component that made it, and the others do not talk it over.
func TestComponentsNameWhatIsStuck(t *testing.T) {
	kittest.New(t, split(t)).Run(t, func(p *kittest.Play) {
		p.Change("Deployment/web", "metadata.finalizers", []any{"example.com/foreign"})
		p.Remove("App/web")
		p.Settle()
		before := p.Object("App/web")
		if c := p.Condition("App/web", "Ready"); !strings.Contains(c.Message, "held by finalizer example.com/foreign") {
			t.Errorf("Ready says %q", c.Message)
		}
		p.Pass(time.Minute)
		if diff := cmp.Diff(before, p.Object("App/web")); diff != "" {
			t.Errorf("it is written again and again:\n%s", diff)
		}
		p.Change("Deployment/web", "metadata.finalizers", nil)
		p.Settle()
		p.Empty()
	})
}

// Each process is killed at each of its requests.
func TestComponentsCrash(t *testing.T) { kittest.New(t, split(t)).Crash(t, nil) }
