package rabbitmq

import (
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
)

// Ports of a broker's pods.
const (
	PortTLS   = 5671
	PortPlain = 5672
	// Members find each other's port with epmd and talk on the distribution port.
	portEPMD         = 4369
	portDistribution = 25672
)

// maxReplicas is how many members there may be.
const maxReplicas = 3

// Headless is the Service that resolves to all members, ready or not.
func Headless(name string) string { return name + "-members" }

// AgentSecret holds the certificates of the members' agents and of those who call them.
func AgentSecret(name string) string { return name + "-agent" }

// TLSSecret holds the broker's certificate and ca.crt.
func TLSSecret(name string) string { return name + "-tls" }

func cookieSecret(name string) string { return name + "-cookie" }
func configMap(name string) string    { return name + "-config" }

// serviceAccount has no rights.
func serviceAccount(r *infrav1.RabbitMQ) string { return r.Name + "-rabbitmq" }

func caSecret(r *infrav1.RabbitMQ) string {
	if r.Spec.TLS.CASecret != "" {
		return r.Spec.TLS.CASecret
	}
	return r.Name + "-ca"
}

func domain(name, namespace string) string { return Headless(name) + "." + namespace + ".svc" }

// Pods are the members' pods.
func Pods(name string, replicas int32) []string { return member.Pods(name, replicas) }

// Host is the DNS name of a member.
func Host(r *infrav1.RabbitMQ, pod string) string { return pod + "." + domain(r.Name, r.Namespace) }

// Hosts are the DNS names of all members.
func Hosts(r *infrav1.RabbitMQ) []string {
	pods := Pods(r.Name, r.Spec.Replicas)
	for i, p := range pods {
		pods[i] = Host(r, p)
	}
	return pods
}

// Port of AMQP.
func Port(r *infrav1.RabbitMQ) int32 {
	if r.Spec.TLS.Disabled {
		return PortPlain
	}
	return PortTLS
}

// certificateNames are those by which clients and members know a member. Erlang does not take a wildcard for a name, so
// every member that there may be is named.
func certificateNames(r *infrav1.RabbitMQ) []string {
	names := pki.ServiceNames(r.Name, r.Namespace)
	for _, p := range Pods(r.Name, maxReplicas) {
		names = append(names, Host(r, p), Host(r, p)+".cluster.local")
	}
	return names
}

func agentNames(r *infrav1.RabbitMQ) []string { return pki.PodNames(Headless(r.Name), r.Namespace) }

func labels(r *infrav1.RabbitMQ) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "rabbitmq", "app.kubernetes.io/instance": r.Name}
}
