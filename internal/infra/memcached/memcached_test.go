package memcached_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/infra/memcached"
	"stackwright.dev/stackwright/internal/pki/pkitest"
)

const (
	cache = "Memcached/cloud/cache"
	set   = "StatefulSet/cloud/cache"
)

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	return infratest.Scenario(t, func(http.RoundTripper) kit.Definition[*infrav1.Memcached] {
		return memcached.Definition()
	}, "memcacheds")
}

func TestGolden(t *testing.T)         { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestGoldenVariants(t *testing.T) { infratest.Variants(t, scenario, cache) }
func TestLongName(t *testing.T)       { infratest.LongName(t, scenario(t), cache) }

func TestAnAuthorityThatEnds(t *testing.T) {
	pkitest.AuthorityLasts(t, scenario(t), cache, "spec.tls.caSecret")
}

func TestBudget(t *testing.T) { kittest.New(t, scenario(t)).Budget(t, 0, 0) }
func TestCrash(t *testing.T)  { kittest.New(t, scenario(t)).Crash(t, nil) }
func TestDelete(t *testing.T) { kittest.New(t, scenario(t)).Delete(t, nil) }

func TestStatusTellsTheServers(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		o := p.Object(cache).Object
		servers, _, _ := unstructured.NestedStringSlice(o, "status", "servers")
		want := []string{"cache-0.cache.cloud.svc:11211", "cache-1.cache.cloud.svc:11211"}
		if !slices.Equal(servers, want) {
			t.Errorf("servers are %v, want %v", servers, want)
		}
		if s, _, _ := unstructured.NestedString(o, "status", "clientSecret"); s != "cache-client" {
			t.Errorf("clientSecret is %q, want cache-client", s)
		}
		p.Change(cache, "spec.tls.disabled", true)
		p.Settle()
		p.Ready()
		if s, _, _ := unstructured.NestedString(p.Object(cache).Object, "status", "clientSecret"); s != "" {
			t.Errorf("clientSecret is %q although TLS is disabled", s)
		}
		if command := strings.Join(command(p), " "); strings.Contains(command, "--tls") {
			t.Errorf("the command is %s although TLS is disabled", command)
		}
	})
}

// Clients that still have a cache in their list would wait for it at each request: it goes after its name has gone.
func TestACacheOutlivesItsName(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		at := func(when string, named int, replicas int64, ready metav1.ConditionStatus) {
			t.Helper()
			servers, _, _ := unstructured.NestedStringSlice(p.Object(cache).Object, "status", "servers")
			n, _, _ := unstructured.NestedInt64(p.Object(set).Object, "spec", "replicas")
			if c := p.Condition(cache, "ScalingReady"); len(servers) != named || n != replicas || c.Status != ready {
				t.Errorf("%s: the servers are %v, %d caches run, and ScalingReady is %s: %s\nwant %d, %d and %s", when,
					servers, n, c.Status, c.Message, named, replicas, ready)
			}
		}
		p.Change(cache, "spec.replicas", int64(4))
		p.Settle()
		at("grown", 4, 4, metav1.ConditionTrue)
		p.Change(cache, "spec.replicas", int64(2))
		p.Pass(90 * time.Second)
		at("two leave", 2, 4, metav1.ConditionFalse)
		p.Restart()
		p.Change(cache, "spec.replicas", int64(1))
		p.Pass(90 * time.Second)
		at("and another one", 1, 4, metav1.ConditionFalse)
		p.Pass(40 * time.Second)
		p.Settle()
		at("gone", 1, 1, metav1.ConditionTrue)
		p.Change(cache, "spec.replicas", int64(3))
		p.Settle()
		at("grown again", 3, 3, metav1.ConditionTrue)
		p.Change(cache, "spec.replicas", int64(2))
		p.Pass(time.Minute)
		at("one leaves", 2, 3, metav1.ConditionFalse)
		p.Change(cache, "spec.replicas", int64(3))
		p.Settle()
		at("one stays", 3, 3, metav1.ConditionTrue)
		p.Ready()
	})
}

func container(p *kittest.Play) map[string]any {
	p.T.Helper()
	list, _, _ := unstructured.NestedSlice(p.Object(set).Object, "spec", "template", "spec", "containers")
	c, ok := list[0].(map[string]any)
	if !ok {
		p.T.Fatalf("a container is a %T", list[0])
	}
	return c
}

func command(p *kittest.Play) []string {
	p.T.Helper()
	c, _, _ := unstructured.NestedStringSlice(container(p), "command")
	return c
}

func given(what, memory string) map[string]any {
	return map[string]any{"resources": map[string]any{what: map[string]any{"memory": memory}}}
}

func sized(cache string, spec map[string]any) map[string]any {
	spec["cacheSize"] = cache
	return spec
}

func TestCacheFitsIntoTheMemory(t *testing.T) {
	for name, test := range map[string]struct {
		spec             map[string]any
		megabytes, asked string
	}{
		"default":             {map[string]any{}, "--megabytes=64", "90596962"},
		"a size":              {map[string]any{"cacheSize": "512Mi"}, "--megabytes=512", "607335217"},
		"a request":           {given("requests", "96Mi"), "--megabytes=72", "96Mi"},
		"a limit":             {given("limits", "1Gi"), "--megabytes=916", ""},
		"a tiny request":      {given("requests", "20Mi"), "--megabytes=16", "20Mi"},
		"a size and requests": {sized("32Mi", given("requests", "1Gi")), "--megabytes=32", "1Gi"},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				for k, v := range test.spec {
					p.Change(cache, "spec."+k, v)
				}
				p.Settle()
				p.Ready()
				if !slices.Contains(command(p), test.megabytes) {
					t.Errorf("the command is %v, want %s", command(p), test.megabytes)
				}
				asked, _, _ := unstructured.NestedString(container(p), "resources", "requests", "memory")
				if asked != test.asked {
					t.Errorf("the pod asks for %s, want %s", asked, test.asked)
				}
			})
		})
	}
}

func TestCacheThatDoesNotFitIsRefused(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Change(cache, "spec.resources", map[string]any{"limits": map[string]any{"memory": "128Mi"}})
		p.Change(cache, "spec.cacheSize", "128Mi")
		p.Settle()
		c := p.Condition(cache, "MemoryReady")
		if c.Reason != "CacheTooLarge" || !strings.Contains(c.Message, "A cache of 128 MiB needs 156 MiB") {
			t.Errorf("MemoryReady is %s: %s", c.Reason, c.Message)
		}
		if slices.Contains(command(p), "--megabytes=128") {
			t.Error("pods were changed before the size was checked")
		}
	})
}
