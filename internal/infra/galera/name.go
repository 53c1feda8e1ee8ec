package galera

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
)

// Port of SQL.
const Port = 3306

// Ports between members: copies, group communication, missing transactions.
const (
	portCopy  = 4444
	portGroup = 4567
	portIST   = 4568
)

// maxReplicas is how many members there may be.
const maxReplicas = 3

// Headless is the Service that resolves to all members, ready or not.
func Headless(name string) string { return name + "-pods" }

// Domain in which the members' pods have their names.
func Domain(name, namespace string) string { return Headless(name) + "." + namespace + ".svc" }

// Host is the name at which the writer answers.
func Host(name, namespace string) string { return name + "." + namespace + ".svc" }

// AgentSecret holds the certificates of the members' agents and of those who call them.
func AgentSecret(name string) string { return name + "-agent" }

// TLSSecret holds the members' certificate and ca.crt.
func TLSSecret(name string) string { return name + "-tls" }

func configMap(name string) string { return name + "-config" }

func caSecret(g *infrav1.Galera) string {
	switch {
	case g.Spec.TLS.Disabled:
		return ""
	case g.Spec.TLS.CASecret != "":
		return g.Spec.TLS.CASecret
	}
	return g.Name + "-ca"
}

// Pods are the members' pods.
func Pods(name string, replicas int32) []string {
	var out []string
	for i := range replicas {
		out = append(out, fmt.Sprintf("%s-%d", name, i))
	}
	return out
}

func certificateNames(g *infrav1.Galera) []string {
	return append(pki.ServiceNames(g.Name, g.Namespace), pki.PodNames(Headless(g.Name), g.Namespace)...)
}

func agentNames(g *infrav1.Galera) []string { return pki.PodNames(Headless(g.Name), g.Namespace) }

func labels(g *infrav1.Galera) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "galera", "app.kubernetes.io/instance": g.Name}
}

func meta(g *infrav1.Galera, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: g.Namespace, Labels: labels(g)}
}
