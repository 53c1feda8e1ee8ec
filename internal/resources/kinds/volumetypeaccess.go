package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// VolumeTypeAccess lets a project use a volume type that is not public.
var VolumeTypeAccess = d.Kind{
	Name: "VolumeTypeAccess", Plural: "volumetypeaccesses", Service: "block-storage", Shape: d.Relation,
	Doc:  "VolumeTypeAccess lets a project use a volume type that is not public.",
	Key:  []string{"volume_type_id", "project_id"},
	Path: "/types/{volume_type_id}/os-volume-type-access", Items: "volume_type_access",
	Events: []string{"volume_type_project"},
	Create: d.Create{Path: "/types/{volume_type_id}/action", Body: `{"addProjectAccess": {"project": {project_id}}}`},
	Delete: d.Request{Path: "/types/{volume_type_id}/action",
		Body: `{"removeProjectAccess": {"project": {project_id}}}`},
	Fields: []d.Field{
		{API: "volume_type_id", Ref: "VolumeType", Required: true, CreateOnly: true, Doc: "Type that may be used."},
		{API: "project_id", Ref: "Project", Required: true, CreateOnly: true, Doc: "Project that may use it."},
	},
	Sample: `volumeTypeRef: {name: ssd}
projectRef: {name: shop}`,
}
