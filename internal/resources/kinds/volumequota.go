package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// VolumeQuota limits what a project may have in Cinder. Deletion brings the defaults back.
var VolumeQuota = d.Kind{
	Name: "VolumeQuota", Plural: "volumequotas", Service: "block-storage", Shape: d.Singleton,
	Doc:  "VolumeQuota limits what a project may have in Cinder; its deletion brings the defaults back.",
	Path: "/os-quota-sets/{project_id}", Item: "quota_set", Key: []string{"project_id"}, Update: d.Update{Method: "PUT"},
	Fields: []d.Field{
		quotaProject,
		quota("volumes", "Volumes."), quota("snapshots", "Snapshots."), quota("gigabytes", "GiB of volumes and snapshots."),
		quota("per_volume_gigabytes", "GiB of one volume."), quota("backups", "Backups."),
		quota("backup_gigabytes", "GiB of backups."), quota("groups", "Groups of volumes."),
	},
	Sample: `projectRef: {name: shop}
volumes: 20
gigabytes: 1000`,
}
