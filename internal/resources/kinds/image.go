package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Image is what disks of servers are made from. Its data comes from an address, by the hook. The id is left to Glance:
// it never takes that of a deleted image again. Lists leave hidden ones out: an image is hidden when it has its data,
// and by then its id is on the books.
var Image = d.Kind{
	Name: "Image", Plural: "images", Service: "image", Path: "/images", Item: d.None, Items: "images",
	Doc: "Image is what disks of servers are made from.", Key: []string{"name"}, Hook: "image",
	Events: []string{"image"}, Update: d.Update{Method: "PATCH", JSONPatch: true},
	Marker: d.Marker{Channel: d.MarkByExtra, Field: "stackwright_owner"},
	Fields: []d.Field{
		name(255),
		{API: "content", Type: d.Object, Flat: true, CreateOnly: true, Doc: "Data of the image.", Fields: imageContent},
		{API: "visibility", Enum: []string{"community", "private", "public", "shared"}, Doc: "Who sees the image."},
		{API: "protected", Type: d.Bool, Doc: "Whether it cannot be deleted."},
		{API: "os_hidden", As: "hidden", Type: d.Bool, Later: true, Doc: "Whether lists leave it out."},
		{API: "owner", As: "projectRef", Ref: "Project", Doc: "Project that owns it; others are for administrators."},
		{API: "min_disk", As: "minDiskGB", Type: d.Int, HasMin: true, Max: maxInt, Doc: "Root disk that it needs, in GiB."},
		{API: "min_ram", As: "minMemoryMB", Type: d.Int, HasMin: true, Max: maxInt, Doc: "Memory that it needs, in MiB."},
		{API: "tags", Type: d.Strings, Normal: d.Set, Max: 255, Doc: "Words by which images are found."},
		{API: "properties", Type: d.Map, Flat: true, Normal: d.Subset, Doc: "Properties such as hw_disk_bus or os_distro."},
	},
	// An image waits for its data in queued.
	State: d.State{Path: "status", Ready: []string{"active", "deactivated"}, Error: []string{"killed"},
		Pending: []string{"queued", "saving", "uploading", "importing"}, Deleted: []string{"deleted", "pending_delete"}},
	List: d.List{Changes: "updated_at=gte:", Page: 1000, Filters: []string{"visibility", "owner", "os_hidden"}},
	Sample: `content:
  diskFormat: qcow2
  download: {url: "https://cloud.debian.org/images/cloud/trixie/latest/debian-13-genericcloud-amd64.qcow2"}
properties: {os_distro: debian, hw_disk_bus: virtio}`,
}
