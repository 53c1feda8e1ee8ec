package galera

import (
	"maps"
	"slices"
	"strings"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// Where things are in a member's container.
const (
	configDir = "/etc/stackwright/mariadb"
	agentDir  = "/etc/stackwright/agent"
	tlsDir    = "/etc/stackwright/tls"
	volumeDir = "/var/lib/mysql"
	runDir    = "/run/mysqld"
)

type option struct{ name, value string }

// defaults are options that a person may set otherwise.
func defaults() []option {
	return []option{
		{"character_set_server", "utf8mb4"},
		{"collation_server", "utf8mb4_general_ci"},
		{"max_connections", "2000"},
		{"innodb_buffer_pool_size", "256M"},
		// An acknowledged write survives the death of every process and, unlike with 2, a power cut of all nodes.
		{"innodb_flush_log_at_trx_commit", "1"},
		// MariaDB 11.8 switched it on, and Neutron fails with error 1020 then.
		{"innodb_snapshot_isolation", "OFF"},
		{"performance_schema", "OFF"},
		{"max_allowed_packet", "64M"},
		{"connect_timeout", "10"},
	}
}

// owned are options that the operator needs as they are.
func owned(g *infrav1.Galera) []option {
	o := []option{
		{"bind_address", "0.0.0.0"},
		{"port", "3306"},
		{"skip_name_resolve", "ON"},
		// The agent opens the one member that takes writes.
		{"read_only", "ON"},
		{"binlog_format", "ROW"},
		{"default_storage_engine", "InnoDB"},
		{"innodb_autoinc_lock_mode", "2"},
		{"plugin_load_add", "wsrep_info"},
		{"wsrep_on", "ON"},
		{"wsrep_provider", "/usr/lib/galera/libgalera_smm.so"},
		{"wsrep_cluster_name", g.Name},
		{"wsrep_cluster_address", "gcomm://"},
		{"wsrep_slave_threads", "4"},
		// A donor goes on serving while it is copied.
		{"wsrep_sst_method", "mariabackup"},
		{"wsrep_sst_auth", "mysql:"},
		{"wsrep_provider_options", `"` + providerOptions(g) + `"`},
	}
	if !g.Spec.TLS.Disabled {
		o = append(o, option{"ssl_ca", tlsDir + "/ca.crt"}, option{"ssl_cert", tlsDir + "/tls.crt"},
			option{"ssl_key", tlsDir + "/tls.key"}, option{"tls_version", "TLSv1.2,TLSv1.3"})
	}
	return o
}

// The agents bring members together, by the operator's order or by asking each other; a primary component that came up
// from a saved view would bypass them.
func providerOptions(g *infrav1.Galera) string {
	o := []string{"pc.recovery=false", "gcache.size=128M", "gcache.recover=yes", "gcs.fc_limit=64"}
	if !g.Spec.TLS.Disabled {
		o = append(o, "socket.ssl=yes", "socket.ssl_ca="+tlsDir+"/ca.crt",
			"socket.ssl_cert="+tlsDir+"/tls.crt", "socket.ssl_key="+tlsDir+"/tls.key")
	}
	return strings.Join(o, ";")
}

// configFile renders the configuration of mariadbd. A person's options come last but for those that we own.
func configFile(g *infrav1.Galera) string {
	var b strings.Builder
	b.WriteString("[mysqld]\n")
	write := func(name, value string) {
		b.WriteString(name + " = " + value + "\n")
	}
	for _, o := range defaults() {
		if _, ok := g.Spec.Config[o.name]; !ok {
			write(o.name, o.value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(g.Spec.Config)) {
		write(k, string(g.Spec.Config[k]))
	}
	for _, o := range owned(g) {
		write(o.name, o.value)
	}
	// A member waits for its turn while another is copied to, however long that takes: after MariaDB's five minutes it
	// would ask on with nobody there to take the copy. Whoever loses its donor is told so by Galera.
	b.WriteString("\n[sst]\nsst-initial-timeout = 0\n")
	if !g.Spec.TLS.Disabled {
		// Copies go over the same certificates; both ends check the other's.
		b.WriteString("ssl-mode = VERIFY_CA\n")
	}
	return b.String()
}

// ConfigFile renders the configuration of mariadbd, for tests that run members without Kubernetes.
func ConfigFile(g *infrav1.Galera) string { return configFile(g) }
