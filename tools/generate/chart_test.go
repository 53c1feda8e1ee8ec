package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crd of a kind of group service, whose spec is the argument in flow style.
func crd(kind, spec string) string {
	return `{spec: {group: service.stackwright.dev, names: {kind: ` + kind + `, singular: ` + strings.ToLower(kind) + `},
 versions: [{name: v1alpha1, schema: {openAPIV3Schema: {
  description: "A service: small. It has more sentences.",
  x-kubernetes-validations: [{rule: "self.metadata.name.matches('^[a-z]+$') && size(self.metadata.name) <= 30"}],
  properties: {spec: ` + spec + `}}}}]}}`
}

// repository has the operator's chart and CRDs by their files.
func repository(t *testing.T, crds map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{"charts/stackwright-operator/Chart.yaml": "version: 1.2.3\nappVersion: 1.2.4\n" +
		"kubeVersion: \">=1.34.0-0\"\n"}
	for name, text := range crds {
		files["charts/stackwright-operator/crds/"+name+".yaml"] = text
	}
	for name, text := range files {
		write(t, filepath.Join(root, name))
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

const broker = `{type: object, required: [database, image, keystone], properties: {
  database: {description: "Database has it. More.", type: object, required: [galera],
    properties: {galera: {type: string, minLength: 1}}},
  image: {description: Image runs., type: string},
  keystone: {description: Keystone knows., type: string},
  colours: {description: Colours., type: array, x-kubernetes-list-type: set, items: {type: string, format: colour}},
  keys: {description: Keys rotate., type: object, default: {}, properties: {
    every: {type: string, default: 24h}, kept: {type: integer, default: 3}, owner: {type: string}}},
  options: {description: Options., type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}},
  replicas: {description: Replicas., type: integer, format: int32, default: 2, minimum: 0}}}`

const brokerValues = `# The values are the fields of spec of kind RabbitMQ: by task on the page docs/kinds/rabbitmq.md,
# all in values.schema.json. Behind a # is what the API server sets, where it sets anything.

# Database has it.
database:
  galera: galera

# Required. Image runs.
# image:

# Keystone knows.
keystone: keystone

# Colours.
# colours:

# Keys rotate.
# keys:
#   every: 24h
#   kept: 3

# Options.
# options:

# Replicas.
# replicas: 2

# Name of the RabbitMQ; the release's unless set.
# nameOverride:

# Objects that are installed beside, as YAML or as text; Helm's expressions are filled in.
# extraObjects:

# Fields of all charts of a cloud, when this one is part of another; its own go before them.
# global:
#   cloud:
#     replicas: 1
`

func TestChartsHaveWhatTheirKindsNeed(t *testing.T) {
	const empty = "{type: object, properties: {}}"
	root := repository(t, map[string]string{"rabbitmq": crd("RabbitMQ", broker), "galera": crd("Galera", empty),
		"keystone": crd("Keystone", empty), "database": crd("Database", empty)})
	// Left by a kind that is no more, and written by somebody.
	write(t, filepath.Join(root, "charts/old/values.yaml"))
	if err := os.WriteFile(filepath.Join(root, "charts/old/Chart.yaml"), []byte(mark), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "charts/theirs/Chart.yaml"))
	if err := makeCharts(root); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, "charts/rabbitmq/values.yaml"); got != brokerValues {
		t.Errorf("values are\n%s\nwant\n%s", got, brokerValues)
	}
	about := read(t, root, "charts/rabbitmq/Chart.yaml")
	for _, want := range []string{"name: rabbitmq\n", `description: "A service: small."`, "version: 1.2.3\n",
		"appVersion: 1.2.4\n", `kubeVersion: ">=1.34.0-0"`} {
		if !strings.Contains(about, want) {
			t.Errorf("Chart.yaml has no %q:\n%s", want, about)
		}
	}
	for name, want := range map[string]bool{"keystone": true, "theirs": true, "old": false, "database": false} {
		if _, err := os.Stat(filepath.Join(root, "charts", name)); (err == nil) != want {
			t.Errorf("chart %s is there: %v, want %v", name, err == nil, want)
		}
	}
}

// A kind whose definition is made into a template has the values for it, and no other kind has.
func TestPlainKindsHaveAMode(t *testing.T) {
	const empty = "{type: object, properties: {}}"
	root := repository(t, map[string]string{"keystone": crd("Keystone", empty), "rabbitmq": crd("RabbitMQ", empty)})
	if err := makeCharts(root); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"keystone": true, "rabbitmq": false} {
		for file, has := range map[string]string{"values.yaml": "\nmode: operator\n", "values.schema.json": `"mode"`,
			"templates/object.yaml": `{{- if eq (.Values.mode | default "operator") "operator" }}`,
			"templates/NOTES.txt":   "runs without operators"} {
			if got := strings.Contains(read(t, root, "charts", name, file), has); got != want {
				t.Errorf("%s of chart %s has %q: %v, want %v", file, name, has, got, want)
			}
		}
	}
}

func TestSchemaSaysWhatJSONSchemaCan(t *testing.T) {
	root := repository(t, map[string]string{"rabbitmq": crd("RabbitMQ", broker)})
	if err := makeCharts(root); err != nil {
		t.Fatal(err)
	}
	text := read(t, root, "charts/rabbitmq/values.schema.json")
	for _, not := range []string{"x-kubernetes", "format"} {
		if strings.Contains(text, not) {
			t.Errorf("the schema has %s, which nobody but Kubernetes knows:\n%s", not, text)
		}
	}
	var schema map[string]any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatal(err)
	}
	properties := asMap(schema["properties"])
	for name, c := range map[string]struct{ got, want any }{
		"unknown field":        {schema["additionalProperties"], false},
		"unknown field inside": {asMap(properties["keys"])["additionalProperties"], false},
		"any option":           {asMap(asMap(properties["options"])["additionalProperties"])["type"], nil},
		"set":                  {asMap(properties["colours"])["uniqueItems"], true},
		"limit":                {asMap(properties["replicas"])["minimum"], 0.0},
		"name's length":        {asMap(properties["nameOverride"])["maxLength"], 30.0},
		"name's shape":         {asMap(properties["nameOverride"])["pattern"], "^[a-z]+$"},
		"given by Helm":        {asMap(properties["global"])["type"], "object"},
	} {
		if c.got != c.want {
			t.Errorf("%s: schema has %v, want %v", name, c.got, c.want)
		}
	}
}

func TestChartsRefuseKindsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct{ crd, says string }{
		"field of the chart": {crd("RabbitMQ", "{properties: {nameOverride: {type: string}}}"), "choose another"},
		"no limit":           {strings.Replace(crd("RabbitMQ", "{}"), "<= 30", "> 1", 1), "found no rules"},
		"no shape":           {strings.Replace(crd("RabbitMQ", "{}"), "matches", "find", 1), "found no rules"},
	} {
		t.Run(name, func(t *testing.T) {
			err := makeCharts(repository(t, map[string]string{"rabbitmq": c.crd}))
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
}
