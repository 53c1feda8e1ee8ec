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
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/owner"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/charts"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/rehearse"
	"stackwright.dev/stackwright/internal/service"
)

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
	database := func(name string) client.Object {
		return secret(name+"-db", map[string]string{"password": "secret", "ca.crt": string(ca.Cert),
			"connection": fmt.Sprintf("mysql+pymysql://%s:secret@db/%[1]s?charset=utf8mb4", name)})
	}
	bus := func(name string) client.Object {
		return secret(name+"-bus", map[string]string{"transport_url": fmt.Sprintf("rabbit://%s:secret@bus:5671/%[1]s", name)})
	}
	pair := map[string]string{pki.CertKey: string(ca.Cert), pki.KeyKey: string(ca.Key), pki.CAKey: string(ca.Cert)}
	given := maps.Clone(pair)
	given["password"] = "given\n"
	options := &corev1.ConfigMap{Data: map[string]string{"a.conf": "[DEFAULT]\ndebug = true\n"}}
	options.Name, options.Namespace = "options", "cloud"
	var known []client.Object
	for _, name := range []string{"keystone", "other"} {
		k := &servicev1.Keystone{}
		k.Name, k.Namespace, k.Spec.Region = name, "cloud", "RegionOne"
		k.Status.Endpoints = servicev1.Endpoints{Internal: "https://" + name + "-internal.cloud.svc:5000/v3",
			Public: "https://" + name + ".example.org:5000/v3"}
		p := &openstackv1.Project{Spec: service.UsersProject(openstackv1.ResourceSpec{})}
		p.Name, p.Namespace = service.ProjectName(name), "cloud"
		known = append(known, k, p, secret(service.CloudsName(name), map[string]string{"ca.crt": string(ca.Cert),
			"clouds.yaml": fmt.Sprintf("clouds: {default: {auth: {auth_url: %q}, region_name: RegionOne}, "+
				"internal: {auth: {auth_url: %q}, region_name: RegionOne}}", k.Status.Endpoints.Public,
				k.Status.Endpoints.Internal)}))
	}
	for _, name := range []string{"ovn", "memcached", "other"} {
		o, m := &infrav1.OVN{}, &infrav1.Memcached{}
		o.Name, o.Namespace, m.Name, m.Namespace = name, "cloud", name, "cloud"
		o.Status.Northbound.Connection, o.Status.Southbound.Connection = "ssl:north:6641", "ssl:south:6642"
		m.Status.Servers, m.Status.ClientSecret = []string{"cache:11211"}, name+"-client"
		clients := maps.Clone(pair)
		clients["northbound"], clients["southbound"] = o.Status.Northbound.Connection, o.Status.Southbound.Connection
		clients["servers"] = m.Status.Servers[0]
		known = append(known, o, m, secret(name+"-client", clients))
	}
	pictures := &corev1.ConfigMap{BinaryData: map[string][]byte{"logo.svg": []byte("<svg/>")}}
	pictures.Name, pictures.Namespace = "pictures", "cloud"
	machines := &openstackv1.Project{}
	machines.Name, machines.Namespace = "machines", "cloud"
	return fake.NewClientBuilder().WithScheme(operator.Scheme()).WithObjects(known...).WithObjects(options, pictures,
		machines,
		database("identity"), bus("identity"),
		database("identity-cell0"), database("identity-cell1"), database("identity-cell2"),
		bus("identity-cell1"), bus("identity-cell2"),
		secret("nova-user", map[string]string{"password": "secret"}),
		secret("other-user", map[string]string{"password": "x"}),
		secret("authority", pair), secret("given", given),
		secret("ceph", map[string]string{"ceph.conf": "[global]\nmon_host = 10.96.0.9\n", "user": "glance",
			"key": "QVE9PQ=="}),
		secret("bucket", map[string]string{"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret"}),
		secret("swift", map[string]string{"user": "service:glance", "key": "secret"}),
		secret("options", map[string]string{"b.conf": "[DEFAULT]\nuse_syslog = true\n"})).Build()
}

func secret(name string, data map[string]string) client.Object {
	s := &corev1.Secret{}
	s.Name, s.Namespace, s.Data = name, "cloud", map[string][]byte{}
	for k, v := range data {
		s.Data[k] = []byte(v)
	}
	return s
}

// defined returns what the definition makes of the same values: what an operator sends to the API server.
func (c trial) defined(t *testing.T, values map[string]any) []map[string]any {
	t.Helper()
	o := c.stored(t, c.spec(t, values))
	kind := o.GetObjectKind().GroupVersionKind()
	var out []map[string]any
	for _, m := range played(t, o, world(t)) {
		made := m.Object.GetObjectKind().GroupVersionKind()
		if made.Kind == "Secret" || strings.HasSuffix(made.Group, "stackwright.dev") {
			continue
		}
		o.SetUID("1")
		sent, _, err := apply.Normalize(operator.Scheme(), m.Object, apply.Origin{Controller: m.Controller,
			Owner: o.(owner.Object), OwnerKind: kind, Step: m.Step})
		must(t, err)
		out = append(out, sent.Object)
	}
	return out
}

// played is what the definition of an object makes in a cluster.
func played(t *testing.T, o client.Object, cluster client.Client) []rehearse.Made {
	t.Helper()
	var players []rehearse.Player
	for _, p := range operator.Registry(operator.Environment{}).Players() {
		if p.Owns(o.GetObjectKind().GroupVersionKind().GroupKind()) {
			players = append(players, p)
		}
	}
	result, err := rehearse.Play(t.Context(), o, rehearse.World{Scheme: operator.Scheme(), Reader: cluster}, players...)
	must(t, err)
	if len(result.Notes) > 0 {
		t.Fatalf("the play needs more: %q", result.Notes)
	}
	return result.Made
}

// spec is that of an object with the same values, those of its cloud that its kind has and that it does not say itself,
// too.
func (c trial) spec(t *testing.T, values map[string]any) map[string]any {
	t.Helper()
	spec := maps.Clone(values)
	maps.DeleteFunc(spec, func(key string, _ any) bool { return key == "mode" || key == "standalone" || key == "global" })
	shared, _ := at(values, "global", "cloud").(map[string]any)
	if len(shared) == 0 {
		return spec
	}
	known := schemaOf(t, c.kind).Properties["spec"].Properties
	for field, value := range shared {
		_, own := spec[field]
		if _, has := known[field]; has && !own {
			spec[field] = value
		}
	}
	return spec
}

// stored is an object as the API server stores it, with what it sets.
func (c trial) stored(t *testing.T, spec map[string]any) client.Object {
	t.Helper()
	kind := servicev1.GroupVersion.WithKind(c.kind)
	text, err := json.Marshal(map[string]any{"apiVersion": servicev1.GroupVersion.String(), "kind": c.kind, "spec": spec,
		"metadata": map[string]any{"name": "identity", "namespace": "cloud"}})
	must(t, err)
	content := map[string]any{}
	must(t, json.Unmarshal(text, &content))
	defaulting.Default(content, schemaOf(t, c.kind))
	empty, err := operator.Scheme().New(kind)
	must(t, err)
	must(t, apiruntime.DefaultUnstructuredConverter.FromUnstructured(content, empty))
	o := empty.(client.Object)
	o.GetObjectKind().SetGroupVersionKind(kind)
	return o
}

// schemaOf is the schema of a kind.
func schemaOf(t *testing.T, kind string) *structural.Structural {
	t.Helper()
	text, err := charts.Operator.ReadFile("stackwright-operator/crds/service.stackwright.dev_" + strings.ToLower(kind) +
		"s.yaml")
	must(t, err)
	crd := &apiextensionsv1.CustomResourceDefinition{}
	must(t, yaml.Unmarshal(text, crd))
	return structure(t, crd)
}

func structure(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *structural.Structural {
	t.Helper()
	internal := &apiextensions.JSONSchemaProps{}
	must(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil))
	s, err := structural.NewStructural(internal)
	must(t, err)
	return s
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
	"service.stackwright.dev/keystone-authority", "service.stackwright.dev/keys",
	"service.stackwright.dev/cache-authority", "service.stackwright.dev/cells",
	// What others have in their status.
	"service.stackwright.dev/ovn",
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

// own tells of a document whether it is the chart's own: what makes Secrets, and what registers.
func own(o map[string]any) bool {
	component := at(o, "metadata", "labels", "app.kubernetes.io/component")
	return component == "secrets" || component == "register"
}

// What mode standalone renders is what the operator would apply: for each choice, for any two (of the later charts, of
// which much is the same, for some), and for all.
func TestStandaloneIsWhatTheOperatorMakes(t *testing.T) {
	for _, c := range trials() {
		t.Run(c.chart, c.compare)
	}
}

func (c trial) compare(t *testing.T) {
	names := slices.Sorted(maps.Keys(c.choices))
	sets := [][]string{nil, names}
	for i, a := range names {
		sets = append(sets, []string{a})
		for j, b := range names[i+1:] {
			if (i+j)%max(1, c.every) == 0 {
				sets = append(sets, []string{a, b})
			}
		}
	}
	if testing.Short() {
		sets = sets[:3]
	}
	for _, set := range sets {
		values := c.chosen(t, set...)
		docs, err := rendered(t, c.chart, c.chosen(t, set...))
		if err != nil {
			t.Errorf("%q: %v", set, err)
			continue
		}
		got := bytesOf(t, slices.DeleteFunc(slices.Clone(docs), own))
		want := bytesOf(t, c.defined(t, values))
		if len(want) < c.objects {
			t.Fatalf("%q: the definition makes %d objects", set, len(want))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-operator +chart):\n%s", set, diff)
			return
		}
		if len(set) == 2 {
			continue // as with each of them alone, and it takes as long as all else
		}
		if diff := c.secrets(t, values, docs); diff != "" {
			t.Errorf("%q, Secrets (-operator +chart):\n%s", set, diff)
			return
		}
	}
	t.Logf("%d sets of values", len(sets))
}

// What mode standalone does not have is refused by its name, and so is a name or a value with which nothing would work.
func TestStandaloneRefusesWhatItDoesNotHave(t *testing.T) {
	type refusal struct{ change, says string }
	all := map[string]refusal{
		"pause":         {"paused: false", "has no paused: take it out, or set mode to operator"},
		"gateway":       {"expose: {gateway: {name: web}}", "has no expose.gateway"},
		"route":         {"expose: {type: HTTPRoute}", "takes for expose.type only LoadBalancer and ClusterIP"},
		"deletion":      {"database: {deletionPolicy: Delete}", "takes for database.deletionPolicy only Retain"},
		"no hostname":   {"expose: null", "needs expose.hostname with type LoadBalancer"},
		"no image":      {"standalone: null", "needs standalone.image"},
		"long name":     {"nameOverride: " + strings.Repeat("a", 64), "maxLength"},
		"unknown mode":  {"mode: alone", "value must be one of 'operator', 'standalone'"},
		"unknown value": {"standalone: {images: x}", "additional properties 'images' not allowed"},
	}
	only := map[string]map[string]refusal{
		"keystone": {"caches": {"memcached: memcached", "mode standalone has no memcached"},
			"rotation": {"credential: {rotationInterval: 720h}", "has no credential"}},
		"placement": {"cloud": {"identity: {cloud: other}", "has no identity.cloud"}},
		"heat": {"caches": {"memcached: memcached", "has no memcached"},
			"CFN's route":    {"cfn: {expose: {type: HTTPRoute}}", "takes for cfn.expose.type only LoadBalancer and ClusterIP"},
			"CFN's gateway":  {"cfn: {expose: {gateway: {name: web}}}", "has no cfn.expose.gateway"},
			"CFN's hostname": {"cfn: null", "needs cfn.expose.hostname with type LoadBalancer"}},
		"glance": {"volumes": {"stores: [{name: files, file: {}}]", "has no stores[].file: take it out, or set mode"},
			"size":  {"stores: [{name: files, file: {size: 1Gi}}]", "has no stores[].file"},
			"cache": {"cache: {}", "has no cache"}},
		"cinder": {"shares": {"backends: [{name: files, nfs: {shares: ['10.0.0.1:/a']}}]", "has no backends[].nfs"},
			"caches": {"memcached: memcached", "memcached"}},
		"nova": {"cell's bus": {"cells: [{name: one, rabbitmq: far}]", "has no cells[].rabbitmq"},
			"cell's address": {"cells: [{name: one, expose: {type: ClusterIP}}]", "has no cells[].expose"},
			"cell's size":    {"cells: [{name: one, conductor: {replicas: 2}}]", "has no cells[].conductor"}},
		"novacell": {"caches": {"memcached: memcached", "has no memcached"}},
		"neutron":  {"cloud": {"identity: {cloud: other}", "has no identity.cloud"}},
		"barbican": {"new key": {"keyGeneration: 2", "has no keyGeneration"}},
	}
	for _, c := range trials() {
		refused := maps.Clone(all)
		if c.chart == "horizon" {
			refused["deletion"] = refusal{"database: {}", "additional properties 'database' not allowed"}
		}
		maps.Copy(refused, only[c.chart])
		for name, r := range refused {
			_, err := rendered(t, c.chart, c.with(t, r.change))
			if err == nil || !strings.Contains(err.Error(), r.says) {
				t.Errorf("%s, %s: error is %v, want one with %q", c.chart, name, err, r.says)
			}
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
	for _, c := range trials() {
		for _, set := range [][]string{nil, slices.Sorted(maps.Keys(c.choices))} {
			for _, m := range lint.Run([]string{c.chart}, c.chosen(t, set...)).Messages {
				if m.Severity > 1 {
					t.Errorf("%s, %q: %v", c.chart, set, m)
				}
			}
		}
	}
}

// No Secret and nothing of one is rendered, so that none is in a release.
func TestStandaloneRendersNoSecret(t *testing.T) {
	for _, c := range trials() {
		docs, err := rendered(t, c.chart, c.chosen(t))
		must(t, err)
		for _, o := range docs {
			if o["kind"] == "Secret" {
				t.Errorf("Secret %v is rendered", at(o, "metadata", "name"))
			}
		}
	}
}

// Another text in standalone.revision, and options, make another configuration; where pods run does not.
func TestStandaloneRollsPodsWhenItHasTo(t *testing.T) {
	hash := func(c trial, changes ...string) string {
		docs, err := rendered(t, c.chart, c.with(t, changes...))
		must(t, err)
		i := slices.IndexFunc(docs, func(o map[string]any) bool { return o["kind"] == "Deployment" })
		return fmt.Sprint(at(docs[i], "metadata", "annotations", "service.stackwright.dev/config"))
	}
	for _, c := range trials() {
		before := hash(c)
		c.choices["revision"], c.choices["rotation"] = "standalone: {revision: second}", "standalone: {schedule: 0 * * * *}"
		for name, same := range map[string]bool{"revision": false, "options": false, "workers": false, "no TLS": false,
			"more options": false, "messages": false, "Keystone": false, "project": false, "policy": true,
			"replicas": true, "resources": true, "node selector": true, "schedule": true, "keys": true, "address": true,
			"rotation": true} {
			change, ok := c.choices[name]
			if !ok {
				continue
			}
			if got := hash(c, change) == before; got != same {
				t.Errorf("%s: with %s the configuration is the same: %v, want %v", c.chart, name, got, same)
			}
		}
	}
}
