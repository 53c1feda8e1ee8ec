package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// PortForwarding lets a port of a floating IP lead to a port of a server.
var PortForwarding = d.Kind{
	Name: "PortForwarding", Plural: "portforwardings", Service: "network",
	Path: "/floatingips/{floatingip_id}/port_forwardings",
	Item: "port_forwarding", Items: "port_forwardings",
	Doc: "PortForwarding lets a port of a floating IP lead to a port of a server.",
	Key: []string{"floatingip_id", "protocol", "external_port", "external_port_range"}, Marker: byKey,
	Update: d.Update{Method: "PUT"}, Events: []string{"port_forwarding"},
	Awaits: routed,
	OneOf:  [][]string{{"external_port", "external_port_range"}, {"internal_port", "internal_port_range"}},
	Fields: []d.Field{
		neutronDescription,
		{API: "floatingip_id", As: "floatingIPRef", Ref: "FloatingIP", Required: true, CreateOnly: true,
			Doc: "Address that people connect to."},
		{API: "protocol", Required: true, Enum: []string{"dccp", "icmp", "ipv6-icmp", "sctp", "tcp", "udp"},
			Doc: "Protocol."},
		{API: "internal_port_id", As: "internalPortRef", Ref: "Port", Required: true,
			Doc: "Port in Neutron that it leads to."},
		{API: "internal_ip_address", As: "internalIP", Required: true, Max: 64, Doc: "Address of that port."},
		{API: "external_port", Type: d.Int, Min: 1, HasMin: true, Max: 65535, Doc: "Number that people connect to."},
		{API: "internal_port", Type: d.Int, Min: 1, HasMin: true, Max: 65535, Doc: "Number that the server listens on."},
		{API: "external_port_range", Max: 11, Pattern: "^[0-9]+(:[0-9]+)?$",
			Doc: "Numbers that people connect to, as 8000:8010."},
		{API: "internal_port_range", Max: 11, Pattern: "^[0-9]+(:[0-9]+)?$",
			Doc: "Numbers that the server listens on: as many, or one."},
	},
	Sample: `floatingIPRef: {name: shared}
protocol: tcp
externalPort: 2222
internalPortRef: {name: web}
internalIP: 192.0.2.10
internalPort: 22`,
}
