// Package standalone makes charts that need no operator: templates of the objects that a service's definition makes,
// with expressions of Helm in place of what people set, and the program that makes the service's Secrets, which a
// template must not see.
//
// A definition is played with marks for values that are copied, once more for each field that it branches on, and once
// for each combination of those branches that meet in the same lines. See docs/adr/0032-charts-without-operators.md.
package standalone

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
	// Fixed are fields that have one value, as an expression.
	Fixed map[string]string
	// Place are fields that the configuration does not depend on, so that a change of them needs no other one.
	Place []string
	// Before are the steps of Jobs that run before the objects change, all other Jobs run after it. Later is the step of
	// one that an upgrade runs only when it is asked to.
	Before []string
	Later  string
	// Given are Secrets that somebody has to make, by the end of their names, with the keys that matter.
	Given map[string][]string
}

// Axis is one way in which specs differ. The first of the cases that holds wins; Base is what holds when none does.
type Axis struct {
	// Cases are merge patches in YAML: null takes a field away, and $ is copied.
	Cases []string
	// Whole is a field whose value is copied as it is, with all that it has inside.
	Whole string
	// Each is a list whose items are made one after the other. Each case has one item.
	Each string
}

// Charts are those that have mode standalone.
func Charts() []Chart { return []Chart{keystone()} }

func keystone() Chart {
	return Chart{
		Name: "keystone", Kind: "Keystone",
		Base: `{image: $, region: $, replicas: $, expose: {hostname: $}, trustFlush: {schedule: $},
 database: {galera: none}}`,
		Axes: append(shared(),
			Axis{Cases: []string{"rabbitmq: $"}},
			Axis{Cases: []string{"adminPasswordSecret: $"}},
			Axis{Cases: []string{"trustFlush: {suspend: true}"}},
		),
		Read: []string{"config", "configFrom", "database", "fernet", "release", "workers"},
		Only: map[string][]string{"database.deletionPolicy": {"Retain"}, "expose.type": {"LoadBalancer", "ClusterIP"}},
		// A rotation is over when a Job has encrypted everything anew, which nobody runs here.
		Fixed:  map[string]string{"credential": `dict "rotationInterval" "876000h"`},
		Place:  append(place(), "adminPasswordSecret", "database", "fernet", "region", "trustFlush"),
		Before: []string{"db-expand"}, Later: "db-contract",
		Given: map[string][]string{"db": {"connection", "password"}, "bus": {"transport_url"}},
	}
}

// shared are the axes that every service with an API has.
func shared() []Axis {
	const spread = `topologySpread: [{maxSkew: 4711, topologyKey: whole, whenUnsatisfiable: ScheduleAnyway}]`
	return []Axis{
		{Cases: []string{"tls: {disabled: true}", "tls: {secret: $}", "tls: {caSecret: $}"}},
		{Cases: []string{"expose: {type: ClusterIP, hostname: $}", "expose: {type: ClusterIP, hostname: null}"}},
		{Cases: []string{"expose: {annotations: {whole: annotations}}"}, Whole: "expose.annotations"},
		{Cases: []string{"nodeSelector: {whole: nodeSelector}"}, Whole: "nodeSelector"},
		{Cases: []string{"tolerations: [{key: whole}]"}, Whole: "tolerations"},
		{Cases: []string{`resources: {limits: {whole: "4711"}}`}, Whole: "resources"},
		{Cases: []string{spread, "topologySpread: []"}, Whole: "topologySpread"},
		{Cases: []string{
			"extraVolumes: [{name: $, mountPath: $, configMap: $}]",
			"extraVolumes: [{name: $, mountPath: $, secret: $}]",
			"extraVolumes: [{name: $, mountPath: $, persistentVolumeClaim: $}]",
		}, Each: "extraVolumes"},
	}
}

// place says where and how pods run.
func place() []string {
	return []string{"expose", "extraVolumes", "image", "nodeSelector", "replicas", "resources", "tolerations",
		"topologySpread"}
}
