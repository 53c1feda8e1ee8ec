package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ZoneTransferRequest offers a zone to another project.
var ZoneTransferRequest = d.Kind{
	Name: "ZoneTransferRequest", Plural: "zonetransferrequests", Service: "dns", Path: "/zones/tasks/transfer_requests",
	Item: d.None, Items: "transfer_requests", Doc: "ZoneTransferRequest offers a zone to another project.",
	Key: []string{"zone_id", "target_project_id"}, Marker: byKey, Events: []string{"dns.zone_transfer_request"},
	Create: d.Create{Path: "/zones/{zone_id}/tasks/transfer_requests"}, Update: d.Update{Method: "PATCH"},
	Fields: []d.Field{
		{API: "zone_id", Ref: "Zone", Required: true, CreateOnly: true, Doc: "Zone that is offered."},
		{API: "target_project_id", Ref: "Project", CreateOnly: true,
			Doc: "Project that may take it; any with the key when empty."},
		{API: "description", Max: 160, Doc: "A sentence for people."},
		{API: "key", Type: d.Secret, Output: true, Doc: "Secret that gets the key by which the zone is taken."},
	},
	State: d.State{Path: "status", Ready: []string{"ACTIVE", "COMPLETE"}, Pending: []string{"PENDING"},
		Error:   []string{"ERROR"},
		Deleted: []string{"DELETED"}},
	List: d.List{AllProjects: allProjects, Page: 1000},
	Sample: `zoneRef: {name: example-org}
keyRef: {name: example-org-transfer, key: key}`,
}
