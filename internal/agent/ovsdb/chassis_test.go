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
