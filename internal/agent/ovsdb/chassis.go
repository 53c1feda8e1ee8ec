package ovsdb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/chassis"
	"stackwright.dev/stackwright/internal/agent/member"
)

// southbound is the database in which nodes are registered.
const southbound = "OVN_Southbound"

// Chassis is a node that is registered in the southbound database.
type Chassis struct {
	// Name of the chassis, which is that of the node.
	Name string `json:"name"`
	// Set that the chassis belongs to; empty when somebody else has made it.
	Set string `json:"set,omitempty"`
	// Datapath is system for the kernel's and netdev for the one in userspace.
	Datapath string `json:"datapath,omitempty"`
	// Address of its end of tunnels.
	Address string `json:"address,omitempty"`
}

// handleChassis serves orders about nodes.
func (a *Agent) handleChassis(mux *http.ServeMux) {
	agent.Handle(mux, "GET /v1/chassis", a.chassis, agent.Operator)
	agent.Handle(mux, "DELETE /v1/chassis", a.removeChassis, agent.Operator)
}

// chassis lists the nodes. A member that follows knows what the leader knows, a moment later.
func (a *Agent) chassis(ctx context.Context, _ member.Nothing) ([]Chassis, error) {
	if err := a.Serving(); err != nil {
		return nil, err
	}
	rows, err := a.sbctl(ctx, "--format=json", "--columns=name,other_config", "list", "Chassis")
	if err != nil {
		return nil, err
	}
	encaps, err := a.sbctl(ctx, "--format=json", "--columns=chassis_name,ip", "list", "Encap")
	if err != nil {
		return nil, err
	}
	return parseChassis(rows, encaps)
}

// removeChassis takes a node off the books, with what is bound to it. Its daemons must have ended.
func (a *Agent) removeChassis(ctx context.Context, c Chassis) (member.Nothing, error) {
	if err := a.Serving(); err != nil {
		return member.Nothing{}, err
	}
	rows, err := a.sbctl(ctx, "--format=json", "--columns=external_ids", "--if-exists", "list", "Chassis_Private", c.Name)
	if err != nil {
		return member.Nothing{}, err
	}
	orders, err := removal(c.Name, rows)
	for _, o := range orders {
		if err == nil {
			_, err = a.sbctl(ctx, o...)
		}
	}
	return member.Nothing{}, err
}

// agents are the keys by which a row of Chassis_Private has the ids of Neutron's agents on the node, beside
// ovn-controller, whose id is the node's name (common/ovn/constants.py of Neutron 26).
func agents() []string { return []string{"neutron:ovn-metadata-id", "neutron:ovn-neutron-agent-id"} }

// removal are the orders that remove a node: its row, that in Chassis_Private with it, and its agents in the memory of
// all workers of Neutron's API, which only take them for dead when the rows go. They are told by a key of SB_Global, as
// they tell each other (delete_agent in Neutron's ovn/mech_driver/mech_driver.py): each value is an event, so that the
// last one may not be there before. The row goes last: without it nobody removes the node again.
func removal(name string, private []byte) ([][]string, error) {
	var t table
	if err := json.Unmarshal(private, &t); err != nil {
		return nil, fmt.Errorf("reading what the southbound database has of %s: %w", name, err)
	}
	tell := func(id string) []string {
		return []string{"--if-exists", "set", "SB_Global", ".", "external_ids:delete_agent=" + strconv.Quote(id)}
	}
	clean := []string{"--if-exists", "remove", "SB_Global", ".", "external_ids", "delete_agent"}
	orders := [][]string{clean}
	for _, row := range t.Data {
		for _, column := range row {
			for _, key := range agents() {
				if id := pairs(column)[key]; id != "" {
					orders = append(orders, tell(id))
				}
			}
		}
	}
	last := slices.Concat([]string{"--if-exists", "chassis-del", name, "--"}, tell(name))
	return append(orders, last, clean), nil
}

func (a *Agent) sbctl(ctx context.Context, args ...string) ([]byte, error) {
	out, err := agent.Output(ctx, "ovn-sbctl", append([]string{"--no-leader-only", "--timeout=8",
		"--db=unix:" + a.cfg.run("database.sock")}, args...)...)
	if err != nil {
		return nil, agent.Unready(err.Error())
	}
	return []byte(out), nil
}

// table is what ovn-sbctl prints as JSON: a map is ["map", [[key, value], ...]].
type table struct {
	Data [][]any `json:"data"`
}

func parseChassis(rows, encaps []byte) ([]Chassis, error) {
	var t, ends table
	for into, text := range map[*table][]byte{&t: rows, &ends: encaps} {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("reading what the southbound database has of nodes: %w", err)
		}
	}
	addresses := map[string]string{}
	for _, e := range ends.Data {
		addresses[word(e, 0)] = word(e, 1)
	}
	out := []Chassis{}
	for _, row := range t.Data {
		c := Chassis{Name: word(row, 0), Address: addresses[word(row, 0)]}
		if len(row) > 1 {
			config := pairs(row[1])
			c.Datapath = config["datapath-type"]
			for o := range strings.SplitSeq(config["ovn-cms-options"], ",") {
				if set, ok := strings.CutPrefix(o, chassis.OptionSet); ok {
					c.Set = set
				}
			}
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Chassis) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func word(row []any, i int) string {
	if i >= len(row) {
		return ""
	}
	s, _ := row[i].(string)
	return s
}

func pairs(value any) map[string]string {
	out := map[string]string{}
	tagged, _ := value.([]any)
	if len(tagged) != 2 {
		return out
	}
	list, _ := tagged[1].([]any)
	for _, p := range list {
		pair, _ := p.([]any)
		out[word(pair, 0)] = word(pair, 1)
	}
	return out
}
