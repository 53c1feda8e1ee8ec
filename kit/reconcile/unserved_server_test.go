//go:build apiserver && !bench

package reconcile_test

import (
	"os"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/crd"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/step"
)

// withThing makes a custom resource on top of a ConfigMap.
func withThing() kit.Definition[*app] {
	return define(step.Objects("config", configMap("config", fixed), makesMaps),
		step.Objects("thing", func(s *scope) ([]client.Object, error) {
			o := &thing{Spec: thingSpec{Size: int(s.Owner().Spec.Replicas)}}
			o.Name = "one"
			return []client.Object{o}, nil
		}, step.After[*app]("config"), step.Makes[*app](&thing{}), step.Ready[*app]("Thing", gate.Exists),
			step.Condition[*app]("ThingReady")))
}

func definition(p *kittest.Play) *apiextensionsv1.CustomResourceDefinition {
	p.T.Helper()
	all, err := crd.Read(os.DirFS("testdata/crd"))
	if err != nil {
		p.T.Fatal(err)
	}
	return all[0]
}

// undefine removes the definition of things, and all things with it.
func undefine(p *kittest.Play) {
	p.T.Helper()
	c := definition(p)
	if err := p.Client.Delete(p.T.Context(), c); err != nil {
		p.T.Fatal(err)
	}
	p.Until(time.Minute, "the definition is gone", func() bool {
		return client.IgnoreNotFound(p.Client.Get(p.T.Context(), client.ObjectKeyFromObject(c), c)) == nil &&
			p.Client.List(p.T.Context(), &thingList{}) != nil
	})
}

// redefine installs the definition of things again.
func redefine(p *kittest.Play) {
	p.T.Helper()
	if err := crd.Ensure(p.T.Context(), p.Client, "person", definition(p)); err != nil {
		p.T.Fatal(err)
	}
}

// TestServerDeletionWithoutDefinition is criterion 12: the definition of a child's kind is gone.
func TestServerDeletionWithoutDefinition(t *testing.T) {
	for name, lose := range map[string]func(*kittest.Play){
		"while it runs": undefine,
		"while it is down": func(p *kittest.Play) {
			p.Stop()
			undefine(p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onServer(t, withThing()).Run(t, func(p *kittest.Play) {
				p.Ready()
				lose(p)
				p.Remove("App/one")
				p.Start()
				p.Until(10*time.Second, "the object is gone", func() bool { return p.Object("App/one") == nil })
				if p.Object("ConfigMap/one-config") != nil {
					t.Error("the ConfigMap is left behind")
				}
			})
		})
	}
}

// TestServerDefinitionReturns: an operator that starts while the definition of a child's kind is gone looks after what
// it can, says what is missing, and goes on when it is back.
func TestServerDefinitionReturns(t *testing.T) {
	onServer(t, withThing()).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Stop()
		undefine(p)
		p.Remove("ConfigMap/one-config")
		p.Start()
		p.Until(10*time.Second, "the rest is mended", func() bool { return p.Object("ConfigMap/one-config") != nil })
		p.Until(10*time.Second, "the condition tells", func() bool {
			c := p.Condition("App/one", "ThingReady")
			return c.Status == "False" && strings.Contains(c.Message, "Thing") &&
				strings.Contains(c.Message, "install the CustomResourceDefinition")
		})
		redefine(p)
		p.Until(time.Minute, "the object is ready again", func() bool {
			return p.Object("Thing/one") != nil && p.Condition("App/one", "Ready").Status == "True"
		})
		p.Pass(12 * time.Second) // it is watched by now
		begin := time.Now()
		p.Remove("Thing/one")
		p.Until(10*time.Second, "a deletion is healed", func() bool { return p.Object("Thing/one") != nil })
		if d := time.Since(begin); d > time.Second {
			t.Errorf("a deletion is healed after %s", d)
		}
	})
}
