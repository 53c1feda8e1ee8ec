package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

var serverActions = []d.Action{
	{Name: "resize", Slow: true,
		Request: d.Request{Path: "/servers/{id}/action", Body: `{"resize": {"flavorRef": {value}}}`}},
	{Name: "confirm", Request: d.Request{Path: "/servers/{id}/action", Body: `{"confirmResize": null}`}},
	// Only administrators may.
	{Name: "reset",
		Request: d.Request{Path: "/servers/{id}/action", Body: `{"os-resetState": {"state": "error"}}`}},
	{Name: "rebuild", Slow: true,
		Request: d.Request{Path: "/servers/{id}/action", Body: `{"rebuild": {"imageRef": {value}}}`}},
	{Name: "power", Slow: true, Request: d.Request{Path: "/servers/{id}/action"},
		Bodies: map[string]string{"running": `{"os-start": null}`, "stopped": `{"os-stop": null}`}},
	{Name: "lock", Request: d.Request{Path: "/servers/{id}/action"},
		Bodies: map[string]string{"true": `{"lock": null}`, "false": `{"unlock": null}`}},
	{Name: "metadata", Request: d.Request{Path: "/servers/{id}/metadata", Body: `{"metadata": {added}}`},
		Remove: &d.Request{Method: "DELETE", Path: "/servers/{id}/metadata/{removed}"}},
	{Name: "tags",
		Request: d.Request{Method: "PUT", Path: "/servers/{id}/tags", Body: `{"tags": {value}}`, Since: "2.26"}},
}

// blockDevice has the fields of a disk that a server is made with.
var blockDevice = []d.Field{
	{API: "source_type", Required: true, Enum: []string{"blank", "image", "snapshot", "volume"},
		Doc: "What the disk is made from."},
	{API: "uuid", As: "sourceRef", RefBy: "source_type", Doc: "Image, snapshot or volume of that type.",
		Refs: map[string]string{"image": "Image", "snapshot": "Snapshot", "volume": "Volume"}},
	{API: "destination_type", Enum: []string{"local", "volume"}, Doc: "Where the disk is: on the host or in Cinder."},
	{API: "boot_index", Type: d.Int, Min: -1, HasMin: true, Max: 255,
		Doc: "Order of booting; the disk with 0 is the root disk."},
	{API: "volume_size", Type: d.Int, Min: 1, HasMin: true, Max: maxInt, Doc: "Size in GiB."},
	{API: "volume_type", Ref: "VolumeType", Since: "2.67", Doc: "Type of a volume that is made."},
	{API: "delete_on_termination", Type: d.Bool, Doc: "Whether the disk is deleted with the server."},
	{API: "device_name", Max: 255, Doc: "Name of the device; most hypervisors choose themselves."},
	{API: "device_type", Max: 255, Doc: "Kind of device, such as disk or cdrom."},
	{API: "disk_bus", Max: 255, Doc: "Bus of the device, such as virtio."},
	{API: "guest_format", Max: 255, Doc: "File system, such as swap."},
	{API: "tag", Max: 60, Pattern: "^[^,/]*$", Since: "2.42",
		Doc: "Word by which the server finds the device in its metadata."},
}

// serverPort has the fields of a port that a server is made with: one that exists, or one that Nova makes.
var serverPort = []d.Field{
	{API: "port", Ref: "Port", Doc: "Port that exists."},
	{API: "uuid", As: "networkRef", Ref: "Network", Doc: "Network in which Nova makes a port; it goes with the server."},
	{API: "fixed_ip", Max: 64, Doc: "Address in that network."},
	{API: "tag", Max: 60, Pattern: "^[^,/]*$", Doc: "Word by which the server finds the device in its metadata."},
}

var serverHints = []d.Field{
	{API: "group", As: "serverGroupRef", Ref: "ServerGroup", Doc: "Group that the server is in."},
	{API: "different_host", As: "differentHostServerRefs", Type: d.Strings, Ref: "Server",
		Doc: "Servers that are on other hosts."},
	{API: "same_host", As: "sameHostServerRefs", Type: d.Strings, Ref: "Server",
		Doc: "Servers that are on the same host."},
	{API: "build_near_host_ip", Max: 64, Doc: "Address near which it is made."},
	{API: "target_cell", Max: 255, Doc: "Cell in which it is made."},
	{API: "query", Max: 1024, Doc: "Condition for the host, as JSON."},
}

// serverMake has more fields; most only matter when a server is made.
var serverMake = []d.Field{
	{API: "OS-DCF:diskConfig", As: "diskConfig", Enum: []string{"AUTO", "MANUAL"},
		Doc: "Who makes the file system fit the disk: Nova or the server."},
	{API: "accessIPv4", Max: 64, Doc: "Address of IPv4 that people are told."},
	{API: "accessIPv6", Max: 64, Doc: "Address of IPv6 that people are told."},
	{API: "block_device_mapping_v2", As: "blockDevices", Type: d.Objects, CreateOnly: true, WriteOnly: true,
		Fields: blockDevice,
		Doc:    "Disks besides the flavor's, or in place of its root disk."},
	{API: "networks", As: "ports", Type: d.Objects, CreateOnly: true, WriteOnly: true, Default: "none",
		Fields: serverPort, Since: "2.42",
		Doc: "Ports that it is made with; none when empty. ServerInterface adds more later."},
	{API: "security_groups", Type: d.Objects, CreateOnly: true, WriteOnly: true,
		Doc: "Security groups of ports that Nova makes.",
		Fields: []d.Field{{API: "name", As: "securityGroupRef", Ref: "SecurityGroup", Required: true,
			Doc: "Security group."}}},
	{API: "availability_zone", In: "OS-EXT-AZ:availability_zone", CreateOnly: true, Max: 255,
		Doc: "Zone in which it runs."},
	{API: "config_drive", Type: d.Bool, CreateOnly: true, WriteOnly: true,
		Doc: "Whether metadata is on a disk besides the network."},
	{API: "host", In: "OS-EXT-SRV-ATTR:host", CreateOnly: true, WriteOnly: true, Max: 255, Since: "2.74",
		Doc: "Host on which it is made, for administrators."},
	{API: "hypervisor_hostname", In: "OS-EXT-SRV-ATTR:hypervisor_hostname", CreateOnly: true, WriteOnly: true, Max: 255,
		Since: "2.74", Doc: "Hypervisor on which it is made, for administrators."},
	{API: "trusted_image_certificates", Type: d.Strings, CreateOnly: true, WriteOnly: true, Max: 255, Since: "2.63",
		Doc: "Ids of certificates that may have signed the image."},
	{API: "os:scheduler_hints", As: "schedulerHints", Type: d.Object, Beside: true, CreateOnly: true, WriteOnly: true,
		Fields: serverHints,
		Doc:    "Wishes for the host on which it runs."},
}

// Nova is the only service whose lists of changes have what is gone.
var serverList = d.List{Path: "/servers/detail", AllProjects: "all_tenants=True", Changes: "changes-since",
	TellsGone: true, Page: 1000}
