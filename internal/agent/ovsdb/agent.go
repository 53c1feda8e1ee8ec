// Package ovsdb is the agent in a pod with one member of a clustered OVSDB database: it forms and leaves the cluster by
// the operator's order, starts the server with what is on its volume, and asks it how it is.
//
// Facts from ovsdb(7) and ovsdb-server(1): the members of a cluster and their addresses are in the database file. A
// member that lost its file has to join under a new identity, and its old one has to be kicked, or the cluster counts
// it in its majority for ever. A file is made by ovsdb-tool before the server starts, for a new cluster or to join one.
package ovsdb

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/agent/ovs"
)

// Config is where the agent finds things.
type Config struct {
	// Pod is the member's name, IP its address, Domain the headless Service that resolves to all members, with the
	// cluster's domain: the server asks for names as they are.
	Pod, IP, Domain string
	// Database is its name, such as OVN_Northbound, Schema the file with its schema.
	Database, Schema string
	// Root is the mounted volume, RunDir a writable folder for sockets.
	Root, RunDir string
	// AgentDir has the agent's certificates, TLSDir those of the database.
	AgentDir, TLSDir string
	// Port for clients, RaftPort for members.
	Port, RaftPort int
	// ElectionTimer and InactivityProbe in milliseconds.
	ElectionTimer, InactivityProbe int
}

// Certificates is the folder with those of the agent.
func (c *Config) Certificates() string { return c.AgentDir }

// Flags makes flags of the configuration's fields.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.Pod, "pod", os.Getenv("POD_NAME"), "name of the member")
	f.StringVar(&c.IP, "ip", os.Getenv("POD_IP"), "its address")
	f.StringVar(&c.Domain, "domain", "",
		"headless service of all members, such as ovn-nb-members.openstack.svc.cluster.local")
	f.StringVar(&c.Database, "database", "", "name of the database, such as OVN_Northbound")
	f.StringVar(&c.Schema, "schema", "", "file with its schema, such as /usr/share/ovn/ovn-nb.ovsschema")
	f.StringVar(&c.Root, "volume", "/var/lib/ovn", "persistent volume")
	f.StringVar(&c.RunDir, "run", "/run/ovn", "writable folder for sockets")
	f.StringVar(&c.AgentDir, "agent-tls", "/etc/stackwright/agent", "the agent's certificates")
	f.StringVar(&c.TLSDir, "tls", "/etc/stackwright/tls", "certificates of the database, which it reads again itself")
	f.IntVar(&c.Port, "port", 6641, "port for clients")
	f.IntVar(&c.RaftPort, "raft-port", 6643, "port for members")
	f.IntVar(&c.ElectionTimer, "election-timer", 5000, "milliseconds without a leader until another one is elected")
	f.IntVar(&c.InactivityProbe, "inactivity-probe", 60000, "milliseconds of silence until a client is asked")
}

// file is the database's on the volume.
const file = "database"

// Agent runs one member.
type Agent struct {
	*member.Keeper
	cfg Config
}

// New opens the volume of a member.
func New(c Config) (*Agent, error) {
	if c.Pod == "" || c.IP == "" || c.Domain == "" || c.Database == "" || c.Schema == "" {
		return nil, fmt.Errorf("POD_NAME, POD_IP, --domain, --database and --schema are needed; got %q, %q, %q, %q and %q",
			c.Pod, c.IP, c.Domain, c.Database, c.Schema)
	}
	k, err := member.New(member.Place{Pod: c.Pod, Domain: c.Domain, Root: c.Root, AgentDir: c.AgentDir, Word: "database",
		Files: []string{file, "." + file + ".~lock~", file + ".alone", file + ".standalone"}})
	if err != nil {
		return nil, err
	}
	a := &Agent{Keeper: k, cfg: c}
	k.Keep(a)
	return a, nil
}

// Handler serves the agent's orders.
func (a *Agent) Handler() http.Handler {
	mux := http.NewServeMux()
	a.Handle(mux)
	agent.Handle(mux, "POST /v1/forget", a.forget, agent.Operator)
	agent.Handle(mux, "POST /v1/upgraded", a.upgraded, agent.Operator)
	if a.cfg.Database == southbound {
		a.handleChassis(mux)
	}
	return mux
}

// Fit never keeps the server from its file: the schema is in it, and a newer one is taken when all members know it.
func (a *Agent) Fit(member.Memo) string { return "" }

func (c *Config) run(name string) string { return filepath.Join(c.RunDir, name) }

// address is where a member listens for the others.
func (a *Agent) address(pod string) string {
	return fmt.Sprintf("ssl:%s:%d", a.Host(pod), a.cfg.RaftPort)
}

// ask gives the server a command about the database.
func (a *Agent) ask(ctx context.Context, command string, args ...string) (string, error) {
	return ovs.Ask(ctx, a.cfg.run("database.ctl"), command, append([]string{a.cfg.Database}, args...)...)
}

// Begin makes the file that a start needs and starts the server.
func (a *Agent) Begin(ctx context.Context, o *member.Start) (member.Term, error) {
	if err := errors.Join(a.prepare(ctx, o), a.cfg.writeRemotes(a.Vol.Path(file))); err != nil {
		return nil, err
	}
	p, err := agent.Start("ovsdb-server", a.args(), nil)
	if err != nil {
		return nil, err
	}
	return &term{Agent: a, process: p, order: o, began: time.Now()}, nil
}

func (a *Agent) args() []string {
	c := &a.cfg
	return []string{
		"--config-file=" + c.run("remotes.json"),
		"--unixctl=" + c.run("database.ctl"),
		"--private-key=" + filepath.Join(c.TLSDir, "tls.key"),
		"--certificate=" + filepath.Join(c.TLSDir, "tls.crt"),
		"--ca-cert=" + filepath.Join(c.TLSDir, "ca.crt"),
		"-vconsole:info", "-vsyslog:off",
	}
}

// writeRemotes writes where the server listens, in the form that ovsdb-server(1) gives for --config-file.
func (c *Config) writeRemotes(database string) error {
	listen := fmt.Sprintf("%d:%s", c.Port, c.IP)
	if strings.Contains(c.IP, ":") {
		listen = fmt.Sprintf("%d:[%s]", c.Port, c.IP)
	}
	b, err := json.Marshal(map[string]any{
		"remotes": map[string]any{
			"punix:" + c.run("database.sock"): map[string]any{},
			"pssl:" + listen:                  map[string]any{"inactivity-probe": c.InactivityProbe},
		},
		"databases": map[string]any{database: map[string]any{}},
	})
	if err == nil {
		err = os.WriteFile(c.run("remotes.json"), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing where the database listens: %w", err)
	}
	return nil
}

// prepare makes the file of the database, unless a start that was cut off has made it.
func (a *Agent) prepare(ctx context.Context, o *member.Start) error {
	path := a.Vol.Path(file)
	_, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	self := a.address(a.Pod)
	switch {
	case err != nil && !missing:
		return fmt.Errorf("looking for the database: %w", err)
	case o != nil && missing && o.Mode == member.Seed:
		timer := fmt.Sprintf("--election-timer=%d", a.cfg.ElectionTimer)
		return a.tool(ctx, timer, "create-cluster", path, a.cfg.Schema, self)
	case o != nil && missing:
		args := []string{"join-cluster", path, a.cfg.Database, self}
		for _, p := range o.Peers {
			args = append(args, a.address(p))
		}
		return a.tool(ctx, args...)
	case missing:
		return errors.New("the volume has lost the database's file; delete the volume's claim and the pod, and the " +
			"member joins with an empty one")
	case a.Vol.Memo().Alone:
		return a.alone(ctx, path)
	}
	return nil
}

// alone makes a cluster of one member of the file of a cluster that has lost its majority. Done twice it is the same.
func (a *Agent) alone(ctx context.Context, path string) error {
	flat, next := path+".standalone", path+".alone"
	if err := errors.Join(os.RemoveAll(flat), os.RemoveAll(next)); err != nil {
		return fmt.Errorf("going on alone: %w", err)
	}
	if err := a.tool(ctx, "cluster-to-standalone", flat, path); err != nil {
		return err
	}
	err := a.tool(ctx, fmt.Sprintf("--election-timer=%d", a.cfg.ElectionTimer), "create-cluster", next, flat,
		a.address(a.Pod))
	if err != nil {
		return err
	}
	if err := errors.Join(os.Rename(next, path), os.RemoveAll(flat)); err != nil {
		return fmt.Errorf("going on alone: %w", err)
	}
	slog.Info("goes on alone: the database is a cluster of one member now")
	return a.Vol.Remember(func(m *member.Memo) { m.Alone = false })
}

// tool runs ovsdb-tool.
func (a *Agent) tool(ctx context.Context, args ...string) error {
	_, err := agent.Output(ctx, "ovsdb-tool", args...)
	return err
}

// forget kicks the lost identity of another member, so that its pod can join anew.
func (a *Agent) forget(ctx context.Context, m member.Member) (member.Nothing, error) {
	if err := a.Serving(); err != nil {
		return member.Nothing{}, err
	}
	text, err := a.ask(ctx, "cluster/status")
	if err != nil {
		return member.Nothing{}, err
	}
	s := parse(text)
	for id, address := range s.servers {
		if podOf(address) != m.Pod {
			continue
		}
		if id == s.self {
			return member.Nothing{}, agent.Conflict("the member cannot forget itself")
		}
		if _, err := a.ask(ctx, "cluster/kick", id); err != nil {
			return member.Nothing{}, fmt.Errorf("kicking %s: %w", m.Pod, err)
		}
	}
	return member.Nothing{}, nil
}

// upgraded brings the database to the schema of this image. Only the leader can.
func (a *Agent) upgraded(ctx context.Context, _ member.Nothing) (member.Nothing, error) {
	if err := a.Serving(); err != nil {
		return member.Nothing{}, err
	}
	socket := "unix:" + a.cfg.run("database.sock")
	old, err := agent.Output(ctx, "ovsdb-client", "--timeout=10", "needs-conversion", socket, a.cfg.Schema)
	if err != nil {
		return member.Nothing{}, agent.Unready(err.Error())
	}
	if old == "yes" {
		_, err = agent.Output(ctx, "ovsdb-client", "--timeout=25", "convert", socket, a.cfg.Schema)
	}
	return member.Nothing{}, err
}
