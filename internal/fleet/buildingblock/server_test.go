//go:build apiserver

package buildingblock_test

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func onServer(t *testing.T, name string) *kittest.World {
	t.Helper()
	s := scenario(t, name, "")
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T)  { onServer(t, "libvirt").Ready(t) }
func TestServerBudget(t *testing.T) { onServer(t, "libvirt").Budget(t, 0, 0) }
func TestServerFake(t *testing.T)   { onServer(t, "fake").Ready(t) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	onServer(t, "libvirt").Run(t, func(p *kittest.Play) {
		for name, c := range map[string]struct{ base, patch, want string }{
			"cell":     {"libvirt", "spec: {cell: ''}", "spec.cell"},
			"no nodes": {"libvirt", "spec: {hosts: null}", "driver libvirt needs hosts.nodeSelector"},
			"no ovn":   {"libvirt", "spec: {network: {gateway: true}}", "set ovn, too"},
			"fake ovn": {"fake", "spec: {ovn: network}", "libvirt, ovn and storage belong to driver libvirt"},
			"disks":    {"fake", "spec: {storage: {rbd: {secret: a, pool: b}}}", "libvirt, ovn and storage belong to driver"},
			"no pool":  {"libvirt", "spec: {storage: {rbd: {secret: a}}}", "spec.storage.rbd.pool"},
			"one NIC": {"libvirt", "spec: {ovn: a, network: {tunnel: {interface: e}, bridgeMappings: [{physicalNetwork: p, " +
				"interface: e}]}}", "a NIC is a port of one bridge"},
			"any node": {"libvirt", "spec: {hosts: {nodeSelector: {example.org/rack: null}}}", "spec.hosts.nodeSelector"},
			"both":     {"libvirt", "spec: {fake: {hosts: 3}}", "fake.hosts is the number of hosts of driver fake"},
			"virtType": {"libvirt", "spec: {libvirt: {virtType: xen}}", "spec.libvirt.virtType"},
			"trait":    {"libvirt", "spec: {placement: {traits: [HW_CPU_X86_AVX]}}", "such as CUSTOM_GOLD"},
			"ratio":    {"libvirt", "spec: {placement: {overcommit: {cpu: '0'}}}", "a ratio is a decimal number"},
			"share":    {"libvirt", "spec: {agents: {maxUnavailable: 0%}}", "maxUnavailable is a number of at least 1"},
			"none":     {"libvirt", "spec: {agents: {maxUnavailable: 0}}", "maxUnavailable is a number of at least 1"},
			"driver":   {"fake", "spec: {driver: vmware}", "spec.driver"},
			"no hosts": {"fake", "spec: {fake: null}", "fake.hosts is the number of hosts of driver fake"},
			"too many": {"fake", "spec: {fake: {hosts: 501}}", "spec.fake.hosts"},
			"libvirt":  {"fake", "spec: {libvirt: {virtType: kvm}}", "libvirt, ovn and storage belong to driver libvirt"},
			"name":     {"fake", "metadata: {name: 1st}", "at most 40 lower-case letters"},
		} {
			u := &unstructured.Unstructured{}
			text, err := os.ReadFile(patched(p.T, c.base, c.patch))
			servicetest.Must(p.T, err)
			servicetest.Must(p.T, yaml.Unmarshal(text, &u.Object))
			if name != "name" {
				u.SetName("other")
			}
			p.T.Log(name)
			servicetest.Denied(p.T, p.Client.Create(p.T.Context(), u), c.want)
		}
	})
}

// What a block is cannot be changed: its servers would be lost.
func TestServerRefusesChanges(t *testing.T) {
	onServer(t, "libvirt").Run(t, func(p *kittest.Play) {
		for field, c := range map[string][2]string{
			"cell": {"nova-cell2", "cell cannot be changed"}, "driver": {"fake", "driver cannot be changed"},
		} {
			b := p.Object(rack)
			servicetest.Must(p.T, unstructured.SetNestedField(b.Object, c[0], "spec", field))
			servicetest.Denied(p.T, servicetest.Update(p, b), c[1])
		}
	})
}

// Disks do not move from one place to another because a block says so.
func TestServerRefusesOtherDisks(t *testing.T) {
	s := scenario(t, "libvirt", "spec: {storage: {rbd: {secret: ceph-nova, pool: vms}}}")
	s.Config = live
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		b := p.Object(rack)
		servicetest.Must(p.T, unstructured.SetNestedField(b.Object, "other", "spec", "storage", "rbd", "pool"))
		servicetest.Denied(p.T, servicetest.Update(p, b), "storage.rbd.pool cannot be changed")
		b = p.Object(rack)
		unstructured.RemoveNestedField(b.Object, "spec", "storage")
		servicetest.Denied(p.T, servicetest.Update(p, b), "storage cannot be given to a block or taken from it")
		b = p.Object(rack)
		servicetest.Must(p.T, unstructured.SetNestedField(b.Object, "nova", "spec", "storage", "rbd", "user"))
		servicetest.Must(p.T, servicetest.Update(p, b))
	})
}
