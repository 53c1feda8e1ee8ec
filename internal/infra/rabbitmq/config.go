package rabbitmq

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// Where things are in a member's container.
const (
	configDir = "/etc/stackwright/rabbitmq"
	agentDir  = "/etc/stackwright/agent"
	tlsDir    = "/etc/stackwright/tls"
	cookieDir = "/etc/stackwright/cookie"
	volumeDir = "/var/lib/rabbitmq"
	runDir    = "/run/rabbitmq"
)

const (
	mebibyte = 1 << 20
	gigabyte = 1000 * 1000 * 1000
)

// Config renders the files of the broker's configuration, by name. The agent adds what is secret or changes by itself.
func Config(r *infrav1.RabbitMQ) map[string]string {
	return map[string]string{
		"rabbitmq.conf":       rabbitmqConf(r),
		"advanced.config":     advanced,
		"distribution.config": distribution(),
		"enabled_plugins":     "[rabbitmq_management].\n",
	}
}

// A member that comes back waits five minutes for a majority, not half a minute, before it is started anew; and a cut
// network is noticed after 15 to 25 seconds, not after 45 to 75.
const advanced = `[{rabbit, [{khepri_leader_wait_retry_timeout, 300000}]},
 {kernel, [{net_ticktime, 20}]}].
`

// distribution makes members show each other certificates of the common CA. Erlang reads the files again when the agent
// says that they have changed.
func distribution() string {
	files := fmt.Sprintf(`{cacertfile, "%[1]s/ca.crt"}, {certfile, "%[1]s/tls.crt"}, {keyfile, "%[1]s/tls.key"}`, tlsDir)
	return fmt.Sprintf("[{server, [%s, {verify, verify_peer}, {fail_if_no_peer_cert, true}]},\n"+
		" {client, [%s, {verify, verify_peer}]}].\n", files, files)
}

type line struct{ key, value string }

// defaults are lines that a person may set otherwise.
func defaults() []line {
	return []line{
		{"queue_leader_locator", "balanced"},
		// A member that lost its volume has joined with replicas of all queues; this finds what was missed.
		{"quorum_queue.continuous_membership_reconciliation.enabled", "true"},
		{"quorum_queue.continuous_membership_reconciliation.auto_remove", "false"},
		{"quorum_queue.continuous_membership_reconciliation.interval", "60000"},
	}
}

// owned are lines that the operator needs as they are.
func owned(r *infrav1.RabbitMQ) []line {
	l := []line{
		{"quorum_queue.continuous_membership_reconciliation.target_group_size", fmt.Sprint(r.Spec.Replicas)},
		{"default_queue_type", "quorum"},
		// It holds until the metadata is in Khepri, which does the same by itself.
		{"cluster_partition_handling", "pause_minority"},
		{"cluster_name", r.Namespace + "/" + r.Name},
		{"log.console", "true"},
		{"log.console.level", "info"},
		{"log.connection.level", "warning"},
		{"log.file", "false"},
		{"management_agent.disable_metrics_collector", "true"},
		{"vm_memory_high_watermark.absolute", fmt.Sprint(watermark(r.Spec.Resources))},
		{"disk_free_limit.absolute", fmt.Sprint(diskLimit(r.Spec.Storage.Size))},
	}
	if r.Spec.TLS.Disabled {
		return append(l, line{"listeners.tcp.default", fmt.Sprint(PortPlain)})
	}
	return append(l,
		line{"listeners.tcp", "none"},
		line{"listeners.ssl.default", fmt.Sprint(PortTLS)},
		line{"ssl_options.cacertfile", tlsDir + "/ca.crt"},
		line{"ssl_options.certfile", tlsDir + "/tls.crt"},
		line{"ssl_options.keyfile", tlsDir + "/tls.key"},
		line{"ssl_options.versions.1", "tlsv1.3"},
		line{"ssl_options.versions.2", "tlsv1.2"},
		line{"ssl_options.verify", "verify_none"},
		line{"ssl_options.fail_if_no_peer_cert", "false"},
	)
}

// watermark is how much memory the broker takes before it stops publishers: 60 % of the container's limit. Without a
// limit it is twice what the pod asks for, and at least 512 MiB.
func watermark(r corev1.ResourceRequirements) int64 {
	if limit := r.Limits.Memory().Value(); limit > 0 {
		return limit / 10 * 6
	}
	return max(2*r.Requests.Memory().Value(), 512*mebibyte)
}

// diskLimit is how much must be free on the volume before the broker stops publishers: a tenth, at most 2 GB.
func diskLimit(size resource.Quantity) int64 {
	return max(min(size.Value()/10, 2*gigabyte), 50*1000*1000)
}

// rabbitmqConf renders rabbitmq.conf. A person's lines come last but for those that we own.
func rabbitmqConf(r *infrav1.RabbitMQ) string {
	var b strings.Builder
	for _, l := range defaults() {
		if _, ok := r.Spec.Config[l.key]; !ok {
			b.WriteString(l.key + " = " + l.value + "\n")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(r.Spec.Config)) {
		b.WriteString(k + " = " + string(r.Spec.Config[k]) + "\n")
	}
	for _, l := range owned(r) {
		b.WriteString(l.key + " = " + l.value + "\n")
	}
	return b.String()
}
