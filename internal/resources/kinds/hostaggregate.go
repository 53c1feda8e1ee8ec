package kinds

import (
	"time"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// regroup is how soon a host is back in its zone and its aggregates: schedulers go by them.
const regroup = time.Minute

// HostAggregate is a set of hosts with properties that the scheduler knows. Its id is a number.
var HostAggregate = d.Kind{
	Name: "HostAggregate", Plural: "hostaggregates", Service: "compute", Path: "/os-aggregates", Item: "aggregate",
	Items: "aggregates",
	Doc:   "HostAggregate is a set of hosts with properties that the scheduler knows; AggregateHost puts hosts into it.",
	Key:   []string{"name"}, Update: d.Update{Method: "PUT"}, Marker: byKey, Events: []string{"aggregate"},
	List: d.List{Within: regroup},
	Fields: []d.Field{
		name(255),
		// Nova refuses null as it does an empty one (is_safe_to_update_az in nova/compute/api.py).
		{API: "availability_zone", Min: 1, Max: 255, Pattern: "^[^:]*$",
			Doc: "Availability zone that its hosts make up. There can be another one, and never none again."},
		// The availability zone is in the metadata too.
		{API: "metadata", Type: d.Map, Normal: d.Subset, Later: true, Via: "metadata",
			Doc: "Properties of the hosts, which extra specs of flavors ask for."},
	},
	// What is removed is sent as null.
	Actions: []d.Action{{Name: "metadata",
		Request: d.Request{Path: "/os-aggregates/{id}/action", Body: `{"set_metadata": {"metadata": {added}}}`},
		Remove:  &d.Request{Path: "/os-aggregates/{id}/action", Body: `{"set_metadata": {"metadata": {removed: null}}}`}}},
	Sample: `availabilityZone: north
metadata: {ssd: "true"}`,
}
