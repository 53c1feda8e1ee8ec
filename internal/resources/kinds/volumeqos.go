package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// VolumeQoS limits the speed of the volumes of a type.
var VolumeQoS = d.Kind{
	Name: "VolumeQoS", Plural: "volumeqoses", Service: "block-storage", Path: "/qos-specs", Item: "qos_specs",
	Items: "qos_specs",
	Doc:   "VolumeQoS limits the speed of the volumes of a type.", Key: []string{"name"}, Marker: byKey,
	Events: []string{"qos_specs"},
	Update: d.Update{Method: "PUT"},
	Fields: []d.Field{
		create(name(255)),
		{API: "consumer", Enum: []string{"back-end", "both", "front-end"},
			Doc: "Who keeps the limits: Cinder's back end or the hypervisor."},
		{API: "specs", In: "specs", Type: d.Map, Flat: true, Via: "specs", Doc: "Limits such as total_iops_sec."},
	},
	Actions: []d.Action{{Name: "specs",
		Request: d.Request{Method: "PUT", Path: "/qos-specs/{id}", Body: `{"qos_specs": {added}}`},
		Remove:  &d.Request{Method: "PUT", Path: "/qos-specs/{id}/delete_keys", Body: `{"keys": {removed}}`}}},
	List: d.List{Page: 1000},
	Sample: `consumer: front-end
specs: {total_iops_sec: "500"}`,
}
