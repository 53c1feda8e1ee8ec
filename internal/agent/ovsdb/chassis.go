package ovsdb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
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
	_, err := a.sbctl(ctx, "--if-exists", "chassis-del", c.Name)
	return member.Nothing{}, err
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
