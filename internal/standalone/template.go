package standalone

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"stackwright.dev/stackwright/internal/service"
)

//go:embed frame.yaml
var frame string

// Helm sorts hooks by weight. The program that makes Secrets is before all of them.
const (
	annotationHook   = "helm.sh/hook"
	annotationWeight = "helm.sh/hook-weight"
	annotationDelete = "helm.sh/hook-delete-policy"
)

// page is what the frame is filled with.
type page struct {
	Chart

	Limit, APIVersion string
	Refused           []check
	Limits            []check
	// Lacking are fields that items of lists do not have, Listed those that name Secrets.
	Lacking, Listed []item
	Defaults        []check
	// Entrances are where it is said how APIs are reached.
	Entrances []check
	// Made and Asked are expressions for the names of Secrets and ConfigMaps.
	Made, AskedSecrets, AskedMaps []string
	// Deployments and StatefulSets are expressions for the names of what has pods that read certificates.
	Deployments, StatefulSets []string
	// Parts are the names of StatefulSets that are made for each item of a list.
	Parts []item
	// Registered are those of the Secrets that the program needs which registers the service; none when it does not run.
	Registered []string
	Objects    []string
	// Program is the one that the part of the frame is about, Command how it is called.
	Program, Command string
}

// Run is the page for the part of the frame about a program.
func (p page) Run(program, command string) page {
	p.Program, p.Command = program, command
	return p
}

type check struct {
	Field, Condition, Value string
	Choices                 []string
}

// item is a field of the items of a list.
type item struct {
	// Field with the list's name, List and Value as expressions, Condition that an item has it.
	Field, List, Value, Condition string
}

func itemOf(field string) item {
	list, path, _ := strings.Cut(field, ".")
	keys := strings.Split(path, ".")
	from := func(keys []string, fallback string) string {
		if len(keys) == 0 {
			return "."
		}
		return ofItem(keys, fallback)
	}
	last := len(keys) - 1
	return item{Field: list + "[]." + path, List: dig([]string{list}, "(list)"), Value: from(keys, `""`),
		Condition: "hasKey " + argument(from(keys[:last], "(dict)")) + " " + strconv.Quote(keys[last])}
}

// Template makes the template of a chart from the definition of its kind. crd is the definition of the kind in the
// cluster's sense.
func Template(ctx context.Context, c Chart, crd map[string]any) (string, error) {
	schema, limit, err := read(crd)
	if err != nil {
		return "", err
	}
	l, err := newLoom(ctx, c, schema)
	if err != nil {
		return "", fmt.Errorf("making the template of chart %s: %w", c.Name, err)
	}
	p := page{Chart: c, Limit: limit, APIVersion: group + "/" + version}
	p = p.Run("secrets", "[/usr/bin/stackwright-operator, secrets, --object=/object/object.json, --revision={{ $hash }}]")
	l.fillChecks(&p, schema)
	for _, name := range names(schema) {
		switch l.marks.field([]string{name})["default"].(type) {
		case string, int64, float64:
			path := []string{name}
			p.Defaults = append(p.Defaults, check{Field: name, Value: dig(path, l.marks.fallback(path))})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Fixed)) {
		p.Defaults = append(p.Defaults, check{Field: name, Value: c.Fixed[name]})
	}
	for i := range l.base.objects {
		text, err := l.document(i)
		if err != nil {
			return "", fmt.Errorf("making the template of chart %s: %w", c.Name, err)
		}
		p.Objects = append(p.Objects, text)
	}
	if err := l.fillParts(&p); err != nil {
		return "", fmt.Errorf("making the template of chart %s: %w", c.Name, err)
	}
	p.Made, p.AskedSecrets, p.AskedMaps = l.expressions()
	p.Listed = append(p.Listed, l.each()...)
	p.Deployments, p.StatefulSets = l.names("Deployment"), l.names("StatefulSet")
	p.Registered = l.registered()
	var out strings.Builder
	layout, err := template.New("frame").Delims("[[", "]]").Funcs(template.FuncMap{
		"join": func(items []string) string { return strings.Join(items, " and ") },
	}).Parse(frame)
	if err == nil {
		err = layout.Execute(&out, p)
	}
	if err != nil {
		return "", fmt.Errorf("filling the frame of chart %s: %w", c.Name, err)
	}
	return strings.TrimLeft(out.String(), "\n"), nil
}

// fillChecks adds what values are refused.
func (l *loom) fillChecks(p *page, schema map[string]any) {
	c := l.chart
	for _, field := range Refused(c, schema) {
		above, key := cut(field)
		p.Refused = append(p.Refused, check{Field: field, Condition: present(above, key)})
	}
	for _, field := range slices.Sorted(maps.Keys(c.Only)) {
		path := strings.Split(field, ".")
		p.Limits = append(p.Limits, check{Field: field, Value: dig(path, l.marks.fallback(path)), Choices: c.Only[field]})
	}
	for _, field := range c.Without {
		p.Lacking = append(p.Lacking, itemOf(field))
	}
	for _, field := range append([]string{"configFrom.secret"}, slices.Sorted(maps.Keys(c.Names))...) {
		list, _, _ := strings.Cut(field, ".")
		if l.marks.field([]string{list})["type"] == "array" {
			p.Listed = append(p.Listed, itemOf(field))
		}
	}
	for _, field := range append([]string{"expose"}, c.Doors...) {
		path := strings.Split(field, ".")
		p.Entrances = append(p.Entrances, check{Field: field, Value: dig(append(path, "type"), `"LoadBalancer"`),
			Condition: dig(append(path, "hostname"), `""`)})
	}
}

// fillParts adds the objects that are made for each item of a list.
func (l *loom) fillParts(to *page) error {
	for _, p := range l.parts {
		if len(p.axis.Cases) != 1 {
			return fmt.Errorf("objects are made with %q; give the list one case", p.text)
		}
		list := dig([]string{p.axis.Each}, "(list)")
		for _, i := range p.objects {
			text, err := p.document(i)
			if err != nil {
				return err
			}
			to.Objects = append(to.Objects, "{{- range "+list+" }}\n"+text+"\n{{- end }}")
			meta, _ := p.base.objects[i].tree["metadata"].(map[string]any)
			if name, ok := meta["name"].(string); ok && p.base.objects[i].kind() == "StatefulSet" {
				to.Parts = append(to.Parts, item{List: list, Value: writer{l.marks}.expression(name)})
			}
		}
	}
	return nil
}

// expressions are the names of Secrets that the definition makes, and of Secrets and ConfigMaps that it reads.
func (l *loom) expressions() (made, secrets, configMaps []string) {
	w := writer{l.marks}
	for _, name := range slices.Sorted(maps.Keys(l.secrets)) {
		made = append(made, w.expression(name))
	}
	for _, name := range slices.Sorted(maps.Keys(l.asks)) {
		kind, name, _ := strings.Cut(name, "/")
		switch {
		case listOf(l.chart, name) != "":
		case kind == "configmaps":
			configMaps = append(configMaps, w.expression(name))
		case !l.secrets[name]:
			secrets = append(secrets, w.expression(name))
		}
	}
	return made, secrets, configMaps
}

// names are expressions for the names of the objects of a kind.
func (l *loom) names(kind string) []string {
	var out []string
	for _, o := range l.base.objects {
		meta, _ := o.tree["metadata"].(map[string]any)
		if name, ok := meta["name"].(string); ok && o.kind() == kind {
			out = append(out, writer{l.marks}.expression(name))
		}
	}
	return out
}

// registered are expressions for the names of the Secrets by which a service is registered: those of its users'
// passwords, and that of its Keystone.
func (l *loom) registered() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(l.passwords)) {
		out = append(out, writer{l.marks}.expression(name))
	}
	if len(out) == 0 {
		return nil
	}
	return append(out, writer{l.marks}.expression(service.CloudsName(l.base.keystone)))
}

var limitRule = regexp.MustCompile(`size\(self\.metadata\.name\) <= (\d+)`)

// read returns the schema of spec, and how many characters a name may have.
func read(crd map[string]any) (spec map[string]any, limit string, err error) {
	text, err := json.Marshal(crd)
	if err != nil {
		return nil, "", fmt.Errorf("reading the kind: %w", err)
	}
	type node struct {
		Properties map[string]map[string]any
		Rules      []struct{ Rule string } `json:"x-kubernetes-validations"`
	}
	var kind struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema node }
			}
		}
	}
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, "", fmt.Errorf("reading the kind: %w", err)
	}
	for _, v := range kind.Spec.Versions {
		for _, r := range v.Schema.OpenAPIV3Schema.Rules {
			if m := limitRule.FindStringSubmatch(r.Rule); m != nil {
				limit = m[1]
			}
		}
		spec = v.Schema.OpenAPIV3Schema.Properties["spec"]
	}
	if spec == nil || limit == "" {
		return nil, "", errors.New("the kind has no spec, or no limit for its name")
	}
	return spec, limit, nil
}

func cut(field string) (above []string, key string) {
	path := strings.Split(field, ".")
	return path[:len(path)-1], path[len(path)-1]
}

// present is the condition that a field is given.
func present(above []string, key string) string {
	if len(above) == 0 {
		return "hasKey $spec " + strconv.Quote(key)
	}
	return "hasKey (" + dig(above, "(dict)") + ") " + strconv.Quote(key)
}

// Refused are the fields of a spec that the template refuses, by path: those of which nothing is supported.
func Refused(c Chart, schema map[string]any) []string {
	supported := append(slices.Clone(c.Read), slices.Sorted(maps.Keys(c.Only))...)
	for _, axis := range append([]Axis{{Cases: []string{c.Base}}}, c.Axes...) {
		if axis.Whole != "" || axis.Each != "" {
			supported = append(supported, axis.Whole, axis.Each)
			continue
		}
		for _, text := range axis.Cases {
			from, err := patch{text: text}.parse()
			if err == nil {
				supported = append(supported, paths(from, nil)...)
			}
		}
	}
	return refused(schema, "", supported)
}

// paths are the fields that a patch sets.
func paths(from map[string]any, above []string) []string {
	var all []string
	for key, value := range from {
		path := append(slices.Clone(above), key)
		all = append(all, dotted(path))
		if inner, ok := value.(map[string]any); ok {
			all = append(all, paths(inner, path)...)
		}
	}
	return all
}

func names(schema map[string]any) []string {
	properties, _ := schema["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

func refused(schema map[string]any, above string, supported []string) []string {
	var out []string
	properties, _ := schema["properties"].(map[string]any)
	for _, key := range names(schema) {
		path := above + key
		inner, _ := properties[key].(map[string]any)
		below := slices.ContainsFunc(supported, func(s string) bool { return strings.HasPrefix(s, path+".") })
		switch {
		case below && inner["properties"] != nil:
			out = append(out, refused(inner, path+".", supported)...)
		case !below && !slices.Contains(supported, path):
			out = append(out, path)
		}
	}
	return out
}

// document is the template of one object, unless it is not made.
func (l *loom) document(i int) (string, error) {
	lines, err := l.object(i)
	if err != nil {
		return "", err
	}
	text, err := l.hooked(i, lines)
	if err != nil || len(l.absent[i]) == 0 {
		return "---\n" + text, err
	}
	condition := l.absent[i][0]
	if len(l.absent[i]) > 1 {
		condition = "or (" + strings.Join(l.absent[i], ") (") + ")"
	}
	return "{{- if not (" + condition + ") }}\n---\n" + text + "\n{{- end }}", nil
}

// hooked is an object with what tells Helm when it is its turn.
func (l *loom) hooked(i int, lines []string) (string, error) {
	at := slices.Index(lines, "metadata:")
	hook := l.hook(l.base.objects[i])
	if at < 0 || hook == nil {
		return strings.Join(lines, "\n"), nil
	}
	if strings.HasPrefix(lines[at+1], "  annotations:") || strings.HasPrefix(lines[at+1], "{{") {
		return "", fmt.Errorf("%s has annotations of its own", l.base.objects[i].kind())
	}
	return strings.Join(slices.Insert(lines, at+1, hook...), "\n"), nil
}

// hook are the annotations of an object that Helm makes before or after the others: the account of the pods that run
// before, and Jobs.
func (l *loom) hook(o object) []string {
	var when string
	var weight int
	remove := "before-hook-creation,hook-succeeded"
	jobs := l.jobs()
	switch i := slices.Index(l.chart.Before, o.step); {
	case o.kind() == "ServiceAccount":
		// What Helm deletes with its hooks would be missed by the pods that stay.
		when, weight, remove = "pre-install,pre-upgrade", -20, "before-hook-creation"
	case o.kind() != "Job":
		return nil
	case i >= 0:
		when, weight = "pre-install,pre-upgrade", i
	default:
		when, weight = "post-install,post-upgrade", slices.Index(jobs, o.step)
	}
	if o.step == l.chart.Later {
		when = `post-install{{ if get $own "contract" }},post-upgrade{{ end }}`
	}
	return []string{"  annotations:", "    " + annotationHook + ": " + when,
		"    " + annotationWeight + ": " + strconv.Quote(strconv.Itoa(weight)),
		"    " + annotationDelete + ": " + remove}
}

// jobs are the steps of Jobs that run after the objects have changed, in the order of the graph.
func (l *loom) jobs() []string {
	var out []string
	for _, step := range l.base.order {
		is := func(o object) bool { return o.step == step && o.kind() == "Job" }
		if slices.ContainsFunc(l.base.objects, is) && !slices.Contains(l.chart.Before, step) {
			out = append(out, step)
		}
	}
	return out
}
