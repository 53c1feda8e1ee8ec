package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// FlavorAccess lets a project use a flavor that is not public.
var FlavorAccess = d.Kind{
	Name: "FlavorAccess", Plural: "flavoraccesses", Service: "compute", Shape: d.Relation,
	Doc: "FlavorAccess lets a project use a flavor that is not public.", Key: []string{"flavor_id", "tenant_id"},
	Path: "/flavors/{flavor_id}/os-flavor-access", Items: "flavor_access", Events: []string{"flavor"},
	Create: d.Create{Path: "/flavors/{flavor_id}/action", Body: `{"addTenantAccess": {"tenant": {tenant_id}}}`},
	Delete: d.Request{Path: "/flavors/{flavor_id}/action", Body: `{"removeTenantAccess": {"tenant": {tenant_id}}}`},
	Fields: []d.Field{
		{API: "flavor_id", Ref: "Flavor", Required: true, CreateOnly: true, Doc: "Flavor that may be used."},
		{API: "tenant_id", As: "projectRef", Ref: "Project", Required: true, CreateOnly: true,
			Doc: "Project that may use it."},
	},
	Sample: `flavorRef: {name: large}
projectRef: {name: shop}`,
}
