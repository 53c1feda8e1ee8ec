package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ZoneTransferAccept takes a zone that another project offers. The API cannot delete it; what is done stays done.
var ZoneTransferAccept = d.Kind{
	Name: "ZoneTransferAccept", Plural: "zonetransferaccepts", Service: "dns", Path: "/zones/tasks/transfer_accepts",
	Item: d.None, Items: "transfer_accepts", Doc: "ZoneTransferAccept takes a zone that another project offers.",
	Key: []string{"zone_transfer_request_id"}, Marker: byKey, Delete: d.Request{Method: d.None},
	Fields: []d.Field{
		{API: "zone_transfer_request_id", As: "transferRequestRef", Ref: "ZoneTransferRequest", Required: true,
			CreateOnly: true, Doc: "The offer."},
		{API: "key", Type: d.Secret, Required: true, CreateOnly: true, WriteOnly: true, Max: 160, Doc: "Key of the offer."},
	},
	State: d.State{Path: "status", Ready: []string{"COMPLETE"}, Pending: []string{"ACTIVE", "PENDING"},
		Error:   []string{"ERROR"},
		Deleted: []string{"DELETED"}},
	List: d.List{AllProjects: allProjects, Page: 1000},
	Sample: `transferRequestRef: {id: b4542f5a-f1ea-4ec1-b850-52db9dc3f465}
keyRef: {name: example-org-transfer, key: key}`,
}
