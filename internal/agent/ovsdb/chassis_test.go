package ovsdb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// As ovn-sbctl of OVN 25.03 prints them.
const (
	chassisRows = `{"data":[["node-2",["map",[["datapath-type","netdev"],["ovn-cms-options",` +
		`"enable-chassis-as-gw,stackwright-set=gateways"]]]],["foreign",["map",[["datapath-type","system"]]]],` +
		`["node-1",["map",[["datapath-type","system"],["ovn-cms-options","stackwright-set=computes"]]]]],` +
		`"headings":["name","other_config"]}`
	encapRows = `{"data":[["node-1","192.0.2.1"],["node-2","192.0.2.2"]],"headings":["chassis_name","ip"]}`
)

func TestParseChassis(t *testing.T) {
	got, err := parseChassis([]byte(chassisRows), []byte(encapRows))
	if err != nil {
		t.Fatal(err)
	}
	want := []Chassis{{Name: "foreign", Datapath: "system"},
		{Name: "node-1", Set: "computes", Datapath: "system", Address: "192.0.2.1"},
		{Name: "node-2", Set: "gateways", Datapath: "netdev", Address: "192.0.2.2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chassis (-want +got):\n%s", diff)
	}
	if _, err := parseChassis([]byte("ovn-sbctl: no connection"), []byte(encapRows)); err == nil {
		t.Error("what is no JSON is taken")
	}
}

// A node goes with its agents, whom Neutron has in memory by ids of their own. Its row is the last to go.
func TestRemoval(t *testing.T) {
	clean := []string{"--if-exists", "remove", "SB_Global", ".", "external_ids", "delete_agent"}
	tell := func(id string) []string {
		return []string{"--if-exists", "set", "SB_Global", ".", "external_ids:delete_agent=\"" + id + "\""}
	}
	last := append([]string{"--if-exists", "chassis-del", "node-1", "--"}, tell("node-1")...)
	for name, test := range map[string]struct {
		private string
		want    [][]string
	}{
		"no row": {`{"data":[],"headings":["external_ids"]}`, [][]string{clean, last, clean}},
		"a gateway": {`{"data":[[["map",[["neutron:ovn-bridge","br-int"]]]]],"headings":["external_ids"]}`,
			[][]string{clean, last, clean}},
		"a hypervisor": {`{"data":[[["map",[["neutron:ovn-metadata-id","5f0c"],["neutron:ovn-metadata-sb-cfg","3"],` +
			`["neutron:ovn-neutron-agent-id","77aa"]]]]],"headings":["external_ids"]}`,
			[][]string{clean, tell("5f0c"), tell("77aa"), last, clean}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := removal("node-1", []byte(test.private))
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v, orders (-want +got):\n%s", err, diff)
			}
		})
	}
	if _, err := removal("node-1", []byte("ovn-sbctl: no connection")); err == nil {
		t.Error("what is no JSON is taken")
	}
}
