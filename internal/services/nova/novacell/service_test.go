package novacell_test

import (
	"strings"
	"testing"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/nova/novacell"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "NovaCell/cloud/cell1", Service: "novacell", Option: "libvirt.virt_type", Value: "qemu",
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(novacell.Definition(cluster), operator.Scheme())
		},
		Workers: []string{"conductor", "console"}, Part: true,
		Follows: []string{"secrets/cell1-compute"},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }
func TestLongName(t *testing.T) { infratest.LongName(t, kind().Scenario(t, ""), kind().Object) }

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		secret := servicetest.Secret(p, "cell1-metadata")["password"]
		for _, name := range []string{"config", "compute"} {
			file := servicetest.Secret(p, "cell1-"+name)["nova.conf"]
			kittest.Golden(t, "testdata/"+name+".conf", strings.ReplaceAll(file, secret, "HIDDEN"))
		}
		kittest.Golden(t, "testdata/uwsgi.ini", servicetest.Secret(p, "cell1-config")["uwsgi.ini"])
	})
}

func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"plain":   "spec: {tls: {disabled: true}}",
		"exposed": "spec: {expose: {hostname: console.example.org}}",
		"workers": "spec: {replicas: 2, conductor: {replicas: 3}, console: {replicas: 2}}",
	})
}

// Hosts of a cell are told how to reach others, and nothing by which they could act for all of the cell.
func TestHostsAreToldNoMoreThanTheyNeed(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		compute := servicetest.Secret(p, "cell1-compute")
		for _, hidden := range []string{"[database]", "nova_cell1-db-password", optionSecret,
			servicetest.Secret(p, "cell1-metadata")["password"], "/etc/stackwright/keystone", "/etc/stackwright/bus"} {
			if strings.Contains(compute["nova.conf"], hidden) {
				t.Errorf("hosts are told %s", hidden)
			}
		}
		for _, told := range []string{
			"transport_url = rabbit://nova-cell1:nova-cell1-bus-password@mq.cloud.svc:5671/nova-cell1\n",
			"ssl_ca_file = /etc/stackwright/compute/ca.crt\n", "cafile = /etc/stackwright/compute/ca.crt\n",
			"novncproxy_base_url = https://",
		} {
			if !strings.Contains(compute["nova.conf"], told) {
				t.Errorf("hosts are not told %s", told)
			}
		}
		if compute["ca.crt"] != "ca" || len(compute["hash"]) != 16 {
			t.Errorf("the authorities are %q, the hash is %q", compute["ca.crt"], compute["hash"])
		}
	})
}

// Hosts let the proxies in by a certificate that nobody else has. Another one is nothing to the cell's other programs.
func TestProxiesAreKnownByACertificate(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		if told := servicetest.Secret(p, "cell1-compute")["nova.conf"]; strings.Contains(told, "vencrypt") {
			t.Errorf("hosts are told where the proxies' certificate is:\n%s", told)
		}
		got := strings.Join(servicetest.Writes(p, func() { p.Remove("Secret/cloud/cell1-console-tls") }), " ")
		if want := "deployments/cell1-console secrets/cell1-console-tls"; got != want {
			t.Errorf("of a new certificate follow %s, want %s", got, want)
		}
	})
}

const optionSecret = "metadata_proxy_shared_secret"
