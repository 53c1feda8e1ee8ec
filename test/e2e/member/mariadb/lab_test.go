//go:build e2e

// Package mariadb_test runs three agents with real MariaDB in network namespaces, without Kubernetes.
package mariadb_test

import (
	"os"
	"testing"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Names inside of the test's own network.
const (
	cluster = "galera"
	domain  = "galera-pods.test.svc"
	fabric  = "swg-fab"
	members = 3
)

func TestMain(m *testing.M) { os.Exit(story.Inside(m, fabric, "10.77.0.254/24")) }

// newLab makes members with the configuration that the operator writes, and with more of it at its end.
func newLab(t *testing.T, more string) *story.Lab {
	t.Helper()
	g := &infrav1.Galera{}
	g.Name, g.Spec.Replicas = cluster, members
	return story.NewLab(t, story.Service{Image: "mariadb", ID: 42434, Name: cluster, Domain: domain,
		Names: []string{cluster, "*." + domain}, Fabric: fabric, Link: "swg", Subnet: "10.77.0.", Data: "/var/lib/mysql",
		Sockets: "/run/mysqld", Files: map[string]string{"/etc/stackwright/mariadb/my.cnf": galera.ConfigFile(g) + more},
		Command: []string{"mariadb", "--domain=" + domain, "--tls=/etc/stackwright/tls"}}, members)
}
