package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// schema of the values: the fields of spec, as far as JSON schema can say it, and the values of the chart itself.
func (c *chart) schema() map[string]any {
	schema := portable(c.spec)
	properties := asMap(schema["properties"])
	properties["global"] = c.global(properties)
	properties["extraObjects"] = map[string]any{"type": "array",
		"items": map[string]any{"type": []any{"object", "string"}},
		"description": "Objects that are installed beside, each as YAML or as text, in which expressions of Helm are " +
			"filled in."}
	properties["nameOverride"] = map[string]any{"type": "string", "maxLength": c.limit, "pattern": c.shape,
		"description": "Name of the object. Empty is that of the release."}
	if c.Plain {
		properties["mode"] = map[string]any{"type": "string", "enum": []any{"operator", "standalone"},
			"description": "Operator renders an object that operators make a service of, standalone the objects of the service."}
		properties["standalone"] = standalone()
	}
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	delete(schema, "default")
	return schema
}

// global is the schema of what Helm gives to all charts that are part of one. Of its cloud a chart takes what its kind
// has.
func (c *chart) global(fields map[string]any) map[string]any {
	cloud := map[string]any{}
	for _, name := range common {
		cloud[name] = map[string]any{}
		if field := asMap(fields[name]); field != nil {
			cloud[name] = map[string]any{"$ref": "#/properties/" + name}
		}
	}
	return map[string]any{"type": "object",
		"description": "Helm gives it to a chart and to all that are part of it.",
		"properties": map[string]any{"cloud": map[string]any{"type": "object", "additionalProperties": false,
			"description": "Fields of all charts of a cloud. One that a chart has itself goes before the one here, as a whole.",
			"properties":  cloud}}}
}

// standalone is the schema of what only mode standalone has.
func standalone() map[string]any {
	property := func(kind, description string) map[string]any {
		return map[string]any{"type": kind, "description": description}
	}
	return map[string]any{"type": "object", "additionalProperties": false,
		"description": "What only mode standalone has.",
		"properties": map[string]any{
			"image":    property("string", "Image of the operators: the program that makes Secrets is in it."),
			"revision": property("string", "Any text. A new one makes the pods start again with what Secrets have now."),
			"schedule": property("string", "When keys and certificates are rotated, in the format of cron, such as 0 * * * *. "+
				"Empty: by upgrades only. An account stays that may change the service's Secrets and make new pods."),
			"contract": property("boolean", "True lets an upgrade remove from the database's schema what only older "+
				"releases needed. Set it when no pod of an older release is left, and not before."),
		}}
}

// portable is a schema of a CRD without what only Kubernetes knows. A field that is not there is refused, which the API
// server does by a warning alone.
func portable(schema map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range schema {
		if key != "format" && !strings.HasPrefix(key, "x-kubernetes-") {
			out[key] = value
		}
	}
	if schema["x-kubernetes-list-type"] == "set" {
		out["uniqueItems"] = true
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner := asMap(schema[key]); inner != nil {
			out[key] = portable(inner)
		}
	}
	if properties := asMap(schema["properties"]); properties != nil {
		inner := map[string]any{}
		for name, property := range properties {
			inner[name] = portable(asMap(property))
		}
		out["properties"] = inner
		if out["additionalProperties"] == nil && schema["x-kubernetes-preserve-unknown-fields"] == nil {
			out["additionalProperties"] = false
		}
	}
	return out
}

// values are those that an object cannot do without, as far as names by convention will do: charts that are installed
// by their own names find each other. The others are comments, with the default that the API server sets.
func (c *chart) values(all []*chart) (string, error) {
	var out strings.Builder
	fmt.Fprint(&out, wrapped(fmt.Sprintf("The values are the fields of spec of kind %s: by task on the page "+
		"docs/kinds/%s.md, all in values.schema.json. Behind a # is what the API server sets, where it sets anything.",
		c.Kind, strings.ToLower(c.Kind))))
	properties, required := asMap(c.spec["properties"]), list(c.spec["required"])
	names := slices.SortedFunc(maps.Keys(properties), func(a, b string) int {
		return cmp.Or(rank(required, a)-rank(required, b), strings.Compare(a, b))
	})
	for _, name := range names {
		field := asMap(properties[name])
		about, before, value := sentence(text(field["description"])), "# ", defaults(field)
		if slices.Contains(required, name) {
			if value = conventional(name, field, all); value != nil {
				before = ""
			} else {
				about = "Required. " + about
			}
		}
		lines, err := assignment(name, value)
		if err != nil {
			return "", fmt.Errorf("writing the value of %s: %w", name, err)
		}
		fmt.Fprint(&out, "\n", wrapped(about), prefixed(before, lines))
	}
	fmt.Fprintf(&out, "\n# Name of the %s; the release's unless set.\n# nameOverride:\n", c.Kind)
	fmt.Fprint(&out, "\n# Objects that are installed beside, as YAML or as text; Helm's expressions are filled in.\n",
		"# extraObjects:\n",
		"\n# Fields of all charts of a cloud, when this one is part of another; its own go before them.\n",
		"# global:\n#   cloud:\n#     replicas: 1\n")
	if c.Plain {
		fmt.Fprint(&out, "\n", wrapped("With operator an object is installed, of which operators make a service. With "+
			"standalone the objects of the service are, and no operator is needed; see "+
			"docs/how-to/install-without-operators.md."),
			"mode: operator\n\n# What only mode standalone has. The image of the operators is needed.\n# standalone:\n")
	}
	return out.String(), nil
}

func list(v any) []string {
	var out []string
	items, _ := v.([]any)
	for _, item := range items {
		out = append(out, text(item))
	}
	return out
}

func rank(required []string, name string) int {
	if slices.Contains(required, name) {
		return 0
	}
	return 1
}

// conventional is the value of a field that has the name of another chart: that name; nil when there is none.
func conventional(name string, field map[string]any, all []*chart) any {
	if field["type"] == "string" {
		if slices.ContainsFunc(all, func(c *chart) bool { return c.Name == name }) {
			return name
		}
		return nil
	}
	out := map[string]any{}
	for _, inner := range list(field["required"]) {
		value := conventional(inner, asMap(asMap(field["properties"])[inner]), all)
		if value == nil {
			return nil
		}
		out[inner] = value
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// defaults is what the API server makes of a field that is not there.
func defaults(field map[string]any) any {
	given, ok := field["default"].(map[string]any)
	if !ok {
		return field["default"]
	}
	out := maps.Clone(given)
	for name, property := range asMap(field["properties"]) {
		if value := defaults(asMap(property)); out[name] == nil && value != nil {
			out[name] = value
		}
	}
	return out
}

// assignment are the lines that set a value; without one, the name alone.
func assignment(name string, value any) (string, error) {
	if value == nil {
		return name + ":", nil
	}
	lines, err := yaml.Marshal(map[string]any{name: value})
	return strings.TrimSpace(string(lines)), err
}

func prefixed(before, lines string) string {
	return before + strings.ReplaceAll(lines, "\n", "\n"+before) + "\n"
}

// wrapped breaks text into lines of comment.
func wrapped(text string) string {
	const width = 100
	var out strings.Builder
	line := "#"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width {
			fmt.Fprintln(&out, line)
			line = "#"
		}
		line += " " + word
	}
	fmt.Fprintln(&out, line)
	return out.String()
}
