package cluster

import (
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckName(t *testing.T) {
	for name, valid := range map[string]bool{
		"dev": true, "a": true, "e2e-1": true, strings.Repeat("a", 20): true,
		"": false, "1a": false, "-a": false, "a-": false, "A": false, "a.b": false, "../x": false, "a b": false,
		strings.Repeat("a", 21): false,
	} {
		if err := CheckName(name); (err == nil) != valid {
			t.Errorf("CheckName(%q) = %v, want valid %t", name, err, valid)
		}
	}
}

func TestNodesGetTheLowestFreeNumber(t *testing.T) {
	c := &Cluster{Name: "dev"}
	for range 3 {
		if _, err := c.AddNode(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.RemoveNode("node-2"); err != nil {
		t.Fatal(err)
	}
	added, err := c.AddNode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Node{Name: "node-2", Number: 2}, added); diff != "" {
		t.Errorf("added node (-want +got):\n%s", diff)
	}
}

func TestNodesThatCannotBe(t *testing.T) {
	c := &Cluster{Name: "dev"}
	for range mostNodes {
		if _, err := c.AddNode(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.AddNode(); err == nil {
		t.Errorf("cluster has %d nodes", len(c.Nodes))
	}
	if err := c.RemoveNode("node-x"); err == nil || !strings.Contains(err.Error(), "node-1") {
		t.Errorf("removing an unknown node: %v, want the names of those that are", err)
	}
	last := &Cluster{Name: "dev", Nodes: []Node{{Name: "node-1", Number: 1}}}
	if err := last.RemoveNode("node-1"); err == nil || !strings.Contains(err.Error(), "devcluster down") {
		t.Errorf("removing the last node: %v, want the command to use instead", err)
	}
}

func TestAddressesDoNotOverlap(t *testing.T) {
	c := &Cluster{Index: ranges - 1}
	last := Node{Number: mostNodes}
	for name, address := range map[string]bool{
		"node":     c.NodeRange().Contains(c.NodeAddress(last)),
		"pods":     c.Pods().Overlaps(c.NodePods(last)),
		"services": c.Services().Contains(c.DNSService()) && c.Services().Contains(c.APIService()),
		"range":    c.Range().Contains(c.NodePods(last).Addr()),
	} {
		if !address {
			t.Errorf("%s is not in its range", name)
		}
	}
	if c.Services().Overlaps(c.Pods()) || c.LoadBalancers().Overlaps(c.NodeRange()) ||
		c.LoadBalancers().Overlaps(c.Services()) {
		t.Error("ranges overlap")
	}
}

func TestFreeIndex(t *testing.T) {
	network := func(cidr string) net.Addr {
		address, prefix, err := net.ParseCIDR(cidr)
		if err != nil {
			t.Fatal(err)
		}
		return &net.IPNet{IP: address, Mask: prefix.Mask}
	}
	full := make([]*Cluster, ranges)
	for index := range full {
		full[index] = &Cluster{Index: index}
	}
	for name, test := range map[string]struct {
		clusters  []*Cluster
		addresses []net.Addr
		want      int
		wantErr   bool
	}{
		"nothing used":        {want: 0},
		"other clusters":      {clusters: []*Cluster{{Index: 0}, {Index: 2}}, want: 1},
		"an address in it":    {addresses: []net.Addr{network("10.180.7.1/24")}, want: 1},
		"a network around it": {addresses: []net.Addr{network("10.180.0.1/15")}, want: 2},
		"other addresses":     {addresses: []net.Addr{network("192.0.2.2/24"), network("fd00::1/64")}, want: 0},
		"all used":            {clusters: full, wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := freeIndex(test.clusters, test.addresses)
			if (err != nil) != test.wantErr || got != test.want {
				t.Errorf("freeIndex() = %d, %v, want %d", got, err, test.want)
			}
		})
	}
}
