package charts_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/apply"

	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/rehearse"
)

// smallest are the values that mode standalone of Keystone needs.
const smallest = `{mode: standalone, standalone: {image: 'images.test/operator:1'}, image: 'images.test/keystone:1',
  database: {galera: galera}, expose: {hostname: identity.example.org}}`

// choices are fields of Keystone, each in a way in which mode standalone takes it.
var choices = map[string]string{
	"replicas":       "replicas: 0",
	"workers":        "workers: 5",
	"region":         "region: Elsewhere",
	"release":        "release: epoxy",
	"resources":      "resources: {requests: {cpu: 250m, memory: 1Gi}, limits: {memory: 2Gi}}",
	"node selector":  "nodeSelector: {role: control, 'example.org/zone': a}",
	"tolerations":    "tolerations: [{key: role, operator: Exists}, {key: other, value: x, effect: NoSchedule}]",
	"spread":         "topologySpread: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]",
	"no spread":      "topologySpread: []",
	"config map":     "extraVolumes: [{name: policy, mountPath: /etc/keystone/policy.d, configMap: policy}]",
	"secret":         "extraVolumes: [{name: ldap, mountPath: /etc/ldap, secret: ldap}]",
	"claim":          "extraVolumes: [{name: data, mountPath: /data, persistentVolumeClaim: data}]",
	"volumes":        "extraVolumes: [{name: b, mountPath: /b, secret: b}, {name: a, mountPath: /a, configMap: a}]",
	"no TLS":         "tls: {disabled: true}",
	"certificate":    "tls: {secret: given}",
	"authority":      "tls: {caSecret: authority}",
	"address":        "expose: {type: LoadBalancer, hostname: other.example.org}",
	"cluster":        "expose: {type: ClusterIP, hostname: null}",
	"cluster's name": "expose: {type: ClusterIP, hostname: inside.example.org}",
	"annotations":    "expose: {annotations: {example.org/zone: public, quoted: 'a \"b\": {c}'}}",
	"messages":       "rabbitmq: bus",
	"password":       "adminPasswordSecret: given",
	"schedule":       "trustFlush: {schedule: '@daily'}",
	"suspended":      "trustFlush: {suspend: true}",
	"not suspended":  "trustFlush: {suspend: false}",
	"options":        "config: {token: {expiration: 600}, identity: {driver: sql}}",
	"more options":   "configFrom: [{secret: options}, {configMap: options}]",
	"keys":           "fernet: {rotationInterval: 12h, maxActiveKeys: 50}",
	"policy":         "database: {galera: other, deletionPolicy: Retain}",
}

// chosen are the smallest values with choices laid over them, as Helm reads them from a file.
func chosen(t *testing.T, names ...string) map[string]any {
	t.Helper()
	doc, err := yaml.YAMLToJSON([]byte(smallest))
	must(t, err)
	for _, name := range names {
		change, err := yaml.YAMLToJSON([]byte(choices[name]))
		must(t, err)
		doc, err = jsonpatch.MergePatch(doc, change)
		must(t, err)
	}
	read, err := common.ReadValues(doc)
	must(t, err)
	return read
}

// rendered returns all documents of a chart, hooks too, as `helm template` does.
func rendered(t *testing.T, name string, values map[string]any) ([]map[string]any, error) {
	t.Helper()
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(io.Discard, nil)))
	must(t, cfg.Init(genericclioptions.NewConfigFlags(false), "cloud", "memory"))
	install := action.NewInstall(cfg)
	install.DryRunStrategy, install.ReleaseName, install.Namespace = action.DryRunClient, "identity", "cloud"
	install.KubeVersion = kubernetes
	got, err := install.RunWithContext(t.Context(), load(t, name), values)
	if err != nil {
		return nil, err
	}
	r := got.(*release.Release)
	text := r.Manifest
	for _, h := range r.Hooks {
		text += "\n---\n" + h.Manifest
	}
	var out []map[string]any
	for doc := range strings.SplitSeq("\n"+text, "\n---\n") {
		if strings.TrimSpace(doc) != "" {
			out = append(out, decode(t, doc))
		}
	}
	return out, nil
}

// world has what somebody makes before.
func world(t *testing.T) client.Client {
	t.Helper()
	ca, err := pki.NewCA("given", time.Now())
	must(t, err)
	secret := func(name string, data map[string]string) client.Object {
		s := &corev1.Secret{}
		s.Name, s.Namespace, s.Data = name, "cloud", map[string][]byte{}
		for k, v := range data {
			s.Data[k] = []byte(v)
		}
		return s
	}
	pair := map[string]string{pki.CertKey: string(ca.Cert), pki.KeyKey: string(ca.Key), pki.CAKey: string(ca.Cert)}
	given := maps.Clone(pair)
	given["password"] = "given\n"
	options := &corev1.ConfigMap{Data: map[string]string{"a.conf": "[token]\nallow_rescope_scoped_token = false\n"}}
	options.Name, options.Namespace = "options", "cloud"
	return fake.NewClientBuilder().WithScheme(operator.Scheme()).WithObjects(options,
		secret("identity-db", map[string]string{"connection": "mysql+pymysql://identity:secret@db/identity?charset=utf8mb4",
			"password": "secret", "ca.crt": string(ca.Cert)}),
		secret("identity-bus", map[string]string{"transport_url": "rabbit://identity:secret@bus:5671/identity"}),
		secret("authority", pair), secret("given", given),
		secret("options", map[string]string{"b.conf": "[identity]\npassword_hash_rounds = 5\n"})).Build()
}

// defined returns what the definition of Keystone makes of the same values: what an operator sends to the API server.
func defined(t *testing.T, values map[string]any) []map[string]any {
	t.Helper()
	spec := maps.Clone(values)
	maps.DeleteFunc(spec, func(key string, _ any) bool { return key == "mode" || key == "standalone" })
	text, err := json.Marshal(spec)
	must(t, err)
	k := &servicev1.Keystone{}
	k.Name, k.Namespace = "identity", "cloud"
	// As the API server sets them.
	k.Spec.Region, k.Spec.Release, k.Spec.Replicas = "RegionOne", "epoxy", new(int32(1))
	must(t, json.Unmarshal(text, &k.Spec))
	k.SetGroupVersionKind(servicev1.GroupVersion.WithKind("Keystone"))
	var players []rehearse.Player
	for _, p := range operator.Registry(operator.Environment{}).Players() {
		if p.Owns(k.GroupVersionKind().GroupKind()) {
			players = append(players, p)
		}
	}
	result, err := rehearse.Play(t.Context(), k, rehearse.World{Scheme: operator.Scheme(), Reader: world(t)}, players...)
	must(t, err)
	if len(result.Notes) > 0 {
		t.Fatalf("the play needs more: %q", result.Notes)
	}
	var out []map[string]any
	for _, m := range result.Made {
		kind := m.Object.GetObjectKind().GroupVersionKind()
		if kind.Kind == "Secret" || strings.HasSuffix(kind.Group, "stackwright.dev") {
			continue
		}
		k.UID = "1"
		sent, _, err := apply.Normalize(operator.Scheme(), m.Object, apply.Origin{Controller: m.Controller, Owner: k,
			OwnerKind: k.GroupVersionKind(), Step: m.Step})
		must(t, err)
		out = append(out, sent.Object)
	}
	return out
}

// differ are the places in which an object of a chart may differ from the operator's, and no others.
var differ = []string{
	// When Helm makes it.
	"helm.sh/hook", "helm.sh/hook-weight", "helm.sh/hook-delete-policy",
	// Whose it is.
	"ownerReferences", apply.LabelPartOf, apply.LabelController, apply.AnnotationOwner, apply.AnnotationStep,
	apply.AnnotationOrder,
	// Digests of Secrets.
	"service.stackwright.dev/certificate", "service.stackwright.dev/password",
}

// bytesOf are objects as they are compared, by kind and name.
func bytesOf(t *testing.T, objects []map[string]any) map[string]string {
	t.Helper()
	hash := ""
	for _, o := range objects {
		if o["kind"] == "Deployment" {
			hash = fmt.Sprint(at(o, "metadata", "annotations", "service.stackwright.dev/config"))
		}
	}
	if len(hash) != 16 {
		t.Fatalf("the configuration's hash is %q", hash)
	}
	out := map[string]string{}
	for _, o := range objects {
		strip(o)
		text, err := json.MarshalIndent(o, "", " ")
		must(t, err)
		out[fmt.Sprint(o["kind"], " ", at(o, "metadata", "name"))] = strings.ReplaceAll(string(text), hash, "HASH")
	}
	if len(out) != len(objects) {
		t.Fatalf("%d objects have %d names", len(objects), len(out))
	}
	return out
}

func at(node any, path ...string) any {
	for _, key := range path {
		m, _ := node.(map[string]any)
		node = m[key]
	}
	return node
}

func strip(node any) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if slices.Contains(differ, key) {
				delete(node, key)
				continue
			}
			strip(value)
			if m, ok := value.(map[string]any); ok && (key == "annotations" || key == "labels") && len(m) == 0 {
				delete(node, key)
			}
		}
	case []any:
		for _, item := range node {
			strip(item)
		}
	}
}

// own tells of a document whether it is the chart's own: what makes Secrets.
func own(o map[string]any) bool {
	return at(o, "metadata", "labels", "app.kubernetes.io/component") == "secrets"
}

// What mode standalone renders is what the operator would apply: for each choice, for any two, and for all.
func TestStandaloneIsWhatTheOperatorMakes(t *testing.T) {
	names := slices.Sorted(maps.Keys(choices))
	sets := [][]string{nil, names}
	for i, a := range names {
		sets = append(sets, []string{a})
		for _, b := range names[i+1:] {
			sets = append(sets, []string{a, b})
		}
	}
	if testing.Short() {
		sets = sets[:3]
	}
	for _, set := range sets {
		values := chosen(t, set...)
		docs, err := rendered(t, "keystone", chosen(t, set...))
		if err != nil {
			t.Errorf("%q: %v", set, err)
			continue
		}
		got := bytesOf(t, slices.DeleteFunc(docs, own))
		want := bytesOf(t, defined(t, values))
		if len(want) < 11 {
			t.Fatalf("%q: the definition makes %d objects", set, len(want))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-operator +chart):\n%s", set, diff)
			return
		}
	}
	t.Logf("%d sets of values", len(sets))
}

// What mode standalone does not have is refused by its name, and so is a name or a value with which nothing would work.
func TestStandaloneRefusesWhatItDoesNotHave(t *testing.T) {
	for name, c := range map[string]struct{ change, says string }{
		"caches":        {"memcached: memcached", "mode standalone has no memcached: take it out, or set mode to operator"},
		"rotation":      {"credential: {rotationInterval: 720h}", "has no credential"},
		"pause":         {"paused: false", "has no paused"},
		"gateway":       {"expose: {gateway: {name: web}}", "has no expose.gateway"},
		"route":         {"expose: {type: HTTPRoute}", "takes for expose.type only LoadBalancer and ClusterIP"},
		"deletion":      {"database: {deletionPolicy: Delete}", "takes for database.deletionPolicy only Retain"},
		"no hostname":   {"expose: null", "needs expose.hostname with type LoadBalancer"},
		"no image":      {"standalone: null", "needs standalone.image"},
		"long name":     {"nameOverride: " + strings.Repeat("a", 41), "maxLength"},
		"unknown mode":  {"mode: alone", "value must be one of 'operator', 'standalone'"},
		"unknown value": {"standalone: {images: x}", "additional properties 'images' not allowed"},
	} {
		choices["refused"] = c.change
		_, err := rendered(t, "keystone", chosen(t, "refused"))
		delete(choices, "refused")
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.says)
		}
	}
}

// Charts of services that have no mode standalone do not take the value.
func TestOnlyThoseThatHaveItTakeMode(t *testing.T) {
	for name, c := range published(t) {
		has := slices.ContainsFunc(c.Templates, func(f *common.File) bool { return f.Name == "templates/standalone.yaml" })
		if takes := strings.Contains(string(c.Schema), `"standalone"`); takes != has {
			t.Errorf("chart %s takes mode standalone: %v, has it: %v", name, takes, has)
		}
	}
}

func TestStandaloneLints(t *testing.T) {
	lint := action.NewLint()
	lint.Strict, lint.KubeVersion = true, kubernetes
	for _, set := range [][]string{nil, slices.Sorted(maps.Keys(choices))} {
		for _, m := range lint.Run([]string{"keystone"}, chosen(t, set...)).Messages {
			if m.Severity > 1 {
				t.Errorf("%q: %v", set, m)
			}
		}
	}
}

// No Secret and nothing of one is rendered, so that none is in a release.
func TestStandaloneRendersNoSecret(t *testing.T) {
	docs, err := rendered(t, "keystone", chosen(t))
	must(t, err)
	for _, o := range docs {
		if o["kind"] == "Secret" {
			t.Errorf("Secret %v is rendered", at(o, "metadata", "name"))
		}
	}
}

// Another text in standalone.revision, and options, make another configuration; where pods run does not.
func TestStandaloneRollsPodsWhenItHasTo(t *testing.T) {
	hash := func(changes ...string) string {
		docs, err := rendered(t, "keystone", chosen(t, changes...))
		must(t, err)
		i := slices.IndexFunc(docs, func(o map[string]any) bool { return o["kind"] == "Deployment" })
		return fmt.Sprint(at(docs[i], "metadata", "annotations", "service.stackwright.dev/config"))
	}
	before := hash()
	choices["revision"] = "standalone: {revision: second}"
	choices["rotation"] = "standalone: {schedule: 0 * * * *}"
	defer delete(choices, "rotation")
	defer delete(choices, "revision")
	for name, same := range map[string]bool{"revision": false, "options": false, "workers": false, "no TLS": false,
		"more options": false, "messages": false, "policy": true,
		"replicas": true, "resources": true, "node selector": true, "schedule": true, "keys": true, "address": true,
		"rotation": true} {
		if got := hash(name) == before; got != same {
			t.Errorf("with %s the configuration is the same: %v, want %v", name, got, same)
		}
	}
}
