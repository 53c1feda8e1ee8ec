package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Backup is a copy of a volume in another store.
var Backup = d.Kind{
	Name: "Backup", Plural: "backups", Service: "block-storage", Path: "/backups", Item: "backup", Items: "backups",
	Doc: "Backup is a copy of a volume in another store.", Key: []string{"name", "volume_id"},
	Events: []string{"backup"},
	Read:   "3.43", Update: d.Update{Method: "PUT", Since: "3.9"},
	Marker: d.Marker{Channel: d.MarkByMetadata, Field: "metadata"},
	Fields: []d.Field{
		name(255), {API: "description", Max: 255, Doc: "A sentence for people."},
		{API: "volume_id", Ref: "Volume", Usable: true, Required: true, CreateOnly: true, Doc: "Volume that is copied."},
		{API: "snapshot_id", Ref: "Snapshot", Usable: true, CreateOnly: true,
			Doc: "Snapshot of the volume that is copied in its place."},
		{API: "container", CreateOnly: true, Max: 255, Doc: "Container in the store."},
		{API: "incremental", In: "is_incremental", Type: d.Bool, CreateOnly: true,
			Doc: "Whether it holds only what changed since the last."},
		{API: "force", Type: d.Bool, CreateOnly: true, WriteOnly: true,
			Doc: "Whether it is made though a server uses the volume."},
		{API: "availability_zone", CreateOnly: true, Max: 255, Since: "3.51", Doc: "Zone of the service that makes it."},
		{API: "metadata", Type: d.Map, Since: "3.43", Doc: "Words for programs."},
	},
	State: d.State{Path: "status", Ready: []string{"available", "restoring"}, Pending: []string{"creating"},
		Error: []string{"error", "error_deleting"}, Deleted: []string{"deleted"}, Fault: "fail_reason"},
	List: d.List{Path: "/backups/detail", AllProjects: "all_tenants=True", Page: 1000,
		Filters: []string{"volume_id", "status"}},
	Sample: `volumeRef: {name: web-data}
incremental: true`,
}
