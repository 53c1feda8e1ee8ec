package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Snapshot is the state of a volume at a time.
var Snapshot = d.Kind{
	Name: "Snapshot", Plural: "snapshots", Service: "block-storage", Path: "/snapshots", Item: "snapshot",
	Items: "snapshots",
	Doc:   "Snapshot is the state of a volume at a time.", Key: []string{"name", "volume_id"},
	Events: []string{"snapshot"},
	Update: d.Update{Method: "PUT"}, Marker: metadata,
	Fields: []d.Field{
		name(255), {API: "description", Max: 255, Doc: "A sentence for people."},
		{API: "volume_id", Ref: "Volume", Usable: true, Required: true, CreateOnly: true, Doc: "Volume whose state it is."},
		{API: "force", Type: d.Bool, CreateOnly: true, WriteOnly: true,
			Doc: "Whether it is made though a server uses the volume; since 3.66 it is."},
		{API: "metadata", Type: d.Map, Normal: d.Subset, Via: "metadata", Doc: "Words for programs."},
	},
	Actions: []d.Action{resets("/snapshots/{id}/action"), {Name: "metadata",
		Request: d.Request{Path: "/snapshots/{id}/metadata", Body: `{"metadata": {added}}`},
		Remove:  &d.Request{Method: "DELETE", Path: "/snapshots/{id}/metadata/{removed}"}}},
	State: d.State{Path: "status", Ready: []string{"available", "backing-up"}, Pending: []string{"creating"},
		Error: []string{"error", "error_deleting"}, Deleted: []string{"deleted"},
		Messages: volumeState.Messages, MessagesSince: volumeState.MessagesSince,
		Leaving: d.Sign{Path: "status", Value: "deleting"}, Release: "reset"},
	List: d.List{Path: "/snapshots/detail", AllProjects: "all_tenants=True", Page: 1000,
		Filters: []string{"volume_id", "status"}},
	Sample: `volumeRef: {name: web-data}`,
}
