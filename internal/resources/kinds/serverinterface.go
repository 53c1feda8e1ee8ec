package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// ServerInterface attaches a port to a server. The port's id is the attachment's. Nova could make the port too, but
// nothing would then tell whose it is.
var ServerInterface = d.Kind{
	Name: "ServerInterface", Plural: "serverinterfaces", Service: "compute", ID: "port_id",
	Path: "/servers/{server_id}/os-interface", Item: "interfaceAttachment", Items: "interfaceAttachments",
	Doc: "ServerInterface attaches a port to a server.", Key: []string{"server_id", "port_id"}, Read: "2.70",
	Marker:   byKey,
	GoesWith: "Server",
	Events:   []string{"instance.interface_attach", "instance.interface_detach"},
	Fields: []d.Field{
		{API: "server_id", Ref: "Server", Required: true, CreateOnly: true, Doc: "Server that gets the port."},
		{API: "port_id", Ref: "Port", Required: true, CreateOnly: true, Doc: "Port that is attached."},
		{API: "tag", CreateOnly: true, Max: 60, Pattern: "^[^,/]*$", Since: "2.49",
			Doc: "Word by which the server finds the device in its metadata."},
	},
	State: d.State{Path: "port_state", Ready: []string{"ACTIVE", "DOWN"}},
	// Nova asks Neutron, too; the tag, which Nova adds, cannot be changed.
	List: d.List{Survey: d.Survey{Service: "network", Path: "/ports?limit=1000&fields=id&fields=device_id&fields=status",
		Items: "ports", Parent: "device_id", Shows: []string{"id", "status"}}},
	Sample: `serverRef: {name: web}
portRef: {name: web-storage}`,
}
