package keystone_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/services/keystone"
)

// scenario is the smallest Keystone, changed by a merge patch in YAML.
func scenario(t *testing.T, patch string) kittest.Scenario {
	t.Helper()
	return kittest.Scenario{
		Scheme:      scheme(t),
		Controllers: controllers(t, service.Cluster{}),
		CRDs:        []string{"../../../charts/stackwright-operator/crds"},
		Files:       []string{"testdata/world.yaml", patched(t, patch)},
		Children:    map[string]kittest.Behaviour{"Database": kittest.Ready, "MessageBus": kittest.Ready},
	}
}

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, infrav1.AddToScheme, servicev1.AddToScheme,
	} {
		must(t, add(s))
	}
	return s
}

func controllers(t *testing.T, cluster service.Cluster) func(http.RoundTripper) ([]kit.Controller, error) {
	t.Helper()
	s := scheme(t)
	return func(http.RoundTripper) ([]kit.Controller, error) {
		c, err := kit.New(keystone.Definition(cluster), s)
		return []kit.Controller{c}, err
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func patched(t *testing.T, patch string) string {
	t.Helper()
	base, err := os.ReadFile("testdata/keystone.yaml")
	must(t, err)
	doc, err := yaml.YAMLToJSON(base)
	must(t, err)
	change, err := yaml.YAMLToJSON([]byte(patch))
	must(t, err)
	if patch != "" {
		doc, err = jsonpatch.MergePatch(doc, change)
		must(t, err)
	}
	file := filepath.Join(t.TempDir(), "keystone.yaml")
	must(t, os.WriteFile(file, doc, 0o600))
	return file
}

// secret returns the content of a Secret of a play.
func secret(p *kittest.Play, name string) map[string]string {
	p.T.Helper()
	u := p.Object("Secret/cloud/" + name)
	if u == nil {
		p.T.Fatalf("there is no Secret %s", name)
	}
	raw, err := json.Marshal(u.Object["data"])
	must(p.T, err)
	var data map[string][]byte
	must(p.T, json.Unmarshal(raw, &data))
	out := map[string]string{}
	for k, v := range data {
		out[k] = string(v)
	}
	return out
}

// hashed are names of Jobs and of revisions of the configuration.
var hashed = regexp.MustCompile(`-([0-9a-f]{16}|[0-9a-f]{8})$`)

func names(data map[string]string) []string { return slices.Sorted(maps.Keys(data)) }

// dump is an object as text.
func dump(t *testing.T, u *unstructured.Unstructured) string {
	t.Helper()
	text, err := u.MarshalJSON()
	must(t, err)
	return string(text)
}

// certificate is one in PEM as a difference shows it.
var certificate = regexp.MustCompile(`(?s)-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----`)

var generated = regexp.MustCompile(`password: \S+`)

func TestReady(t *testing.T)    { kittest.New(t, scenario(t, "")).Ready(t) }
func TestGolden(t *testing.T)   { kittest.New(t, scenario(t, "")).Golden(t, "testdata/minimal.yaml") }
func TestBudget(t *testing.T)   { kittest.New(t, scenario(t, "")).Budget(t, 0, 0) }
func TestLongName(t *testing.T) { infratest.LongName(t, scenario(t, ""), identity) }

// Workers of the API give up on a database that does not answer, Jobs do not: a change of the schema may take long.
func TestOnlyTheAPIIsImpatient(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		latest := secret(p, "identity-config")
		api := secret(p, "identity-config-"+latest["hash"])["keystone.conf"]
		const want = "connection_parameters = connect_timeout=3&read_timeout=8&write_timeout=8\n"
		if strings.Replace(api, want, "", 1) != latest["keystone.conf"] || !strings.Contains(api, want) {
			t.Errorf("the API runs with\n%s\nand Jobs with\n%s", api, latest["keystone.conf"])
		}
	})
}

func TestFiles(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		config := secret(p, "identity-config")
		kittest.Golden(t, "testdata/keystone.conf", config["keystone.conf"])
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
		clouds := secret(p, "identity-clouds")["clouds.yaml"]
		kittest.Golden(t, "testdata/clouds.yaml", generated.ReplaceAllString(clouds, "password: HIDDEN"))
	})
}

// Each variant is a patch of the smallest Keystone, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	base, err := os.ReadFile("testdata/minimal.yaml")
	must(t, err)
	for name, patch := range map[string]string{
		"replicas":   "spec: {replicas: 3}",
		"cluster-ip": "spec: {expose: {type: ClusterIP}}",
		"hostname":   "spec: {expose: {hostname: identity.example.org, annotations: {example.org/zone: public}}}",
		"plain":      "spec: {tls: {disabled: true}}",
		"given-tls":  "spec: {tls: {secret: given}}",
		"given-ca":   "spec: {tls: {caSecret: authority}}",
		"bus":        "spec: {rabbitmq: bus}",
		"no-cache":   "spec: {memcached: null}",
		"password":   "spec: {adminPasswordSecret: given}",
		"pods": "spec: {nodeSelector: {role: control}, tolerations: [{key: role, operator: Exists}]," +
			" topologySpread: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]," +
			" resources: {requests: {memory: 512Mi}}}",
		"volumes": "spec: {extraVolumes: [{name: policy, mountPath: /etc/keystone/policy.d, configMap: policy}," +
			" {name: ldap, mountPath: /etc/ldap, secret: ldap}]}",
		"suspended": "spec: {trustFlush: {suspend: true, schedule: '@daily'}}",
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario(t, patch)
			s.Files = append(s.Files, "testdata/given.yaml")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				kittest.Golden(t, "testdata/"+name+".diff", kittest.Diff(string(base), p.Applied()))
			})
		})
	}
}

// Behind a Gateway there are objects of kinds that a cluster without the Gateway API does not serve.
func TestGateway(t *testing.T) {
	const patch = "spec: {expose: {type: HTTPRoute, hostname: identity.example.org," +
		" gateway: {name: web, namespace: edge}}}"
	base, err := os.ReadFile("testdata/minimal.yaml")
	must(t, err)
	s := scenario(t, patch)
	s.CRDs = append(s.CRDs, gatewayAPI(t)...)
	s.Controllers = controllers(t, service.Cluster{Gateway: true})
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		diff := kittest.Diff(string(base), p.Applied())
		kittest.Golden(t, "testdata/gateway.diff", certificate.ReplaceAllString(diff, "HIDDEN"))
		wantKept(t, p, service.GatewayGroup, 2)
		clouds := secret(p, "identity-clouds")["clouds.yaml"]
		if strings.Count(clouds, "cacert: ") != 1 {
			t.Errorf("only the internal cloud has our authority, but clouds.yaml is\n%s", clouds)
		}
	})
	kittest.New(t, scenario(t, patch)).Run(t, func(p *kittest.Play) {
		c := p.Condition("Keystone/cloud/identity", "RouteReady")
		if c.Reason != "GatewayMissing" {
			t.Errorf("without the Gateway API the condition is %+v", c)
		}
	})
}

// Without a broker Keystone sends nothing, asks for no message bus and waits for none.
func TestSilentUnlessAsked(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		if conf := secret(p, "identity-config")["keystone.conf"]; strings.Contains(conf, "notifications") {
			t.Errorf("a Keystone without a broker is configured to notify:\n%s", conf)
		}
		if p.Object("MessageBus/identity") != nil || p.Condition("Keystone/identity", "MessageBusReady").Status != "" {
			t.Error("a Keystone without a broker asks for a message bus")
		}
	})
	loud := scenario(t, "spec: {rabbitmq: bus}")
	loud.Files = append(loud.Files, "testdata/given.yaml")
	kittest.New(t, loud).Run(t, func(p *kittest.Play) {
		if conf := secret(p, "identity-config")["keystone.conf"]; !strings.Contains(conf, "driver = messagingv2") {
			t.Errorf("a Keystone with a broker does not notify:\n%s", conf)
		}
		if p.Object("MessageBus/identity") == nil {
			t.Error("a Keystone with a broker asks for no message bus")
		}
	})
}
