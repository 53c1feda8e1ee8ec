package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// AggregateHost puts a host into an aggregate.
var AggregateHost = d.Kind{
	Name: "AggregateHost", Plural: "aggregatehosts", Service: "compute", Shape: d.Relation,
	Doc: "AggregateHost puts a host into an aggregate.", Key: []string{"aggregate_id", "host"},
	Path: "/os-aggregates/{aggregate_id}", Items: "aggregate.hosts", Events: []string{"aggregate"},
	Create: d.Create{Path: "/os-aggregates/{aggregate_id}/action", Body: `{"add_host": {"host": {host}}}`},
	Delete: d.Request{Path: "/os-aggregates/{aggregate_id}/action", Body: `{"remove_host": {"host": {host}}}`},
	Fields: []d.Field{
		{API: "aggregate_id", Ref: "HostAggregate", Required: true, CreateOnly: true, Doc: "Aggregate that gets the host."},
		{API: "host", In: d.Self, Required: true, CreateOnly: true, Max: 255, Pattern: "^[a-zA-Z0-9._-]+$",
			Doc: "Name of the host, as its nova-compute calls itself."},
	},
	List: d.List{Within: regroup, Survey: d.Survey{Path: "/os-aggregates", Items: "aggregates", Parent: "id",
		Shows: []string{"hosts"}}},
	Sample: `aggregateRef: {name: ssd}
host: compute-1`,
}
