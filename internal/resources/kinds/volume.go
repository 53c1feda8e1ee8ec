package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Volume is a disk that lives apart from servers.
var Volume = d.Kind{
	Name: "Volume", Plural: "volumes", Service: "block-storage", Path: "/volumes", Item: "volume", Items: "volumes",
	Doc: "Volume is a disk that lives apart from servers.", Key: []string{"name"}, Events: []string{"volume"},
	// 3.63 shows the type's id.
	Read: "3.63", Update: d.Update{Method: "PUT"}, Marker: metadata,
	Fields: []d.Field{
		name(255), {API: "description", Max: 255, Doc: "A sentence for people."},
		{API: "size", Type: d.Int, Required: true, Min: 1, HasMin: true, Max: maxInt, Via: "extend",
			Doc: "Size in GiB; it can only grow."},
		{API: "volume_type", In: "volume_type_id", Ref: "VolumeType", Via: "retype",
			Doc: "Type; another one moves the data when it has to."},
		{API: "availability_zone", CreateOnly: true, Max: 255, Doc: "Zone in which it is."},
		{API: "imageRef", As: "imageRef", CreateOnly: true, WriteOnly: true, Ref: "Image", Usable: true,
			Doc: "Image whose data it gets."},
		{API: "snapshot_id", CreateOnly: true, Ref: "Snapshot", Usable: true, Doc: "Snapshot whose data it gets."},
		{API: "source_volid", As: "sourceVolumeRef", CreateOnly: true, Ref: "Volume", Usable: true,
			Doc: "Volume whose data it gets."},
		{API: "backup_id", CreateOnly: true, WriteOnly: true, Ref: "Backup", Usable: true, Since: "3.47",
			Doc: "The same of a backup."},
		{API: "metadata", Type: d.Map, Normal: d.Subset, Via: "metadata", Doc: "Words for programs."},
		{API: "readonly", In: "metadata.readonly", Type: d.Bool, Values: titled, Later: true, Via: "readonly",
			Doc: "Whether servers can only read it."},
		{API: "bootable", Type: d.Bool, Values: words, Later: true, Via: "bootable",
			Doc: "Whether servers can boot from it."},
		{API: "OS-SCH-HNT:scheduler_hints", As: "schedulerHints", Type: d.Map, Beside: true, CreateOnly: true,
			WriteOnly: true, Doc: "Wishes for the back end, such as same_host."},
	},
	AtMostOne: [][]string{{"imageRef", "snapshot_id", "source_volid", "backup_id"}}, Actions: volumeActions,
	State: volumeState,
	List: d.List{Path: "/volumes/detail", AllProjects: "all_tenants=True", Page: 1000,
		// Only volumes are compared by time, neither snapshots nor backups.
		Changes: "updated_at=gte:", ChangesSince: "3.60",
		Filters: []string{"status", "availability_zone"}},
	Sample: `size: 10
volumeTypeRef: {external: {name: ssd}}`,
}
