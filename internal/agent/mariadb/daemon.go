package mariadb

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/volume"
)

// Config is where the agent finds things.
type Config struct {
	// Pod is the member's name, IP its address, Domain the headless Service that resolves to all members.
	Pod, IP, Domain string
	// Root is the mounted volume, ConfigFile the configuration of mariadbd, RunDir a writable folder for its socket.
	Root, ConfigFile, RunDir string
	// AgentDir has the agent's certificates, TLSDir those of mariadbd; TLSDir is empty when TLS is off.
	AgentDir, TLSDir string
}

// Certificates is the folder with those of the agent.
func (c *Config) Certificates() string { return c.AgentDir }

// Flags makes flags of the configuration's fields.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.Pod, "pod", os.Getenv("POD_NAME"), "name of the member")
	f.StringVar(&c.IP, "ip", os.Getenv("POD_IP"), "its address")
	f.StringVar(&c.Domain, "domain", "",
		"headless service that resolves to all members, such as galera-pods.openstack.svc")
	f.StringVar(&c.Root, "volume", "/var/lib/mysql", "persistent volume")
	f.StringVar(&c.ConfigFile, "config", "/etc/stackwright/mariadb/my.cnf", "configuration of mariadbd")
	f.StringVar(&c.RunDir, "run", "/run/mysqld", "writable folder for the socket and temporary files")
	f.StringVar(&c.AgentDir, "agent-tls", "/etc/stackwright/agent", "the agent's certificates")
	f.StringVar(&c.TLSDir, "tls", "", "certificates of mariadbd, watched for renewal")
}

func (c *Config) socket() string { return filepath.Join(c.RunDir, "mysqld.sock") }

func (c *Config) tmp() string { return filepath.Join(c.RunDir, "tmp") }

// args that every start of mariadbd has.
func (c *Config) args(data string) []string {
	return []string{
		"--defaults-file=" + c.ConfigFile, "--datadir=" + data, "--socket=" + c.socket(),
		"--pid-file=" + filepath.Join(c.RunDir, "mysqld.pid"), "--tmpdir=" + c.tmp(),
		"--wsrep-node-name=" + c.Pod, "--wsrep-node-address=" + c.IP,
	}
}

// candidates are the names of all members there may be, with the own one.
func (c *Config) candidates() []string {
	base := c.Pod[:strings.LastIndexByte(c.Pod, '-')+1]
	out := make([]string, 0, 3)
	for _, n := range []string{"0", "1", "2"} {
		out = append(out, base+n)
	}
	return out
}

// clusterAddress lists the members that can be resolved now; Galera gives up on a list with an unknown name.
func (c *Config) clusterAddress(ctx context.Context) string {
	var known []string
	for _, pod := range c.candidates() {
		host := pod + "." + c.Domain
		if _, err := net.DefaultResolver.LookupHost(ctx, host); err == nil && pod != c.Pod {
			known = append(known, host)
		}
	}
	return "gcomm://" + strings.Join(known, ",")
}

// install makes the system tables of a new data directory. It appears under its name only when it is complete.
func (c *Config) install(ctx context.Context, v *Volume) error {
	fresh := v.Path("data.new")
	if err := errors.Join(os.RemoveAll(fresh), os.RemoveAll(v.Data()), os.Mkdir(fresh, 0o700)); err != nil {
		return fmt.Errorf("preparing the data directory: %w", err)
	}
	out, err := exec.CommandContext(ctx, "mariadb-install-db", "--defaults-file="+c.ConfigFile, "--datadir="+fresh,
		"--auth-root-authentication-method=socket", "--auth-root-socket-user=mysql",
		"--skip-test-db", "--skip-name-resolve").CombinedOutput()
	if err != nil {
		return fmt.Errorf("making the system tables: %w: %s", err, complaint(agent.Lines(string(out))))
	}
	if err := os.Rename(fresh, v.Data()); err != nil {
		return fmt.Errorf("putting the data directory in place: %w", err)
	}
	return volume.Sync(v.Path())
}

var versioned = regexp.MustCompile(`Ver ([0-9]+\.[0-9]+\.[0-9]+)-MariaDB`)

// version of MariaDB that the image has.
func (c *Config) version(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "mariadbd", "--no-defaults", "--version").CombinedOutput()
	m := versioned.FindSubmatch(out)
	if m == nil {
		return "", fmt.Errorf("finding the version of MariaDB: %w: %s", err, complaint(agent.Lines(string(out))))
	}
	return string(m[1]), nil
}

// unfit tells what keeps MariaDB of a version from running on data, and what a person can do; empty when nothing does.
func unfit(image string, m Memo) string {
	if !agent.Older(image, m.Version) {
		return ""
	}
	return fmt.Sprintf("MariaDB %s has served the data on this volume and the image has %s, which is not made to read "+
		"it; set an image with %s or newer.", m.Version, image, m.Version)
}

var recovered = regexp.MustCompile(`Recovered position:? ([0-9a-f-]{36}:-?[0-9]+)`)

// recover asks the storage engine where the data stands after a crash.
func (c *Config) recover(ctx context.Context, v *Volume) (Position, error) {
	cmd := exec.CommandContext(ctx, "mariadbd", append(c.args(v.Data()), "--wsrep-recover", "--skip-networking")...)
	out, err := cmd.CombinedOutput()
	m := recovered.FindAllSubmatch(out, -1)
	if len(m) == 0 {
		return Position{}, fmt.Errorf("finding where the data stands: %w: %s", err, complaint(agent.Lines(string(out))))
	}
	return ParsePosition(string(m[len(m)-1][1]))
}

// check lets mariadbd read a configuration without starting.
func (c *Config) check(ctx context.Context, text string) error {
	f, err := os.CreateTemp(c.RunDir, "check-*.cnf")
	if err != nil {
		return fmt.Errorf("writing the configuration to check: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing the configuration to check: %w", err)
	}
	out, err := exec.CommandContext(ctx, "mariadbd", "--defaults-file="+f.Name(), "--wsrep-provider=none",
		"--verbose", "--help").CombinedOutput()
	if err == nil {
		return nil
	}
	return &agent.Refusal{Code: 422, Message: complaint(agent.Lines(string(out)))}
}

// complaint is the first error among lines of MariaDB's output, or the last line.
func complaint(lines []string) string {
	last := "it has said nothing"
	for _, l := range lines {
		if _, text, ok := strings.Cut(l, "[ERROR]"); ok {
			return strings.TrimSpace(text)
		}
		last = l
	}
	return last
}

// start is a decided start of mariadbd.
type start struct {
	why  string
	args []string
}

// bootstrapping prepares a start that begins a primary component.
func (a *Agent) bootstrapping(ctx context.Context, p Position, empty bool) (*start, error) {
	s := &start{why: "beginning the cluster", args: []string{"--wsrep-new-cluster"}}
	if empty {
		return s, a.cfg.install(ctx, a.vol)
	}
	if p.Known() {
		// Without it the cluster would take a new history, and every other member a full copy.
		s.args = append(s.args, "--wsrep-start-position="+p.String())
		s.why += " at " + p.String()
	}
	return s, errors.Join(a.vol.allowBootstrap(p), a.vol.forgetView())
}

// joining prepares a start that joins running members. donor names the members to copy from, best first.
func (a *Agent) joining(ctx context.Context, p Position, donors []string) (*start, error) {
	s := &start{why: "joining", args: []string{"--wsrep-cluster-address=" + a.cfg.clusterAddress(ctx)}}
	if len(donors) > 0 {
		s.args = append(s.args, "--wsrep-sst-donor="+strings.Join(donors, ",")+",")
	}
	if p.Known() {
		s.args = append(s.args, "--wsrep-start-position="+p.String())
		s.why += " at " + p.String()
	}
	if err := os.MkdirAll(a.vol.Data(), 0o700); err != nil {
		return nil, fmt.Errorf("preparing the data directory: %w", err)
	}
	return s, errors.Join(a.vol.forgetView(), a.vol.Remember(func(m *Memo) { m.Copying = true }))
}

// launch starts mariadbd.
func (a *Agent) launch(s *start) (*agent.Process, error) {
	slog.Info("starting mariadbd", "why", s.why)
	return agent.Start("mariadbd", append(a.cfg.args(a.vol.Data()), s.args...), nil)
}
