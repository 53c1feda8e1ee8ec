package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// NetworkQuota limits what a project may have in Neutron. Deletion brings the defaults back.
var NetworkQuota = d.Kind{
	Name: "NetworkQuota", Plural: "networkquotas", Service: "network", Shape: d.Singleton,
	Doc:  "NetworkQuota limits what a project may have in Neutron; its deletion brings the defaults back.",
	Path: "/quotas/{project_id}", Item: "quota", Key: []string{"project_id"}, Update: d.Update{Method: "PUT"},
	Fields: []d.Field{
		quotaProject,
		quota("network", "Networks."), quota("subnet", "Subnets."), quota("subnetpool", "Subnet pools."),
		quota("port", "Ports."),
		quota("router", "Routers."), quota("floatingip", "Floating IPs."), quota("security_group", "Security groups."),
		quota("security_group_rule", "Rules of security groups."), quota("rbac_policy", "RBAC policies."),
		quota("trunk", "Trunks."),
	},
	List: ownQuotas,
	Sample: `projectRef: {name: shop}
network: 5
floatingip: 10`,
}
