//go:build apiserver

package neutron_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func TestServerPromises(t *testing.T) { kind().ServerPromises(t, live) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"database": {"spec: {database: null}", "spec.database: Required value"},
			"identity": {"spec: {identity: null}", "spec.identity: Required value"},
			"bus":      {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
			"ovn":      {"spec: {ovn: null}", "spec.ovn: Required value"},
			"mtu":      {"spec: {mtu: 500}", "spec.mtu"},
			"domain":   {"spec: {dnsDomain: cloud.example.org.}", "without the dot at its end"},
			"resolver": {"spec: {dnsServers: [dns.example.org]}", "a DNS server is an IP address"},
			"physnet":  {"spec: {physicalNetworks: [{name: 'a:b'}]}", "letters, digits, dashes and underscores"},
			"vlans":    {"spec: {physicalNetworks: [{name: a, vlans: ['200:100']}]}", "a first and a last VLAN id"},
			"vlan":     {"spec: {physicalNetworks: [{name: a, vlans: ['1:5000']}]}", "a first and a last VLAN id"},
			"worker":   {"spec: {rpc: {replicas: -1}}", "spec.rpc.replicas"},
		})
		neutron := p.Object(kind().Object)
		servicetest.Must(t, unstructured.SetNestedField(neutron.Object, "other", "spec", "ovn"))
		servicetest.Denied(t, servicetest.Update(p, neutron), "ovn cannot be changed")
	})
}
