package nova

import (
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/oslo"
)

const policyFile = "policy.yaml"

// policy lets services tell Nova what has happened, such as Neutron that a port is plugged: by itself Nova listens to
// administrators only. To let the role into policies/server_external_events.py is not enough, as others than
// administrators find servers of the own project only (db/main/api.py instance_get_all_by_filters_sort).
const policy = `"context_is_admin": "role:admin or role:service"
`

// Files lie beside the configuration file.
func Files() map[string][]byte {
	out := map[string][]byte{policyFile: []byte(policy)}
	for _, name := range []string{"nova.py", "scheduler.py", "bus.py"} {
		out[prefix+name], _ = programs.ReadFile(name) // what is embedded is there
	}
	return out
}

// Logins are the services that Nova's programs ask, and those as which they vouch for their users.
func Logins() []string {
	return []string{"cinder", "keystone", "neutron", "placement", "service_user", service.KeyUser}
}

// Common is what all programs of Nova have in common.
func Common(f *oslo.File, notifications bool) {
	f.Set(oslo.Default, "state_path", Home)
	f.Set("oslo_concurrency", "lock_path", Home+"/lock")
	for _, other := range []string{"glance", "keystone", "neutron", "placement"} {
		f.Set(other, "valid_interfaces", "internal")
	}
	f.Set("cinder", "catalog_info", "block-storage::internalURL")
	f.Set("service_user", "send_service_user_token", true)
	// While an upgrade lasts, programs speak as the oldest compute host understands.
	f.Set("upgrade_levels", "compute", "auto")
	f.Set("conductor", "workers", 1)
	if notifications {
		service.Notify(f)
		// Flavors, and who may use them, are told of in the new format alone; who reads the old one goes on.
		f.Set("notifications", "notification_format", "both")
	}
	trust(f)
}

// trust says by which authority and in which region images are found, for which Nova asks as the user.
func trust(f *oslo.File) {
	for _, option := range []string{"cafile", "region_name"} {
		if value, ok := f.Value("neutron", option); ok {
			f.Set("glance", option, value)
		}
	}
}

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	Common(f, s.Owner().Spec.Notifications)
	service.Connect(f, "database", s.Content(refCell0))
	f.Set("oslo_policy", "policy_file", service.Folder+"/config/"+policyFile)
	f.Set("scheduler", "workers", 1)
	// Schedulers look for hosts that no cell has yet. The second of two that find one at a time warns in its log.
	f.Set("scheduler", "discover_hosts_in_cells_interval", 10)
	// By default it would begin to look after a random part of a minute.
	f.Set(oslo.Default, "periodic_fuzzy_delay", 0)
	// A quota is counted although a cell does not answer.
	f.Set("quota", "count_usage_from_placement", true)
}

// cellOf makes the object of a cell.
func cellOf(n *nova, c servicev1.Cell) *servicev1.NovaCell {
	made := &servicev1.NovaCell{}
	made.Name, made.Namespace = cellName(n, c.Name), n.Namespace
	made.Spec = servicev1.NovaCellSpec{
		CommonSpec: *n.Spec.CommonSpec.DeepCopy(), Nova: n.Name, Database: n.Spec.Database, Identity: n.Spec.Identity,
		RabbitMQ: n.Spec.RabbitMQ, Memcached: n.Spec.Memcached, Notifications: n.Spec.Notifications,
		CellSettings: *c.CellSettings.DeepCopy(),
	}
	if c.Galera != "" {
		made.Spec.Database.Galera = c.Galera
	}
	if c.RabbitMQ != "" {
		made.Spec.RabbitMQ = c.RabbitMQ
	}
	// What servers ask about themselves is little beside what users ask the API.
	made.Spec.Workers = max(1, made.Spec.Workers/2)
	// A certificate that somebody gives for Nova has none of the cell's names.
	made.Spec.Replicas, made.Spec.Expose, made.Spec.TLS.Secret = c.Metadata.Replicas, *c.Expose.DeepCopy(), ""
	if len(c.Metadata.Resources.Requests) > 0 || len(c.Metadata.Resources.Limits) > 0 {
		made.Spec.Resources = *c.Metadata.Resources.DeepCopy()
	}
	return made
}
