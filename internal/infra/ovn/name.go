package ovn

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
)

// database is one of OVN's two.
type database struct {
	// short is in the names of its objects and steps, title in the conditions.
	short, title string
	// name and schema as ovsdb-server knows them.
	name, schema string
	// port for clients, raft for members.
	port, raft int32
}

// schemas is where the package has them.
const schemas = "/usr/share/ovn/"

// databases are OVN's two. The ports are those that its own scripts use.
func databases() []database {
	return []database{
		{"nb", "Northbound", "OVN_Northbound", schemas + "ovn-nb.ovsschema", 6641, 6643},
		{"sb", "Southbound", "OVN_Southbound", schemas + "ovn-sb.ovsschema", 6642, 6644},
	}
}

// set is the name of the database's StatefulSet.
func (d database) set(o object) string { return o.Name + "-" + d.short }

func (d database) headless(o object) string { return d.set(o) + "-members" }

func (d database) domain(o object) string {
	return d.headless(o) + "." + o.Namespace + ".svc." + o.Spec.ClusterDomain
}

func (d database) step(what string) string { return d.short + "-" + what }

func (d database) pods(o object) []string { return member.Pods(d.set(o), o.Spec.Replicas) }

func (d database) labels(o object) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "ovn", "app.kubernetes.io/instance": o.Name,
		"app.kubernetes.io/component": d.short}
}

func (d database) meta(o object, name string) metav1.ObjectMeta { return meta(o, name, d.labels(o)) }

// Connection is how clients reach all members of a database.
func (d database) connection(o object) string {
	var out []string
	for _, p := range d.pods(o) {
		out = append(out, fmt.Sprintf("ssl:%s.%s:%d", p, d.domain(o), d.port))
	}
	return strings.Join(out, ",")
}

func meta(o object, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: o.Namespace, Labels: labels}
}

func northdLabels(o object) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "ovn", "app.kubernetes.io/instance": o.Name,
		"app.kubernetes.io/component": "northd"}
}

func northdName(o object) string { return o.Name + "-northd" }

// CASecret has the CA that signs the certificates of members and clients.
func CASecret(o *infrav1.OVN) string {
	if o.Spec.CASecret != "" {
		return o.Spec.CASecret
	}
	return o.Name + "-ca"
}

// AgentSecret holds the certificates of the members' agents and of those who call them.
func AgentSecret(name string) string { return name + "-agent" }

// ClientSecret holds a certificate by which clients such as Neutron write both databases.
func ClientSecret(name string) string { return name + "-client" }

// TLSSecret holds the certificate of members and of northd.
func TLSSecret(name string) string { return name + "-tls" }

// serviceAccount has no rights.
func serviceAccount(o object) string { return o.Name + "-ovn" }

// hosts are wildcards for all members.
func hosts(o object) []string {
	var out []string
	for _, d := range databases() {
		out = append(out, pki.PodNames(d.headless(o), o.Namespace)...)
		if o.Spec.ClusterDomain != "cluster.local" {
			out = append(out, "*."+d.domain(o))
		}
	}
	return out
}

// SouthboundHosts are the names of the members of the southbound database, whose agents know of chassis.
func SouthboundHosts(o *infrav1.OVN) []string {
	d := databases()[1]
	out := d.pods(o)
	for i, p := range out {
		out[i] = p + "." + d.domain(o)
	}
	return out
}
