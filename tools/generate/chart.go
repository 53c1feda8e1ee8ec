package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

// mark begins every Chart.yaml that is made here; a folder without it belongs to people.
const mark = "# Made by `make generate` from the CRD; do not edit.\n"

// unpublished kinds have no chart: a service makes those for itself.
var unpublished = []string{"Database", "MessageBus"}

// published kinds of other groups have one, by this name.
var published = map[string]string{composite: "openstack", "BuildingBlock": "buildingblock"}

// plain kinds have a template beside, with which no operator is needed. It is made of their definition, by the program
// of internal/standalone.
var plain = []string{"Keystone", "Placement", "Glance", "Cinder", "Neutron", "Nova", "NovaCell", "Barbican", "Heat",
	"Horizon"}

// own are the values of a chart that are no fields of the object.
var own = []string{"extraObjects", "global", "mode", "nameOverride", "standalone"}

// common are the fields that global.cloud may have for all charts of a cloud. Names of other objects are not among
// them: charts have values for these, and who sets one cannot be told from who does not.
var common = []string{"nodeSelector", "paused", "region", "release", "replicas", "tls", "tolerations", "topologySpread",
	"workers"}

// chart is what is known of a chart and of the kind that it installs.
type chart struct {
	Name, Kind, Singular, APIVersion, Group, About string
	// Operator has the lines of the operator's Chart.yaml that are the same in all charts.
	Operator map[string]any
	// Plain tells that the chart has mode standalone.
	Plain bool
	// limit is how many characters the object's name may have, and shape which.
	limit int
	shape string
	spec  map[string]any
}

// makeCharts writes a chart for each kind that people install, and removes those of kinds that are no more.
func makeCharts(root string) error {
	about := map[string]any{}
	if err := readYAML(filepath.Join(root, operator, "Chart.yaml"), &about); err != nil {
		return err
	}
	var all []*chart
	for _, file := range glob(root, crds+"/*.yaml") {
		crd := map[string]any{}
		if err := readYAML(file, &crd); err != nil {
			return err
		}
		c, err := chartOf(crd)
		if err != nil {
			return fmt.Errorf("making a chart of %s: %w", filepath.Base(file), err)
		}
		if c != nil {
			c.Operator = about
			all = append(all, c)
		}
	}
	if err := removeCharts(root); err != nil {
		return err
	}
	for _, c := range all {
		if err := c.write(filepath.Join(root, charts, c.Name), all); err != nil {
			return fmt.Errorf("writing chart %s: %w", c.Name, err)
		}
	}
	return nil
}

func readYAML(file string, into any) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading for charts: %w", err)
	}
	if err := yaml.Unmarshal(content, into); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(file), err)
	}
	return nil
}

func removeCharts(root string) error {
	for _, file := range glob(root, charts+"/*/Chart.yaml") {
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("looking for charts: %w", err)
		}
		if !bytes.HasPrefix(content, []byte(mark)) {
			continue
		}
		if err := os.RemoveAll(filepath.Dir(file)); err != nil {
			return fmt.Errorf("removing a chart: %w", err)
		}
	}
	return nil
}

var (
	limitRule = regexp.MustCompile(`size\(self\.metadata\.name\) <= (\d+)`)
	shapeRule = regexp.MustCompile(`self\.metadata\.name\.matches\('([^']+)'\)`)
)

// chartOf returns the chart of a kind, nil when it has none.
func chartOf(crd map[string]any) (*chart, error) {
	spec := asMap(crd["spec"])
	names := asMap(spec["names"])
	kind, group := text(names["kind"]), text(spec["group"])
	name := published[kind]
	if ours := group == "service.stackwright.dev" || group == "infra.stackwright.dev"; ours &&
		!slices.Contains(unpublished, kind) {
		name = strings.ToLower(kind)
	}
	versions, _ := spec["versions"].([]any)
	if name == "" || len(versions) == 0 {
		return nil, nil
	}
	// The last one is the newest.
	version := asMap(versions[len(versions)-1])
	schema := asMap(asMap(version["schema"])["openAPIV3Schema"])
	fields := asMap(asMap(schema["properties"])["spec"])
	for _, value := range own {
		if asMap(fields["properties"])[value] != nil {
			return nil, fmt.Errorf("field %s has the name of a value of the chart; choose another", value)
		}
	}
	rules, err := json.Marshal(schema["x-kubernetes-validations"])
	if err != nil {
		return nil, fmt.Errorf("reading rules: %w", err)
	}
	var unescaped []struct{ Rule string }
	if err := json.Unmarshal(rules, &unescaped); err != nil {
		return nil, fmt.Errorf("reading rules: %w", err)
	}
	c := &chart{Name: name, Kind: kind, Singular: text(names["singular"]), Group: group,
		Plain:      slices.Contains(plain, kind),
		APIVersion: group + "/" + text(version["name"]), About: sentence(text(schema["description"])), spec: fields}
	for _, r := range unescaped {
		if m := limitRule.FindStringSubmatch(r.Rule); m != nil {
			c.limit, _ = strconv.Atoi(m[1])
		}
		if m := shapeRule.FindStringSubmatch(r.Rule); m != nil {
			c.shape = m[1]
		}
	}
	if c.limit == 0 || c.shape == "" {
		return nil, fmt.Errorf("found no rules with the limit and the shape of metadata.name, which nameOverride takes")
	}
	return c, nil
}

// Common are the fields of the kind that global.cloud may have.
func (c *chart) Common() []string {
	fields := asMap(c.spec["properties"])
	return slices.DeleteFunc(slices.Clone(common), func(name string) bool { return fields[name] == nil })
}

// Own are the values of the chart that are no fields of the object.
func (c *chart) Own() []string {
	if c.Plain {
		return own
	}
	return slices.DeleteFunc(slices.Clone(own), func(v string) bool { return v == "mode" || v == "standalone" })
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// sentence returns the first one of a description.
func sentence(description string) string {
	joined := strings.Join(strings.Fields(description), " ")
	first, _, _ := strings.Cut(joined, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

func (c *chart) write(folder string, all []*chart) error {
	schema, err := json.MarshalIndent(c.schema(), "", " ")
	if err != nil {
		return err
	}
	values, err := c.values(all)
	if err != nil {
		return err
	}
	files := map[string]string{"values.schema.json": string(schema) + "\n", "values.yaml": values}
	for name, layout := range layouts {
		var out strings.Builder
		if err := template.Must(template.New(name).Delims("[[", "]]").Parse(layout)).Execute(&out, c); err != nil {
			return err
		}
		files[name] = out.String()
	}
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// layouts of the files that do not depend on the fields; what is in double braces is Helm's.
var layouts = map[string]string{
	"Chart.yaml": mark + `apiVersion: v2
name: [[.Name]]
description: [[printf "%q" .About]]
type: application
version: [[.Operator.version]]
appVersion: [[.Operator.appVersion]]
kubeVersion: "[[.Operator.kubeVersion]]"
keywords: [openstack, [[.Kind]]]
`,
	"templates/object.yaml": `[[if .Plain]]{{- if eq (.Values.mode | default "operator") "operator" }}
[[end]]apiVersion: [[.APIVersion]]
kind: [[.Kind]]
metadata:
  name: {{ .Values.nameOverride | default .Release.Name | quote }}
  namespace: {{ .Release.Namespace | quote }}
  labels:
    app.kubernetes.io/name: {{ .Chart.Name }}
    app.kubernetes.io/instance: {{ .Release.Name | quote }}
    app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
    app.kubernetes.io/managed-by: {{ .Release.Service }}
    helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
spec:
  {{- include "[[.Name]].spec" . | nindent 2 }}
[[if .Plain]]{{- end }}
[[end]]`,
	"templates/_spec.tpl": `{{- define "[[.Name]].spec" -}}
{{- $spec := omit .Values[[range .Own]] "[[.]]"[[end]] }}
[[- if .Common]]
{{- $cloud := (.Values.global | default dict).cloud | default dict }}
{{- range list[[range .Common]] "[[.]]"[[end]] }}
{{- if and (hasKey $cloud .) (not (hasKey $spec .)) }}{{ $_ := set $spec . (get $cloud .) }}{{ end }}
{{- end }}
[[- end]]
{{- toYaml $spec }}
{{- end }}
`,
	"templates/extra.yaml": `{{- range .Values.extraObjects }}
---
{{ tpl (kindIs "string" . | ternary . (toYaml .)) $ }}
{{- end }}
`,
	"templates/NOTES.txt": `{{- $name := .Values.nameOverride | default .Release.Name -}}
{{- $object := printf "[[.Singular]].[[.Group]]/%s" $name -}}
[[if .Plain]]{{- if eq (.Values.mode | default "operator") "standalone" -}}
[[.Kind]] {{ $name }} runs without operators. Wait for it:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ $name }}-api --timeout=15m

Its Secrets are not part of the release and stay when you uninstall it.
{{- if not (.Values.standalone | default dict).schedule }}
Nobody renews the certificate, which lives 90 days, but helm upgrade in the last 30: set standalone.revision to another
text then, so that the pods read it. With standalone.schedule a CronJob does both.
{{- end }}
{{- else -}}
[[end]]The operators of the chart stackwright-operator make what belongs to [[.Kind]] {{ $name }}.
Wait for it, or ask why it is not ready:

  kubectl -n {{ .Release.Namespace }} wait --for=condition=Ready {{ $object }} --timeout=15m
  kubectl -n {{ .Release.Namespace }} describe {{ $object }}
[[if .Plain]]{{- end }}
[[end]]`,
}
