package buildingblock_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

// The metadata agent knows where the cell's API is and by which password; what else the cell's hosts know it does not.
func TestMetadata(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "spec: {ovn: network}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		kittest.Golden(t, "testdata/metadata.conf", servicetest.Secret(p, "rack-a-metadata")["metadata.conf"])
		cell := p.Object("NovaCell/cloud/nova-cell1")
		servicetest.Must(t, unstructured.SetNestedField(cell.Object, "https://elsewhere.example.org", "status", "endpoints",
			"internal"))
		servicetest.Must(t, p.Client.Status().Update(p.T.Context(), cell))
		p.Settle()
		after := servicetest.Secret(p, "rack-a-metadata")["metadata.conf"]
		if !strings.Contains(after, "nova_metadata_port = 443\n") ||
			!strings.Contains(after, "nova_metadata_host = elsewhere.example.org\n") {
			t.Errorf("the cell has moved, and the agent asks\n%s", after)
		}
		p.Change(rack, "spec.agents.metadata.config", map[string]any{"DEFAULT": map[string]any{"metadata_workers": int64(3)},
			"metadata_rate_limiting": map[string]any{"rate_limit_enabled": true}})
		p.Settle()
		p.Ready()
		after = servicetest.Secret(p, "rack-a-metadata")["metadata.conf"]
		if !strings.Contains(after, "metadata_workers = 3\n") || !strings.Contains(after, "rate_limit_enabled = true\n") {
			t.Errorf("options are asked for, and the agent has\n%s", after)
		}
	})
}

// Metadata agents end when the southbound database is formed anew, which a connection that was open never takes. What
// becomes of the other database does not concern them.
func TestMetadataTakesAnotherDatabase(t *testing.T) {
	kittest.New(t, scenario(t, "libvirt", "spec: {ovn: network}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		template := func() any {
			out, _, _ := unstructured.NestedMap(p.Object("DaemonSet/cloud/rack-a-metadata").Object, "spec", "template")
			return out
		}
		formed := func(database string, times int64) {
			o := p.Object("OVN/cloud/network")
			servicetest.Must(t, unstructured.SetNestedField(o.Object, times, "status", database, "epoch"))
			servicetest.Must(t, p.Client.Status().Update(p.T.Context(), o))
			p.Settle()
		}
		formed("northbound", 2)
		formed("southbound", 1)
		before := template()
		formed("northbound", 3)
		if after := template(); !reflect.DeepEqual(before, after) {
			t.Errorf("the northbound database is another, and the agents roll: %v", after)
		}
		formed("southbound", 2)
		if after := template(); reflect.DeepEqual(before, after) {
			t.Error("the southbound database is another, and the agents stay with the one that was")
		}
	})
}
