package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// DNSQuota limits what a project may have in Designate. Deletion brings the defaults back.
var DNSQuota = d.Kind{
	Name: "DNSQuota", Plural: "dnsquotas", Service: "dns", Shape: d.Singleton,
	Doc:  "DNSQuota limits what a project may have in Designate; its deletion brings the defaults back.",
	Path: "/quotas/{project_id}", Item: d.None, Key: []string{"project_id"}, Update: d.Update{Method: "PATCH"},
	Fields: []d.Field{
		quotaProject,
		quota("zones", "Zones."), quota("zone_recordsets", "Record sets of a zone."),
		quota("zone_records", "Records of a zone."),
		quota("recordset_records", "Records of a record set."), quota("api_export_size", "Records of an export."),
	},
	List: d.List{AllProjects: allProjects},
	Sample: `projectRef: {name: shop}
zones: 5`,
}
