//go:build apiserver

package ovnchassis_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func onServer(t *testing.T) *kittest.World {
	t.Helper()
	s := scenario(t)
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T)  { onServer(t).Ready(t) }
func TestServerBudget(t *testing.T) { onServer(t).Budget(t, 0, 0) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	mapping := func(what string) string { return "bridgeMappings: [" + what + "]" }
	onServer(t).Run(t, func(p *kittest.Play) {
		for spec, want := range map[string]string{
			"nodeSelector: {}":                                 "spec.nodeSelector",
			"ovn: ''":                                          "spec.ovn",
			"datapath: DPDK":                                   "spec.datapath",
			"maxUnavailable: 0":                                "maxUnavailable is a number from 1 on",
			"maxUnavailable: 150%":                             "maxUnavailable is a number from 1 on",
			"tunnel: {interface: 'eth 1'}":                     "tunnel.interface is the name of a NIC",
			mapping("{physicalNetwork: 'a:b'}"):                "letters, digits, dashes, dots and underscores",
			mapping("{physicalNetwork: int}"):                  "give the mapping a bridge",
			mapping("{physicalNetwork: much-too-long}"):        "give the mapping a bridge",
			mapping("{physicalNetwork: a, bridge: br-int}"):    "is not br-int or br-tunnel",
			mapping("{physicalNetwork: a, address: 10.0.0.1}"): "address is one with its prefix length",
			mapping("{physicalNetwork: a, bridge: b}, {physicalNetwork: c, bridge: b}"):       "every physical network has",
			mapping("{physicalNetwork: a, interface: e}, {physicalNetwork: c, interface: e}"): "a NIC is a port of one bridge",
			mapping("{physicalNetwork: a, interface: e}") + "\ntunnel: {interface: e}":        "a NIC is a port of one bridge",
		} {
			err := p.Client.Create(t.Context(), other(t, spec))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the answer is %v\nwant %s", spec, err, want)
			}
		}
		have := p.Object(set)
		patch := client.MergeFrom(have.DeepCopy())
		if err := unstructured.SetNestedField(have.Object, "another", "spec", "ovn"); err != nil {
			t.Fatal(err)
		}
		err := p.Client.Patch(t.Context(), have, patch)
		if err == nil || !strings.Contains(err.Error(), "ovn cannot change") {
			t.Errorf("another OVN: the answer is %v", err)
		}
	})
}

// other is an object that has these fields instead of good ones.
func other(t *testing.T, spec string) *unstructured.Unstructured {
	t.Helper()
	fields := map[string]any{"ovn": "ovn", "image": "images.test/ovn-chassis:1", "nodeSelector": map[string]any{"a": "b"}}
	if err := yaml.Unmarshal([]byte(spec), &fields); err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "infra.stackwright.dev/v1alpha1",
		"kind": "OVNChassis", "spec": fields}}
	u.SetName("other")
	u.SetNamespace("cloud")
	return u
}
