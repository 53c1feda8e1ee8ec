package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// VolumeType says which back end makes a volume, and how.
var VolumeType = d.Kind{
	Name: "VolumeType", Plural: "volumetypes", Service: "block-storage", Path: "/types", Item: "volume_type",
	Items: "volume_types",
	Doc:   "VolumeType says which back end makes a volume, and how.", Key: []string{"name"}, Marker: byKey,
	Update: d.Update{Method: "PUT"}, Events: []string{"volume_type", "volume_type_extra_specs"},
	Fields: []d.Field{
		name(255), {API: "description", Max: 255, Doc: "A sentence for people."},
		// The update calls it is_public.
		{API: "os-volume-type-access:is_public", As: "isPublic", Type: d.Bool, Via: "public",
			Doc: "Whether all projects may use it."},
		{API: "extra_specs", Type: d.Map, Via: "extra_specs",
			Doc: "What the back end is told, such as volume_backend_name."},
		{API: "qos_specs_id", As: "qosRef", Ref: "VolumeQoS", Later: true, Nullable: true, Via: "qos",
			Doc: "Limits of the volumes' speed."},
	},
	Actions: []d.Action{
		{Name: "public",
			Request: d.Request{Method: "PUT", Path: "/types/{id}", Body: `{"volume_type": {"is_public": {value}}}`}},
		{Name: "extra_specs", Request: d.Request{Path: "/types/{id}/extra_specs", Body: `{"extra_specs": {added}}`},
			Remove: &d.Request{Method: "DELETE", Path: "/types/{id}/extra_specs/{removed}"}},
		{Name: "qos", Request: d.Request{Method: "GET", Path: "/qos-specs/{added}/associate?vol_type_id={id}"},
			Remove: &d.Request{Method: "GET", Path: "/qos-specs/{removed}/disassociate?vol_type_id={id}"}},
	},
	List: d.List{Query: "is_public=None", Page: 1000},
	Sample: `description: Fast disks
extraSpecs: {volume_backend_name: ssd}`,
}
