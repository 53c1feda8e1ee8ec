package libvirt

import "strings"

// Files of libvirt's options.
const (
	FileDaemon = "libvirtd.conf"
	FileGuests = "qemu.conf"
)

// Own tells why an option of a file is the operator's alone, and empty of all others. These are what the agent writes,
// and what says otherwise than that.
func Own(file, option string) string {
	const (
		sockets  = "nova-compute and the agent call libvirt by its socket"
		callers  = "hosts of the block call each other by TLS, with certificates that the operator makes"
		screens  = "screens are shown by TLS to the proxies of the cell, who have certificates for that"
		logs     = "the log is that of the pod"
		identity = "a host keeps the number that it has made for itself"
		outlive  = "servers outlive the pod of libvirt by it"
		rights   = "guests run as a user without rights, who owns what the agent gives them"
	)
	reasons := map[string]map[string]string{
		FileDaemon: {
			"unix_sock_": sockets, "auth_unix_": sockets,
			"listen_": callers, "tls_port": callers, "tcp_": callers, "auth_tls": callers, "auth_tcp": callers,
			"key_file": callers, "cert_file": callers, "ca_file": callers, "tls_no_": callers,
			"log_outputs": logs, "host_uuid": identity, "host_uuid_source": identity,
		},
		FileGuests: {
			"migration_": callers, "migrate_tls_": callers, "default_tls_": callers,
			"vnc_": screens,
			"user": rights, "group": rights, "dynamic_ownership": rights, "clear_emulator_capabilities": rights,
			"security_": outlive, "remember_owner": outlive,
			"cgroup_": outlive, "namespaces": outlive, "stdio_handler": outlive,
		},
	}
	for begin, why := range reasons[file] {
		if option == begin || strings.HasSuffix(begin, "_") && strings.HasPrefix(option, begin) {
			return why
		}
	}
	return ""
}
