package ovsdb

import (
	"regexp"
	"slices"
	"strings"
)

// status is what a server tells of its cluster; see cluster/status in ovsdb-server(1).
type status struct {
	// state is such as "cluster member", "joining cluster" or "left cluster".
	state string
	// leader is the short id of the leader, "self" or "unknown".
	leader string
	role   string
	timer  string
	// servers are the addresses by short id, connected the ids of those this server is connected to.
	servers   map[string]string
	self      string
	connected []string
}

const stateMember, stateLeft = "cluster member", "left cluster"

// serverLine is such as "    a9d5 (a9d5 at ssl:ovn-nb-0.ovn-nb-members.cloud.svc:6643) (self) next_index=4".
var serverLine = regexp.MustCompile(`^\s+([0-9a-f]{4,}) \([0-9a-f]{4,} at ([^)\s]+)\)( \(self\))?`)

func parse(text string) status {
	s := status{servers: map[string]string{}}
	for line := range strings.Lines(text) {
		if m := serverLine.FindStringSubmatch(line); m != nil {
			s.servers[m[1]] = m[2]
			if m[3] != "" {
				s.self = m[1]
			}
			continue
		}
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch key {
		case "Status":
			s.state = value
		case "Leader":
			s.leader = value
		case "Role":
			s.role = value
		case "Election timer":
			s.timer = value
		case "Connections":
			s.connected = connections(value)
		}
	}
	return s
}

// connections are the ids to which a connection is open: "->a9d5", while "(->a9d5)" is one that is being tried.
func connections(list string) []string {
	var out []string
	for f := range strings.FieldsSeq(list) {
		if id, ok := strings.CutPrefix(f, "->"); ok {
			out = append(out, id)
		}
	}
	return out
}

// led tells whether the server knows a leader, which has a majority.
func (s *status) led() bool { return s.leader != "" && s.leader != "unknown" }

// pods of the cluster, and those that this server is in touch with.
func (s *status) pods() (members, running []string) {
	for id, address := range s.servers {
		pod := podOf(address)
		members = append(members, pod)
		if id == s.self || slices.Contains(s.connected, id) {
			running = append(running, pod)
		}
	}
	slices.Sort(members)
	slices.Sort(running)
	return members, running
}

// podOf is the first label of the host in an address such as ssl:ovn-nb-0.ovn-nb-members.cloud.svc:6643.
func podOf(address string) string {
	_, host, _ := strings.Cut(address, ":")
	pod, _, _ := strings.Cut(host, ".")
	return pod
}
