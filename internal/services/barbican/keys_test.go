package barbican_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

const object = "Barbican/cloud/barbican"

// keys are those of a configuration, by the names that the Secret has for them.
func keys(p *kittest.Play, config string) string {
	p.T.Helper()
	var out []string
	ring := servicetest.Secret(p, "barbican-kek")
	for line := range strings.Lines(servicetest.Secret(p, config)["barbican.conf"]) {
		value, ok := strings.CutPrefix(line, "kek = ")
		for name, key := range ring {
			if ok && strings.TrimSpace(value) == key {
				out = append(out, name)
			}
		}
	}
	return strings.Join(out, " ")
}

func rewraps(p *kittest.Play) []string {
	p.T.Helper()
	return slices.DeleteFunc(servicetest.Jobs(p), func(name string) bool {
		return !strings.HasPrefix(name, "barbican-key-rewrap")
	})
}

// A new key is known to all pods before one encrypts with it, and all of them encrypt with it before projects' keys are
// encrypted anew.
func TestANewKeyIsKnownBeforeItIsUsed(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		if got := keys(p, "barbican-config"); got != "1" || len(rewraps(p)) > 0 {
			t.Fatalf("it begins with the keys %q and the Jobs %v", got, rewraps(p))
		}
		first := servicetest.Secret(p, "barbican-kek")["1"]
		p.Behave("Deployment", kittest.Hold)
		p.Change(object, "spec.keyGeneration", int64(2))
		p.Settle()
		if got := keys(p, "barbican-config"); got != "1 2" {
			t.Errorf("before all pods know it, the keys are %q", got)
		}
		p.Behave("Deployment/barbican-api", kittest.Ready)
		p.Settle()
		if got := keys(p, "barbican-config"); got != "1 2" {
			t.Errorf("before the worker knows it, the keys are %q", got)
		}
		p.Behave("Deployment/barbican-worker", kittest.Ready)
		p.Behave("Deployment/barbican-api", kittest.Hold)
		p.Settle()
		if got := keys(p, "barbican-config"); got != "2 1" || len(rewraps(p)) > 0 {
			t.Errorf("when all pods know it, the keys are %q and the Jobs %v", got, rewraps(p))
		}
		p.Behave("Deployment/barbican-api", kittest.Ready)
		p.Settle()
		p.Ready()
		if diff := cmp.Diff([]string{"barbican-key-rewrap-2"}, rewraps(p)); diff != "" {
			t.Errorf("the Jobs differ (-want +got):\n%s", diff)
		}
		if got := servicetest.Secret(p, "barbican-kek")["1"]; got != first {
			t.Error("the first key is gone")
		}
	})
}

// Keys that are lost are not replaced: the service goes on with what its pods have, and says what to do.
func TestLostKeysAreNotReplaced(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := servicetest.Secret(p, "barbican-config")["hash"]
		backup := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret",
			"metadata": map[string]any{"name": "barbican-kek", "namespace": "cloud"},
			"data":     p.Object("Secret/cloud/barbican-kek").Object["data"]}}
		p.Change("Secret/cloud/barbican-kek", "data", nil)
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(backup.Object["data"], p.Object("Secret/cloud/barbican-kek").Object["data"]); diff != "" {
			t.Errorf("emptied, the Secret comes back another one (-before +after):\n%s", diff)
		}
		p.Stop()
		p.Remove("Secret/cloud/barbican-kek")
		p.Remove("Secret/cloud/barbican-kek-copy")
		p.Start()
		p.Settle()
		c := p.Condition(object, "KeysReady")
		if c.Reason != "KeysLost" || !strings.Contains(c.Message, "restore it from a backup") {
			t.Errorf("the condition is %s: %s", c.Reason, c.Message)
		}
		if p.Object("Secret/cloud/barbican-kek") != nil {
			t.Error("there are new keys")
		}
		if got := servicetest.Secret(p, "barbican-config")["hash"]; got != before {
			t.Error("the configuration is another one")
		}
		p.Create(backup)
		p.Settle()
		p.Ready()
	})
}

// A key that somebody has broken does not go on to the copy, which has the right one still.
func TestBrokenKeysAreTold(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		servicetest.TellsBrokenKeys(p, object, "KeysReady", "barbican-kek")
	})
}

// Who is deleted and keeps the database keeps the keys, and takes both up again.
func TestKeysOutliveTheObject(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := servicetest.Secret(p, "barbican-kek")
		p.Remove(object)
		p.Settle()
		if diff := cmp.Diff(before, servicetest.Secret(p, "barbican-kek")); diff != "" {
			t.Error("the keys are others")
		}
	})
}

func TestEveryCrashEndsWithTheSameKeys(t *testing.T) {
	s := kind().Scenario(t, "")
	s.Stride = 7
	kittest.New(t, s).Crash(t, func(p *kittest.Play) { p.Change(object, "spec.keyGeneration", int64(2)) })
}
