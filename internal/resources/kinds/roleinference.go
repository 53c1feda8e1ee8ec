package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// RoleInference lets one role imply another.
var RoleInference = d.Kind{
	Name: "RoleInference", Plural: "roleinferences", Service: "identity", Shape: d.Relation,
	Doc: "RoleInference lets one role imply another.", Key: []string{"prior_role_id", "implied_role_id"},
	Path: "/roles/{prior_role_id}/implies", Items: "role_inference.implies",
	Paths: []string{"/roles/{prior_role_id}/implies/{implied_role_id}"}, Create: d.Create{Method: "PUT"},
	Fields: []d.Field{
		{API: "prior_role_id", As: "priorRoleRef", Ref: "Role", Required: true, CreateOnly: true,
			Doc: "Role that implies the other."},
		{API: "implied_role_id", As: "impliedRoleRef", In: "id", Ref: "Role", Required: true, CreateOnly: true,
			Doc: "Role that who has the first one has too."},
	},
	List: d.List{Survey: d.Survey{Path: "/role_inferences", Items: "role_inferences", Parent: "prior_role.id",
		Shows: []string{"implies"}}},
	Sample: `priorRoleRef: {external: {name: manager}}
impliedRoleRef: {name: auditor}`,
}
