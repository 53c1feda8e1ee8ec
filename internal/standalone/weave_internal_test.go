package standalone

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// definition is the definition of a kind in the chart of the operators.
func definition(t *testing.T, kind string) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../charts/stackwright-operator/crds/service.stackwright.dev_" + strings.ToLower(kind) +
		"s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := map[string]any{}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// The template of a chart is the one that the definition makes, twice the same.
func TestTemplatesAreMadeOfDefinitions(t *testing.T) {
	for _, c := range Charts() {
		got, err := Template(t.Context(), c, definition(t, c.Kind))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("../../charts/" + c.Name + "/templates/standalone.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("the template of chart %s is not what the definition makes; run make generate", c.Name)
		}
		if strings.Contains(got, "marked-") || strings.Contains(got, "4711") {
			t.Error("a mark is left in the template")
		}
	}
}

// Each field of a spec is copied, branched on, read by the program that makes Secrets, or refused: none is forgotten.
func TestFieldsThatAreRefused(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/install-without-operators.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"keystone":  {"authorities", "credential", "expose.gateway", "memcached", "paused"},
		"barbican":  {"expose.gateway", "identity.cloud", "keyGeneration", "keystoneListener", "paused"},
		"heat":      {"cfn.expose.gateway", "expose.gateway", "identity.cloud", "memcached", "paused"},
		"placement": {"expose.gateway", "identity.cloud", "paused"},
		"cinder":    {"expose.gateway", "identity.cloud", "paused"},
		"neutron":   {"expose.gateway", "identity.cloud", "paused"},
		"nova":      {"expose.gateway", "identity.cloud", "memcached", "paused"},
		"novacell":  {"expose.gateway", "identity.cloud", "memcached", "paused"},
		"horizon":   {"expose.gateway", "paused"},
		"glance":    {"cache", "expose.gateway", "identity.cloud", "paused"},
	}
	for _, c := range Charts() {
		schema, _, err := read(definition(t, c.Kind))
		if err != nil {
			t.Fatal(err)
		}
		if got := Refused(c, schema); !slices.Equal(got, want[c.Name]) {
			t.Errorf("chart %s refuses %q, want %q", c.Name, got, want[c.Name])
		}
		for _, field := range want[c.Name] {
			if !strings.Contains(string(page), "`"+field+"`") {
				t.Errorf("the page about charts does not name %s", field)
			}
		}
	}
}

func TestAxesThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		axis Axis
		says string
	}{
		"no distinction": {Axis{Each: "extraVolumes", Cases: []string{"extraVolumes: [{name: $, mountPath: $, secret: $}]",
			"extraVolumes: [{name: $, mountPath: $, secret: $}]"}}, "one field that the other cases do not have"},
		"no YAML": {Axis{Cases: []string{"tls: {"}}, "reading"},
	} {
		chart := keystone()
		chart.Axes = []Axis{c.axis}
		_, err := Template(t.Context(), chart, definition(t, "Keystone"))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDiff(t *testing.T) {
	for name, c := range map[string]struct{ a, b string }{
		"same":     {"a b c", "a b c"},
		"added":    {"a c", "a b c"},
		"removed":  {"a b c", "a c"},
		"replaced": {"a b c", "a x y c"},
		"ends":     {"a b c", "x b y"},
		"all":      {"a b", "c d"},
		"from no":  {"", "a"},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		got, ok := within(a, diff(a, b), 0, len(a))
		if !ok || !slices.Equal(got, b) {
			t.Errorf("%s: hunks make %q, want %q", name, got, b)
		}
	}
	// An item is inserted as a whole, not the end of one and the beginning of the next.
	a := []string{"- name: a", "  from: x", "- name: c", "  from: x"}
	b := slices.Insert(slices.Clone(a), 2, "- name: b", "  from: x")
	if h := diff(a, b); len(h) != 1 || h[0].lines[0] != "- name: b" {
		t.Errorf("the item is inserted as %q", h[0].lines)
	}
}

func TestTextsWithMarks(t *testing.T) {
	w := writer{&marks{texts: map[string]string{"marked-a": "$a", "marked-a-b": `dig "b" "" $spec`}}}
	for text, want := range map[string]string{
		"plain":                    "plain",
		"yes":                      `"yes"`,
		"100% sure":                `"100% sure"`,
		"{{ x }}":                  `"{{ "{{" }} x }}"`,
		"marked-a":                 "{{ $a | toJson }}",
		"marked-a-b":               `{{ dig "b" "" $spec | toJson }}`,
		"https://marked-a-b:1/%41": `{{ printf "https://%s:1/%%41" (dig "b" "" $spec) | toJson }}`,
		"marked-a.marked-a-b":      `{{ printf "%s.%s" $a (dig "b" "" $spec) | toJson }}`,
	} {
		if got := w.text(text); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}
