package buildingblock_test

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
)

// where a certificate is valid.
func valid(p *kittest.Play) []string {
	p.T.Helper()
	block, _ := pem.Decode([]byte(servicetest.Secret(p, "rack-a-hosts-tls")["tls.crt"]))
	if block == nil {
		p.T.Fatal("the hosts have no certificate")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	servicetest.Must(p.T, err)
	if !slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageServerAuth) ||
		!slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageClientAuth) {
		p.T.Errorf("the certificate is for %v, and hosts both call and are called", cert.ExtKeyUsage)
	}
	out := []string{}
	for _, ip := range cert.IPAddresses {
		out = append(out, ip.String())
	}
	slices.Sort(out)
	return out
}

// The hosts of a block know each other by a certificate with the addresses of all of them, and of no other node. It
// follows the nodes without a restart of anything.
func TestHostsKnowEachOther(t *testing.T) {
	s := scenario(t, "libvirt", "spec: {hosts: {nodeSelector: {example.org/rack: null, example.org/row: one}}}")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		if diff := cmp.Diff([]string{"10.0.0.1", "10.0.0.2"}, valid(p)); diff != "" {
			t.Error(diff)
		}
		got := strings.Join(servicetest.Writes(p, func() {
			node := p.Object("Node/node-2")
			servicetest.Must(p.T, unstructured.SetNestedSlice(node.Object, []any{
				map[string]any{"type": "InternalIP", "address": "10.0.0.3"}}, "status", "addresses"))
			servicetest.Must(p.T, p.Client.Status().Update(p.T.Context(), node))
		}), " ")
		if got != "secrets/rack-a-hosts-tls" {
			t.Errorf("a node has another address, and written were %s", got)
		}
		if diff := cmp.Diff([]string{"10.0.0.1", "10.0.0.3"}, valid(p)); diff != "" {
			t.Error(diff)
		}
		p.Change("Node/node-2", "metadata.labels", map[string]any{})
		p.Settle()
		if diff := cmp.Diff([]string{"10.0.0.1"}, valid(p)); diff != "" {
			t.Error(diff)
		}
	})
}

// A host that leaves with servers on it can still be left by them.
func TestAHostThatIsKeptIsKnown(t *testing.T) {
	s := scenario(t, "libvirt", "spec: {"+row+"}")
	s.Children["Hypervisor"] = hosting("True", "Ready", "", "")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		hold(p, hostTwo)
		p.Behave("Hypervisor/node-2", occupied("node-2"))
		p.Change("Node/node-2", "metadata.labels", map[string]any{})
		p.Settle()
		if diff := cmp.Diff([]string{"10.0.0.1", "10.0.0.2"}, valid(p)); diff != "" {
			t.Error(diff)
		}
	})
}

// Nova makes disks in the pool, and libvirt knows the key by the id that Nova has from the same Secret.
func TestDisksInACeph(t *testing.T) {
	patch := "spec: {storage: {rbd: {secret: ceph-nova, pool: vms}}, libvirt: {ceph: [{secret: ceph-cinder}]}}"
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Ready()
		files := servicetest.Secret(p, "rack-a-config")
		for _, name := range []string{"ceph-disks.conf", "ceph-disks.keyring"} {
			kittest.Golden(t, "testdata/"+name, files[name])
		}
		kittest.Golden(t, "testdata/disks.conf", files["block.conf"])
		_, id, _ := strings.Cut(files["block.conf"], "rbd_secret_uuid = ")
		id, _, _ = strings.Cut(id, "\n")
		keys := servicetest.Secret(p, "rack-a-keys")
		if len(keys) != 2 || keys[id] == "" {
			t.Errorf("Nova asks for the key %s, and libvirt has %d keys, that one: %t", id, len(keys), keys[id] != "")
		}
		before := p.Object("DaemonSet/cloud/rack-a-compute").GetResourceVersion()
		p.Change("Secret/cloud/ceph-nova", "data.key", "QW5vdGhlcg==")
		p.Settle()
		if p.Object("DaemonSet/cloud/rack-a-compute").GetResourceVersion() == before {
			t.Error("the key is another one, and nova-compute goes on with the one before")
		}
	})
}

// A Secret that comes to say of which Ceph it is gives the key another id, and servers that run remember the one
// before.
func TestKeysKeepTheIDsThatServersRemember(t *testing.T) {
	patch := "spec: {libvirt: {ceph: [{secret: rook}, {secret: rook-of-another}]}}"
	kittest.New(t, scenario(t, "libvirt", patch)).Run(t, func(p *kittest.Play) {
		p.Settle()
		keys := func(want map[string]string) {
			t.Helper()
			p.Settle()
			if diff := cmp.Diff(want, servicetest.Secret(p, "rack-a-keys")); diff != "" {
				t.Errorf("the keys differ (-want +got):\n%s", diff)
			}
			p.Ready()
		}
		const first, second, third = "QVFBRHJvb2tz", "AQBOdGhlcg==", "AQBThird=="
		one, other, old := service.SecretID("one", "volumes"), service.SecretID("other", "volumes"),
			service.SecretID("", "volumes")
		p.Change(rack, "spec.libvirt.ceph", []any{map[string]any{"secret": "rook"}})
		keys(map[string]string{old: first})
		p.Change("Secret/cloud/rook", "data.fsid", "b25l")
		p.Change("Secret/cloud/rook-of-another", "data.fsid", "b3RoZXI=")
		p.Change(rack, "spec.libvirt.ceph", []any{map[string]any{"secret": "rook"},
			map[string]any{"secret": "rook-of-another"}})
		keys(map[string]string{one: first, other: second, old: first})
		p.Change(rack, "spec.libvirt.ceph", []any{map[string]any{"secret": "rook"}})
		keys(map[string]string{one: first, old: first})
		p.Change("Secret/cloud/rook", "data.volumes", "QVFCVGhpcmQ9PQ==")
		keys(map[string]string{one: third, old: third})
	})
}
