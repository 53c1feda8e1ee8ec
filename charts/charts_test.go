package charts_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
)

// kindOf returns the kind that a chart installs.
func kindOf(t *testing.T, c *chartv2.Chart) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^kind: (\w+)$`).FindSubmatch(c.Templates[slices.IndexFunc(c.Templates, isObject)].Data)
	if m == nil {
		t.Fatalf("chart %s has no kind", c.Name())
	}
	return string(m[1])
}

func TestChartsRenderTheSampleOfTheirKind(t *testing.T) {
	for name, c := range published(t) {
		t.Run(name, func(t *testing.T) {
			kind := kindOf(t, c)
			want := sample(t, kind)
			got, err := render(t, c, want)
			must(t, err)
			if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
				t.Errorf("the spec is not what the values are (-want +got):\n%s", diff)
			}
			if got.GetKind() != kind || got.GetName() != "first" || got.GetNamespace() != "cloud" {
				t.Errorf("object is %s %s in %s, want %s first in cloud", got.GetKind(), got.GetName(), got.GetNamespace(), kind)
			}
			labels := map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/instance": "first",
				"app.kubernetes.io/version": c.Metadata.AppVersion, "app.kubernetes.io/managed-by": "Helm",
				"helm.sh/chart": name + "-" + c.Metadata.Version}
			if diff := cmp.Diff(labels, got.GetLabels()); diff != "" {
				t.Errorf("labels (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChartsLint(t *testing.T) {
	given := map[string]map[string]any{"stackwright-operator": {"image": "example.test/operator:1"}}
	for name, c := range published(t) {
		given[name] = sample(t, kindOf(t, c))
	}
	for name, values := range given {
		lint := action.NewLint()
		lint.Strict, lint.KubeVersion = true, kubernetes
		for _, m := range lint.Run([]string{name}, values).Messages {
			// There is no picture of it, which is no fault.
			if m.Severity > 1 {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

// What a chart cannot know is asked for by name, and nothing else: charts under their own names find each other.
func TestChartsAskForWhatTheyCannotKnow(t *testing.T) {
	asked := map[string][]string{"openstack": {}, "buildingblock": {"cell"}, "glance": {"image", "stores"},
		"ovnchassis": {"image", "nodeSelector"}}
	for name, c := range published(t) {
		want, ok := asked[name]
		if !ok {
			want = []string{"image"}
		}
		given := sample(t, kindOf(t, c))
		smallest := map[string]any{}
		for i, field := range want {
			_, err := render(t, c, maps.Clone(smallest))
			if err == nil || !strings.Contains(err.Error(), "missing propert") ||
				!strings.Contains(err.Error(), "'"+field+"'") {
				t.Errorf("%s without %v: error is %v, want one that asks for %s", name, want[i:], err, field)
			}
			smallest[field] = given[field]
		}
		got, err := render(t, c, smallest)
		if err != nil {
			t.Errorf("%s with %v: %v", name, want, err)
			continue
		}
		for ref, value := range map[string]string{"rabbitmq": "rabbitmq", "ovn": "ovn", "keystone": "keystone"} {
			if v, ok := got.Object["spec"].(map[string]any)[ref]; ok && v != value {
				t.Errorf("%s refers to %s %v, want that of a release by its own name", name, ref, v)
			}
		}
	}
}

func TestChartsRefuseWhatTheKindDoesNotHave(t *testing.T) {
	for name, c := range published(t) {
		wrong := sample(t, kindOf(t, c))
		wrong["nameoverride"] = "x"
		if _, err := render(t, c, wrong); err == nil || !strings.Contains(err.Error(), "'nameoverride' not allowed") {
			t.Errorf("%s takes a value that does not exist: %v", name, err)
		}
	}
	keystone := load(t, "keystone")
	for name, c := range map[string]struct{ values, says string }{
		"misspelt":        {"replica: 2", "additional properties 'replica' not allowed"},
		"misspelt inside": {"database: {galerra: x}", "at '/database': additional properties 'galerra' not allowed"},
		"wrong type":      {"workers: many", "at '/workers': got string, want integer"},
		"text for list":   {"configFrom: x", "at '/configFrom': got string, want array"},
		"in a list":       {"configFrom: [{secret: a}, {secrets: b}]", "at '/configFrom/1': additional properties 'secrets'"},
		"too many":        {"workers: 1000", "at '/workers': maximum: got 1,000"},
		"no choice": {"database: {deletionPolicy: Keep}",
			"at '/database/deletionPolicy': value must be one of 'Retain', 'Delete'"},
		"empty":         {"image: ''", "at '/image': minLength: got 0, want 1"},
		"name's shape":  {"nameOverride: 1st", "at '/nameOverride': '1st' does not match"},
		"name's length": {"nameOverride: " + strings.Repeat("a", 41), "at '/nameOverride': maxLength: got 41, want 40"},
	} {
		t.Run(name, func(t *testing.T) {
			all := values(t, map[string]any{"image": "example.test/keystone:1"})
			maps.Copy(all, values(t, decode(t, c.values)))
			_, err := render(t, keystone, all)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
}

// Values reach the object as they are: neither numbers nor what looks like a template changes on the way.
func TestValuesKeepTheirTypes(t *testing.T) {
	options := map[string]any{"number": 10485760.0, "fraction": 0.5, "big": 4294967296.0, "truth": true, "word": "yes",
		"octal": "0755", "digits": "12", "template": "{{ .Release.Name }}", "lines": "a: b\n---\n- c\n",
		"list": []any{"a", 1.0, false}, "empty": "", "tilde": "~"}
	want := map[string]any{"image": "example.test/keystone:1", "database": map[string]any{"galera": "db"},
		"config": map[string]any{"DEFAULT": options}}
	got, err := render(t, load(t, "keystone"), values(t, want))
	must(t, err)
	if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

func TestNameOverrideNamesTheObject(t *testing.T) {
	got, err := render(t, load(t, "openstack"), map[string]any{"nameOverride": "cloud-b"})
	must(t, err)
	if got.GetName() != "cloud-b" || len(got.Object["spec"].(map[string]any)) != 0 {
		t.Errorf("object is %s with spec %v, want cloud-b without any", got.GetName(), got.Object["spec"])
	}
}

var commented = regexp.MustCompile(`(?m)^# ( *[a-zA-Z]+:( .*)?)$`)

// People take the # away and change what is behind it; that must be a value that the kind takes.
func TestCommentedValuesAreValid(t *testing.T) {
	for name, c := range published(t) {
		text, err := os.ReadFile(filepath.Join(name, "values.yaml"))
		must(t, err)
		if lines := strings.Count(string(text), "\n"); lines > 110 {
			t.Errorf("%s/values.yaml has %d lines, at most 110", name, lines)
		}
		all := decode(t, commented.ReplaceAllString(string(text), "$1"))
		var schema struct{ Properties map[string]any }
		must(t, json.Unmarshal(c.Schema, &schema))
		if diff := cmp.Diff(slices.Sorted(maps.Keys(schema.Properties)), slices.Sorted(maps.Keys(all))); diff != "" {
			t.Errorf("values of %s are not those of its schema (-schema +values):\n%s", name, diff)
		}
		maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil })
		given := sample(t, kindOf(t, c))
		for _, field := range []string{"image", "stores", "nodeSelector", "cell", "hosts"} {
			if v, ok := given[field]; ok {
				all[field] = v
			}
		}
		if _, err := render(t, c, values(t, all)); err != nil {
			t.Errorf("%s with all values that its comments show: %v", name, err)
		}
	}
}
