package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ServerVolumeAttachment attaches a volume to a server. The volume's id is the id of the attachment.
var ServerVolumeAttachment = d.Kind{
	Name: "ServerVolumeAttachment", Plural: "servervolumeattachments", Service: "compute", ID: "volumeId",
	Path: "/servers/{server_id}/os-volume_attachments", Item: "volumeAttachment", Items: "volumeAttachments",
	Doc: "ServerVolumeAttachment attaches a volume to a server.", Key: []string{"server_id", "volumeId"},
	// 2.79 shows delete_on_termination. The update wants the volume's id too.
	Read: "2.79", Update: d.Update{Method: "PUT", Whole: true, Since: "2.85"}, Marker: byKey,
	GoesWith: "Server",
	Events:   []string{"instance.volume_attach", "instance.volume_detach", "compute.instance.volume"},
	Fields: []d.Field{
		{API: "server_id", In: "serverId", Ref: "Server", Usable: true, Required: true, CreateOnly: true,
			Doc: "Server that gets the volume."},
		{API: "volumeId", As: "volumeRef", Ref: "Volume", Usable: true, Required: true, CreateOnly: true,
			Doc: "Volume that is attached."},
		{API: "device", CreateOnly: true, Max: 255, Pattern: "^/dev/x?[a-z]?d?[a-z]+[0-9]*$",
			Doc: "Name of the device in the server, such as /dev/vdb; most hypervisors choose themselves."},
		{API: "tag", CreateOnly: true, Max: 60, Pattern: "^[^,/]*$", Since: "2.49",
			Doc: "Word by which the server finds the device in its metadata."},
		{API: "delete_on_termination", Type: d.Bool, Since: "2.79",
			Doc: "Whether the volume is deleted with the server."},
	},
	// Nova lists it before the hypervisor has the volume, and no longer when it does not get it.
	State: d.State{Settles: d.Settles{Service: "block-storage", Path: "/volumes/{volumeId}", Field: "volume.status",
		Ready: []string{"in-use"}, Advice: "see the log of nova-compute on the server's host"}},
	// Servers do not show device and tag, which cannot be changed.
	List: d.List{Survey: d.Survey{Path: "/servers/detail?limit=1000", AllProjects: "all_tenants=True", Since: "2.3",
		Items: "servers", Parent: "id", Shows: []string{"os-extended-volumes:volumes_attached"}}},
	Sample: `serverRef: {name: web}
volumeRef: {name: web-data}`,
}
