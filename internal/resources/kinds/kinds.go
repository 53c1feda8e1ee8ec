// Package kinds has a descriptor for each kind of OpenStack resource, one file each.
package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Served returns the kinds that the engine keeps and clusters serve.
func Served() []*d.Kind { return All() }

// All returns every kind that is described, parents before children.
func All() []*d.Kind {
	var all []*d.Kind
	for _, service := range services() {
		all = append(all, pointers(service)...)
	}
	return all
}

func pointers(list []d.Kind) []*d.Kind {
	out := make([]*d.Kind, 0, len(list))
	for _, k := range list {
		out = append(out, &k)
	}
	return out
}

func services() [][]d.Kind {
	return [][]d.Kind{
		identity(), keyManager(), image(), network(), blockStorage(), compute(), placement(), loadBalancer(), dns(),
		{Stack},
	}
}

func identity() []d.Kind {
	return []d.Kind{
		Region, Domain, Project, User, Group, GroupMembership, Role, RoleInference, RoleAssignment, Service, Endpoint,
		ApplicationCredential, EC2Credential, RegisteredLimit, Limit,
	}
}

func compute() []d.Kind {
	return []d.Kind{
		Flavor, FlavorAccess, KeyPair, ServerGroup, Server, ServerVolumeAttachment, ServerInterface, HostAggregate,
		AggregateHost, ComputeQuota,
	}
}

func placement() []d.Kind { return []d.Kind{ResourceClass, Trait, ResourceProvider} }

func image() []d.Kind { return []d.Kind{Image, ImageMember} }

func network() []d.Kind {
	return []d.Kind{
		QoSPolicy, QoSBandwidthLimitRule, QoSMinimumBandwidthRule, QoSMinimumPacketRateRule, QoSPacketRateLimitRule,
		QoSDSCPMarkingRule, AddressScope,
		Network, Segment, SubnetPool, Subnet, AddressGroup, SecurityGroup, SecurityGroupRule, Port, Trunk, Router,
		RouterInterface, FloatingIP, PortForwarding, RBACPolicy, NetworkQuota,
	}
}

func blockStorage() []d.Kind {
	return []d.Kind{VolumeQoS, VolumeType, VolumeTypeAccess, Volume, Snapshot, Backup, VolumeQuota}
}

func keyManager() []d.Kind { return []d.Kind{KeyManagerSecret, KeyManagerContainer} }

func loadBalancer() []d.Kind {
	return []d.Kind{
		OctaviaFlavorProfile, OctaviaFlavor, LoadBalancer, Listener, Pool, Member, HealthMonitor, L7Policy, L7Rule,
		LoadBalancerQuota,
	}
}

func dns() []d.Kind {
	return []d.Kind{Zone, RecordSet, TSIGKey, ZoneTransferRequest, ZoneTransferAccept, DNSQuota}
}

// Markers of services.
var (
	// extra: Keystone stores attributes that it does not know, of all but domains and endpoints: it checks its own answers
	// against a schema, and such an attribute would break every list of them.
	extra = d.Marker{Channel: d.MarkByExtra, Field: "stackwright_owner"}
	byKey = d.Marker{Channel: d.MarkByKey}
	// metadata is Nova's and Cinder's, but for backups.
	metadata = d.Marker{Channel: d.MarkByMetadata, Field: "metadata", Single: true}
)

// Fields that many kinds have.
var (
	description = d.Field{API: "description", Max: 1024, Doc: "A sentence for people."}
	domainRef   = d.Field{API: "domain_id", Ref: "Domain", CreateOnly: true,
		Doc: "Domain of the resource; that of the cloud's credentials when empty."}
)

func name(limit int64) d.Field {
	return d.Field{API: "name", Named: true, Max: limit, Doc: "Name in OpenStack; that of the object when empty."}
}

// maxInt is the largest number in most databases of OpenStack.
const maxInt = 1<<31 - 1

// quotaProject is the project that a quota is for.
var quotaProject = d.Field{API: "project_id", Ref: "Project", Own: true, CreateOnly: true,
	Doc: "Project that is limited; that of the cloud's credentials when empty."}

// ownQuotas shows the projects that do not have the defaults, of Neutron and of Octavia.
var ownQuotas = d.List{Survey: d.Survey{Path: "/quotas", Items: "quotas", Parent: "project_id"}}

func quota(api, doc string) d.Field {
	return d.Field{API: api, Type: d.Int, Min: -1, HasMin: true, Max: maxInt, Doc: doc + " -1 is no limit."}
}

// create makes a field that cannot be changed later.
func create(f d.Field) d.Field {
	f.CreateOnly = true
	return f
}
