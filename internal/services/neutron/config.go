package neutron

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

const home = "/var/lib/neutron"

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	n := s.Owner()
	f.Set(oslo.Default, "api_paste_config", "/usr/share/neutron-common/api-paste.ini")
	f.Set(oslo.Default, "core_plugin", "ml2")
	f.Set(oslo.Default, "service_plugins", "ovn-router,qos,trunk,port_forwarding,segments,network_ip_availability")
	f.Set(oslo.Default, "global_physnet_mtu", n.Spec.MTU)
	f.Set(oslo.Default, "notify_nova_on_port_status_changes", n.Spec.NotifyNova)
	f.Set(oslo.Default, "notify_nova_on_port_data_changes", n.Spec.NotifyNova)
	f.Set("oslo_policy", "policy_file", service.Folder+"/config/"+policyFile)
	// The ring of OVN's workers is kept once so many of a pod are in it.
	f.Set(oslo.Default, "api_workers", service.Processes(n))
	// No agent of OVN reports its state over the bus.
	f.Set(oslo.Default, "rpc_workers", 1)
	f.Set(oslo.Default, "rpc_state_report_workers", 0)
	if n.Spec.DNSDomain != "" {
		f.Set(oslo.Default, "dns_domain", n.Spec.DNSDomain+".")
	}
	f.Set("oslo_concurrency", "lock_path", home+"/lock")
	networks(n, f)
	databases(s, f)
	for _, other := range []string{"nova", "placement"} {
		f.Set(other, "endpoint_type", "internal")
	}
	if n.Spec.Notifications {
		service.Notify(f)
	}
}

// networks says of which kinds networks can be. Those of projects are tunnels between the nodes.
func networks(n *neutron, f *oslo.File) {
	f.Set("ml2", "mechanism_drivers", "ovn")
	f.Set("ml2", "type_drivers", "local,flat,vlan,geneve")
	f.Set("ml2", "tenant_network_types", "geneve")
	f.Set("ml2", "extension_drivers", "port_security,qos,subnet_dns_publish_fixed_ip")
	f.Set("ml2", "path_mtu", n.Spec.MTU)
	f.Set("ml2", "overlay_ip_version", 4)
	f.Set("ml2_type_geneve", "vni_ranges", "1:65536")
	// Geneve's own 30 bytes and the 8 of OVN's option.
	f.Set("ml2_type_geneve", "max_header_size", 38)
	var flat, vlans, mtus []string
	for _, p := range n.Spec.PhysicalNetworks {
		flat = append(flat, p.Name)
		if len(p.VLANs) == 0 {
			vlans = append(vlans, p.Name)
		}
		for _, r := range p.VLANs {
			vlans = append(vlans, p.Name+":"+string(r))
		}
		if p.MTU != 0 {
			mtus = append(mtus, fmt.Sprintf("%s:%d", p.Name, p.MTU))
		}
	}
	// Left out, it would be any name, and a network on a name that no node knows would never work.
	f.Set("ml2_type_flat", "flat_networks", strings.Join(flat, ","))
	f.Set("ml2_type_vlan", "network_vlan_ranges", strings.Join(vlans, ","))
	f.Set("ml2", "physical_network_mtus", strings.Join(mtus, ","))
}

// databases says where OVN's databases are.
func databases(s *scope, f *oslo.File) {
	o, ok := s.Get(refOVN).(*infrav1.OVN)
	if !ok {
		return
	}
	const section = "ovn"
	for name, connection := range map[string]string{
		"ovn_nb": o.Status.Northbound.Connection, "ovn_sb": o.Status.Southbound.Connection,
	} {
		f.Set(section, name+"_connection", connection)
		f.Set(section, name+"_private_key", service.Folder+"/ovn/tls.key")
		f.Set(section, name+"_certificate", service.Folder+"/ovn/tls.crt")
		f.Set(section, name+"_ca_cert", service.Folder+"/ovn/ca.crt")
	}
	f.Set(section, "dns_servers", strings.Join(resolvers(s.Owner()), ","))
	f.Set(section, "ovn_metadata_enabled", true)
	f.Set(section, "ovn_l3_scheduler", "leastloaded")
	// A database that is away is tried again soon, not after three minutes.
	f.Set(section, "ovsdb_retry_max_interval", 10)
}

// resolvers are the DNS servers that guests are told of by DHCP. Neutron would tell of those of its own pod, which are
// Kubernetes', when it is given none of a family, and of none for the address that is no host's (get_dhcp_dns_servers
// in common/ovn/utils.py).
func resolvers(n *neutron) []string {
	var out []string
	none := map[bool]string{true: "0.0.0.0", false: "::"}
	for _, server := range n.Spec.DNSServers {
		out = append(out, string(server))
		if ip, err := netip.ParseAddr(string(server)); err == nil {
			delete(none, ip.Is4())
		}
	}
	return append(out, slices.Sorted(maps.Values(none))...)
}
