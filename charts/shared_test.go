package charts_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
)

// cloud is a chart of which others are parts.
func cloud(t *testing.T, parts ...string) *chartv2.Chart {
	t.Helper()
	all := &chartv2.Chart{Metadata: &chartv2.Metadata{APIVersion: "v2", Name: "all", Version: "1.0.0"}}
	for _, name := range parts {
		all.AddDependency(load(t, name))
	}
	return all
}

// Of what global.cloud says a chart takes what its kind has and what it does not say itself, also when it says none,
// zero or no. Other charts may read other keys of global.
func TestChartsTakeFieldsOfTheirCloud(t *testing.T) {
	got, err := render(t, cloud(t, "keystone"), values(t, decode(t, `
global:
  colour: blue
  cloud:
    region: east
    replicas: 3
    tls: {disabled: true, caSecret: ours}
    tolerations: [{key: a, operator: Exists}]
    workers: 4
keystone:
  image: example.test/keystone:1
  nameOverride: identity
  replicas: 0
  tls: {disabled: false}
  tolerations: []
`)))
	must(t, err)
	want := decode(t, `
database: {galera: galera}
image: example.test/keystone:1
region: east
replicas: 0
tls: {disabled: false}
tolerations: []
workers: 4
`)
	if diff := cmp.Diff(want, got.Object["spec"]); diff != "" || got.GetName() != "identity" {
		t.Errorf("object is %s, spec (-want +got):\n%s", got.GetName(), diff)
	}
}

// A field of a cloud is what it is in a chart, whether or not the chart is part of another one.
func TestChartsRefuseWhatACloudDoesNotHave(t *testing.T) {
	for says, given := range map[string]string{
		"at '/global/cloud': additional properties 'regions' not allowed": "{regions: x}",
		"at '/global/cloud/workers': got string, want integer":            "{workers: many}",
		"at '/global/cloud/tls': additional properties 'disable' not":     "{tls: {disable: true}}",
	} {
		_, err := render(t, load(t, "keystone"), values(t, decode(t, "{image: x, global: {cloud: "+given+"}}")))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error is %v, want one with %q", err, says)
		}
	}
}

// The same fields reach a chart that no operator stands behind.
func TestStandaloneTakesFieldsOfItsCloud(t *testing.T) {
	trial := trials()[0]
	given := trial.chosen(t)
	delete(given, "replicas")
	given["global"] = map[string]any{"cloud": map[string]any{"replicas": 3.0}}
	docs, err := rendered(t, trial.chart, given)
	must(t, err)
	for _, doc := range docs {
		if doc["kind"] == "Deployment" && strings.HasSuffix(at(doc, "metadata", "name").(string), "-api") {
			if got := at(doc, "spec", "replicas"); got != 3.0 && got != int64(3) {
				t.Errorf("the API has %v pods, want 3", got)
			}
			return
		}
	}
	t.Error("the chart has no Deployment of the API")
}

// Objects of one's own come with any chart, as YAML or as text, and know what Helm knows.
func TestChartsBringExtraObjects(t *testing.T) {
	for name := range published(t) {
		given := sample(t, kindOf(t, load(t, name)))
		given["extraObjects"] = []any{
			map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "{{ .Release.Name }}-a"}},
			"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\ndata:\n  chart: {{ .Chart.Name }}\n"}
		docs, err := rendered(t, name, given)
		must(t, err)
		var found []string
		for _, doc := range docs {
			if doc["kind"] == "ConfigMap" {
				found = append(found, at(doc, "metadata", "name").(string))
			} else if spec, _ := doc["spec"].(map[string]any); spec["extraObjects"] != nil {
				t.Errorf("the %v of chart %s has extraObjects in its spec", doc["kind"], name)
			}
		}
		if diff := cmp.Diff([]string{"identity-a", "b"}, found); diff != "" {
			t.Errorf("extra objects of chart %s (-want +got):\n%s", name, diff)
		}
	}
}
