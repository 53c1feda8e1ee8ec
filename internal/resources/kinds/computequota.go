package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ComputeQuota limits what a project may have in Nova. Deletion brings the defaults back.
var ComputeQuota = d.Kind{
	Name: "ComputeQuota", Plural: "computequotas", Service: "compute", Shape: d.Singleton,
	Doc:  "ComputeQuota limits what a project may have in Nova; its deletion brings the defaults back.",
	Path: "/os-quota-sets/{project_id}", Item: "quota_set", Key: []string{"project_id"}, Read: "2.57",
	Update: d.Update{Method: "PUT"},
	Fields: []d.Field{
		quotaProject,
		quota("cores", "Processors of all servers."), quota("instances", "Servers."),
		quota("ram", "Memory of all servers in MiB."),
		quota("key_pairs", "Key pairs of a user."), quota("metadata_items", "Entries in the metadata of a server."),
		quota("server_groups", "Server groups."), quota("server_group_members", "Servers in a group."),
	},
	Sample: `projectRef: {name: shop}
cores: 40
ram: 81920`,
}
