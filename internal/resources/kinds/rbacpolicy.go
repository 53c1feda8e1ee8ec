package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// RBACPolicy lets a project use what another one owns.
var RBACPolicy = d.Kind{
	Name: "RBACPolicy", Plural: "rbacpolicies", Service: "network", Path: "/rbac-policies",
	Item: "rbac_policy", Items: "rbac_policies", Doc: "RBACPolicy lets a project use what another one owns.",
	Key: []string{"object_type", "object_id", "target_tenant", "action"}, Marker: byKey, Events: []string{"rbac_policy"},
	Update: d.Update{Method: "PUT"},
	Fields: []d.Field{
		projectRef,
		{API: "object_type", Required: true, CreateOnly: true, Doc: "Kind of what is used.",
			Enum: []string{"address_group", "address_scope", "network", "qos_policy", "security_group", "subnetpool"}},
		{API: "object_id", Required: true, CreateOnly: true, RefBy: "object_type",
			Doc: "What is used.", Refs: map[string]string{
				"address_group": "AddressGroup", "address_scope": "AddressScope", "network": "Network", "qos_policy": "QoSPolicy",
				"security_group": "SecurityGroup", "subnetpool": "SubnetPool"}},
		{API: "action", Required: true, CreateOnly: true, Enum: []string{"access_as_external", "access_as_shared"},
			Doc: "How it is used."},
		{API: "target_tenant", As: "targetProjectRef", Ref: "Project", Required: true,
			Doc: "Project that may use it; the id * is all."},
	},
	List: d.List{Page: 1000, Filters: []string{"project_id", "object_type", "object_id", "action", "target_tenant"}},
	Sample: `objectType: network
objectRef: {name: backup}
action: access_as_shared
targetProjectRef: {name: shop}`,
}
