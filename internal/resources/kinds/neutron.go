package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Most of Neutron's resources have tags, which only ports take when they are made (as of 2025.1).
var (
	neutronTag   = d.Marker{Channel: d.MarkByTagLater, Field: "tags", Single: true}
	neutronKey   = []string{"name", "project_id"}
	neutronState = d.State{Path: "status", Ready: []string{"ACTIVE", "DOWN"}, Pending: []string{"BUILD"},
		Error: []string{"ERROR"}}
)

// routed is the refusal of an address as long as its network and the port are not connected.
var routed = []d.Awaited{{Says: "is not reachable from subnet", What: "Router",
	Until: "a router connects the two: one whose external gateway is in the network of the floating IP, with a " +
		"RouterInterface in the subnet of the port"}}

// reached are the refusals of an address of an external network: it has no subnet yet, or no router leads to the port.
var reached = append([]d.Awaited{{Says: "does not contain any IPv4 subnet", What: "Subnet",
	Until: "the network has a subnet of IPv4"}}, routed...)

// subnetted is Nova's refusal of a network that has no subnet yet.
var subnetted = []d.Awaited{{Says: "requires a subnet in order to boot", What: "Subnet",
	Until: "the network has a subnet"}}

// Fields that many of Neutron's kinds have.
var (
	neutronDescription = d.Field{API: "description", Max: 1024, Doc: "A sentence for people."}
	neutronTags        = d.Field{API: "tags", Type: d.Strings, Normal: d.Set, Max: 255, Later: true, Via: "tags",
		Doc: "Words by which it is found, at most 50."}
	adminStateUp = d.Field{API: "admin_state_up", Type: d.Bool, Doc: "Whether it is in operation."}
	projectRef   = d.Field{API: "project_id", Ref: "Project", CreateOnly: true,
		Doc: "Project that owns it; that of the cloud's credentials when empty."}
	qosPolicyRef = d.Field{API: "policy_id", Ref: "QoSPolicy", Required: true, CreateOnly: true,
		Doc: "Policy that has the rule."}
	// Policies are shown with all of their rules.
	qosRules = d.List{Survey: d.Survey{Path: "/qos/policies?limit=1000", Items: "policies", Parent: "id",
		Shows: []string{"rules"}}}
)

var routeFields = []d.Field{
	{API: "destination", Required: true, Max: 64, Normal: d.CIDR, Doc: "Where it leads, as 198.51.100.0/24."},
	{API: "nexthop", As: "nextHop", Required: true, Max: 64, Doc: "Address by which it leads there."},
}

var addressFields = []d.Field{
	{API: "ip_address", As: "ip", Max: 64, Doc: "The address; a free one of the subnet when empty."},
	{API: "subnet_id", Ref: "Subnet", Doc: "Subnet that the address is of."},
}

var dhcpOptionFields = []d.Field{
	{API: "opt_name", As: "name", Required: true, Max: 64, Doc: "Name of the option, such as bootfile-name."},
	{API: "opt_value", As: "value", Required: true, Max: 255, Doc: "Its value."},
	{API: "ip_version", Type: d.Int, Min: 4, HasMin: true, Max: 6, Doc: "Version of IP; 4 when empty."},
}

var ipv6Fields = []d.Field{
	{API: "ipv6_address_mode", As: "addressMode", Enum: ipv6Modes, Doc: "Who gives addresses."},
	{API: "ipv6_ra_mode", As: "raMode", Enum: ipv6Modes, Doc: "What the router announces."},
}

var ipv6Modes = []string{"dhcpv6-stateful", "dhcpv6-stateless", "slaac"}

var vnicTypes = []string{"accelerator-direct", "accelerator-direct-physical", "baremetal", "direct",
	"direct-physical", "macvtap",
	"normal", "remote-managed", "smart-nic", "vdpa", "virtio-forwarder"}

// tagAction replaces all tags of a resource in a collection.
func tagAction(collection string) []d.Action {
	return []d.Action{{Name: "tags",
		Request: d.Request{Method: "PUT", Path: collection + "/{id}/tags", Body: `{"tags": {value}}`}}}
}

// notLater makes a field that is taken at creation.
func notLater(f d.Field) d.Field {
	f.Later = false
	return f
}

// portBinding has the fields of a port that say how it is plugged in.
var portBinding = []d.Field{
	{API: "numa_affinity_policy", Enum: []string{"legacy", "preferred", "required", "socket"},
		Doc: "Whether the card is beside the server's processors."},
	{API: "device_profile", CreateOnly: true, Max: 255, Doc: "Profile of Cyborg for an accelerator."},
	{API: "binding:vnic_type", As: "vnicType", Enum: vnicTypes, Doc: "Kind of card that the server gets."},
	{API: "binding:host_id", As: "hostID", Max: 255, Doc: "Host that it is on; for administrators."},
	{API: "binding:profile", Type: d.JSON, Normal: d.Subset,
		Doc: "What the network's driver is told; for administrators."},
	{API: "propagate_uplink_status", Type: d.Bool, Doc: "Whether the server sees when the host's cable is out."},
	{API: "trusted", As: "trustedVIF", Type: d.Bool,
		Doc: "Whether the server may change the card's settings; for administrators."},
}
