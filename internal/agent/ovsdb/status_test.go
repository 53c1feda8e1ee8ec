package ovsdb

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const follower = `a9d5
Name: OVN_Northbound
Cluster ID: 7d9a (7d9af1f5-1f0e-4f0b-9a53-3a1d5a3f6a11)
Server ID: a9d5 (a9d5b9c0-5a3f-4d0e-8f7e-2f7d6a6c1a01)
Address: ssl:ovn-nb-0.ovn-nb-members.cloud.svc.cluster.local:6643
Status: cluster member
Role: follower
Term: 4
Leader: b1c2
Vote: b1c2

Election timer: 5000
Log: [2, 9]
Entries not yet committed: 0
Entries not yet applied: 0
Connections: ->b1c2 (->0000) <-b1c2
Disconnections: 2
Servers:
    a9d5 (a9d5 at ssl:ovn-nb-0.ovn-nb-members.cloud.svc.cluster.local:6643) (self)
    b1c2 (b1c2 at ssl:ovn-nb-1.ovn-nb-members.cloud.svc.cluster.local:6643) last msg 1201 ms ago
    0000 (0000 at ssl:ovn-nb-2.ovn-nb-members.cloud.svc.cluster.local:6643) last msg 90121 ms ago
`

func TestParse(t *testing.T) {
	s := parse(follower)
	if s.state != stateMember || s.role != "follower" || s.timer != "5000" || !s.led() || s.self != "a9d5" {
		t.Errorf("the status is read as %+v", s)
	}
	members, running := s.pods()
	if diff := cmp.Diff([]string{"ovn-nb-0", "ovn-nb-1", "ovn-nb-2"}, members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	// A connection in brackets is one that is being tried.
	if diff := cmp.Diff([]string{"ovn-nb-0", "ovn-nb-1"}, running); diff != "" {
		t.Errorf("in touch (-want +got):\n%s", diff)
	}
}

func TestParseWithoutALeader(t *testing.T) {
	for _, text := range []string{"", "Status: joining cluster\n",
		"Status: cluster member\nRole: candidate\nLeader: unknown\n"} {
		if s := parse(text); s.led() {
			t.Errorf("%q has a leader", text)
		}
	}
}
