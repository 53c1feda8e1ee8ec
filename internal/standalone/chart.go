// Package standalone makes charts that need no operator: templates of the objects that a service's definition makes,
// with expressions of Helm in place of what people set, and the program that makes the service's Secrets, which a
// template must not see.
//
// A definition is played with marks for values that are copied, once more for each field that it branches on, and once
// for each combination of those branches that meet in the same lines. See docs/adr/0032-charts-without-operators.md.
package standalone

import "fmt"

// Chart says how the template of a service's chart is made.
type Chart struct {
	// Name of the chart, Kind whose definition is played.
	Name, Kind string
	// Base is a spec in YAML. A value $ is one that is copied from the values of the chart.
	Base string
	// Axes are fields that the definition branches on. What one has is laid over Base.
	Axes []Axis
	// Read are fields that only Secrets are made of.
	Read []string
	// Only lists what fields with a choice may be.
	Only map[string][]string
	// Without are fields that no item of a list may have, as list.field.
	Without []string
	// Names are fields that name Secrets of which others are made, with the keys that matter: list.field.secret for those
	// of items.
	Names map[string][]string
	// Fixed are fields that have one value, as an expression.
	Fixed map[string]string
	// Doors are where it is said how further APIs are reached, beside expose.
	Doors []string
	// Place are fields that the configuration does not depend on, so that a change of them needs no other one.
	Place []string
	// Before are the steps of Jobs that run before the objects change, all other Jobs run after it. Later is the step of
	// one that an upgrade runs only when it is asked to.
	Before []string
	Later  string
	// Early tells that the service is registered in Keystone before its objects change: its programs end when they cannot
	// log in, and Helm would wait for them.
	Early bool
	// Given are Secrets that somebody has to make, by the end of their names, with the keys that matter. One whose name
	// has the mark of an item's field is there for each item.
	Given map[string][]string
}

// Axis is one way in which specs differ. The first of the cases that holds wins; Base is what holds when none does.
type Axis struct {
	// Cases are merge patches in YAML: null takes a field away, and $ is copied.
	Cases []string
	// Whole is a field whose value is copied as it is, with all that it has inside.
	Whole string
	// Each is a list whose items are made one after the other. Each case has one item. Objects that are made with it only
	// are made for each item.
	Each string
	// Else are fields of the spec that stand in for those that an item does not have, by field.
	Else map[string]string
}

// Charts are those that have mode standalone.
func Charts() []Chart {
	return []Chart{keystone(), placement(), glance(), cinder(), neutron(), nova(), novacell(), barbican(), heat(),
		horizon()}
}

// chartOf is the chart of a kind, an empty one when there is none.
func chartOf(kind string) Chart {
	for _, c := range Charts() {
		if c.Kind == kind {
			return c
		}
	}
	return Chart{}
}

// shared are the axes that every service with an API has.
func shared() []Axis {
	const spread = `topologySpread: [{maxSkew: 4711, topologyKey: whole, whenUnsatisfiable: ScheduleAnyway}]`
	return append(door("%s", "expose"), []Axis{
		{Cases: []string{"tls: {disabled: true}", "tls: {secret: $}", "tls: {caSecret: $}"}},
		{Cases: []string{"nodeSelector: {whole: nodeSelector}"}, Whole: "nodeSelector"},
		{Cases: []string{"tolerations: [{key: whole}]"}, Whole: "tolerations"},
		{Cases: []string{`resources: {limits: {whole: "4711"}}`}, Whole: "resources"},
		{Cases: []string{spread, "topologySpread: []"}, Whole: "topologySpread"},
		{Cases: []string{
			"extraVolumes: [{name: $, mountPath: $, configMap: $}]",
			"extraVolumes: [{name: $, mountPath: $, secret: $}]",
			"extraVolumes: [{name: $, mountPath: $, persistentVolumeClaim: $}]",
		}, Each: "extraVolumes"},
	}...)
}

// door are the ways in which an API is reached. nested is where that is said: %s for the field itself.
func door(nested, path string) []Axis {
	at := func(text string) string { return fmt.Sprintf(nested, text) }
	return []Axis{
		{Cases: []string{at("expose: {type: ClusterIP, hostname: $}"), at("expose: {type: ClusterIP, hostname: null}")}},
		{Cases: []string{at("expose: {annotations: {" + path + ": annotations}}")}, Whole: path + ".annotations"},
	}
}

// spared are those whose database is cleaned of nothing.
func spared() Axis { return Axis{Cases: []string{"maintenance: {keepDays: 0}"}} }

// program is what containers of a program beside the API may have.
func program(field string) Axis {
	return Axis{Cases: []string{field + ": {resources: {limits: {" + field + `: "4711"}}}`}, Whole: field + ".resources"}
}

// place says where and how pods run.
func place() []string {
	return []string{"expose", "extraVolumes", "image", "nodeSelector", "replicas", "resources", "tolerations",
		"topologySpread"}
}
