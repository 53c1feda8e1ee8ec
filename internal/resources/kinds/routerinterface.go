package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// RouterInterface connects a router with a subnet. What exists is a port that the router owns.
var RouterInterface = d.Kind{
	Name: "RouterInterface", Plural: "routerinterfaces", Service: "network", Shape: d.Relation,
	Doc: "RouterInterface connects a router with a subnet.", Key: []string{"router_id", "subnet_id", "port_id"},
	Path: "/ports", Items: "ports", Events: []string{"router.interface"}, OneOf: [][]string{{"subnet_id", "port_id"}},
	Create: d.Create{Method: "PUT", Path: "/routers/{router_id}/add_router_interface",
		Body: `{"subnet_id": {subnet_id}, "port_id": {port_id}}`},
	Delete: d.Request{Method: "PUT", Path: "/routers/{router_id}/remove_router_interface",
		Body: `{"subnet_id": {subnet_id}, "port_id": {port_id}}`},
	Fields: []d.Field{
		{API: "router_id", In: "device_id", Ref: "Router", Required: true, CreateOnly: true,
			Doc: "Router that is connected."},
		{API: "subnet_id", In: "fixed_ips.0.subnet_id", Ref: "Subnet", CreateOnly: true,
			Doc: "Subnet, whose gateway the router becomes."},
		{API: "port_id", In: "id", Ref: "Port", CreateOnly: true, Doc: "Port, for another address than the gateway's."},
	},
	// Owners of the ports of common, highly available and distributed routers.
	List: d.List{Page: 1000, Query: "device_owner=network:router_interface" +
		"&device_owner=network:ha_router_replicated_interface&device_owner=network:router_interface_distributed"},
	Sample: `routerRef: {name: web}
subnetRef: {name: web}`,
}
