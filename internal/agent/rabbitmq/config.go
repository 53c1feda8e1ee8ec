package rabbitmq

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Config is where the agent finds things.
type Config struct {
	// Pod is the member's name, Domain the headless Service that resolves to all members, such as
	// rabbitmq-members.openstack.svc.
	Pod, Domain string
	// Root is the mounted volume, RunDir a writable folder, ConfigDir has the files that the operator rendered.
	Root, RunDir, ConfigDir string
	// CookieFile has the secret by which members know each other.
	CookieFile string
	// AgentDir has the agent's certificates, TLSDir those of the broker.
	AgentDir, TLSDir string
	// Port of the listener for clients.
	Port string
	// Home is where RabbitMQ is installed.
	Home string
}

// Certificates is the folder with those of the agent.
func (c *Config) Certificates() string { return c.AgentDir }

// Flags makes flags of the configuration's fields.
func (c *Config) Flags(f *flag.FlagSet) {
	f.StringVar(&c.Pod, "pod", os.Getenv("POD_NAME"), "name of the member")
	f.StringVar(&c.Domain, "domain", "", "headless service of all members, such as rabbitmq-members.openstack.svc")
	f.StringVar(&c.Port, "port", "5671", "port of the listener for clients")
	f.StringVar(&c.Root, "volume", "/var/lib/rabbitmq", "persistent volume")
	f.StringVar(&c.ConfigDir, "config", "/etc/stackwright/rabbitmq", "configuration files of the broker")
	f.StringVar(&c.RunDir, "run", "/run/rabbitmq", "writable folder in memory")
	f.StringVar(&c.CookieFile, "cookie", "/etc/stackwright/cookie/cookie", "secret by which members know each other")
	f.StringVar(&c.AgentDir, "agent-tls", "/etc/stackwright/agent", "the agent's certificates")
	f.StringVar(&c.TLSDir, "tls", "/etc/stackwright/tls", "certificates of the broker, watched for renewal")
	f.StringVar(&c.Home, "home", "/usr/lib/rabbitmq", "where RabbitMQ is installed")
}

// adminUser is the account by which the agent, and nobody from another address, manages the broker.
const adminUser = "stackwright-agent"

func (c *Config) node(pod string) string { return "rabbit@" + pod + "." + c.Domain }

func (c *Config) pod(node string) string {
	return strings.TrimSuffix(strings.TrimPrefix(node, "rabbit@"), "."+c.Domain)
}

func (c *Config) run(name string) string { return filepath.Join(c.RunDir, name) }

// env of the broker and of its command line tools. Tools and members talk to each other over TLS only.
func (c *Config) env() []string {
	dist := "-proto_dist inet_tls -ssl_dist_optfile " + filepath.Join(c.ConfigDir, "distribution.config")
	return []string{
		"HOME=" + c.RunDir,
		"LC_ALL=C.UTF-8",
		"RABBITMQ_NODENAME=" + c.node(c.Pod),
		"RABBITMQ_USE_LONGNAME=true",
		"RABBITMQ_CONF_ENV_FILE=/dev/null",
		"RABBITMQ_CONFIG_FILES=" + c.run("conf.d"),
		"RABBITMQ_ADVANCED_CONFIG_FILE=" + filepath.Join(c.ConfigDir, "advanced.config"),
		"RABBITMQ_ENABLED_PLUGINS_FILE=" + filepath.Join(c.ConfigDir, "enabled_plugins"),
		"RABBITMQ_MNESIA_BASE=" + c.Root,
		"RABBITMQ_MNESIA_DIR=" + filepath.Join(c.Root, "data"),
		"RABBITMQ_FEATURE_FLAGS_FILE=" + filepath.Join(c.Root, "feature_flags"),
		"RABBITMQ_PLUGINS_EXPAND_DIR=" + filepath.Join(c.Root, "plugins"),
		"RABBITMQ_GENERATED_CONFIG_DIR=" + c.run("generated"),
		"RABBITMQ_PID_FILE=" + c.run("pid"),
		"RABBITMQ_LOGS=-",
		"ERL_CRASH_DUMP_SECONDS=0",
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=" + dist,
		"RABBITMQ_CTL_ERL_ARGS=" + dist,
		// It makes the start script become the Erlang machine, which then gets our signals itself.
		"RUNNING_UNDER_SYSTEMD=true",
	}
}

// prepare writes the files of a start into the folder for them, which is memory. peers are the members to join.
func (c *Config) prepare(peers []string) error {
	cookie, err := c.cookie()
	if err != nil {
		return err
	}
	main, err := os.ReadFile(filepath.Join(c.ConfigDir, "rabbitmq.conf"))
	if err != nil {
		return fmt.Errorf("reading the broker's configuration: %w", err)
	}
	definitions, err := definitions(c.adminPassword(cookie))
	if err != nil {
		return err
	}
	err = errors.Join(
		os.MkdirAll(c.run("conf.d"), 0o700),
		// Erlang refuses a cookie that anybody else may read, which a mounted Secret is.
		replace(c.run(".erlang.cookie"), cookie, 0o400),
		replace(c.run("definitions.json"), definitions, 0o400),
		replace(c.run("conf.d/10-rabbitmq.conf"), main, 0o600),
		replace(c.run("conf.d/20-agent.conf"), []byte(c.agentConf()), 0o600),
		replace(c.run("conf.d/30-formation.conf"), []byte(c.formation(peers)), 0o600),
	)
	if err != nil {
		return fmt.Errorf("preparing the start: %w", err)
	}
	return nil
}

func (c *Config) cookie() ([]byte, error) {
	b, err := os.ReadFile(c.CookieFile)
	if err != nil {
		return nil, fmt.Errorf("reading the members' cookie: %w", err)
	}
	b = []byte(strings.TrimSpace(string(b)))
	if len(b) < 20 {
		return nil, fmt.Errorf("reading the members' cookie: %d characters are too few to be safe", len(b))
	}
	return b, nil
}

// adminPassword follows from the cookie: all members know it without being told, and it is never sent over the network.
func (c *Config) adminPassword(cookie []byte) string {
	h := hmac.New(sha256.New, cookie)
	h.Write([]byte("management of the broker by its agent"))
	return hex.EncodeToString(h.Sum(nil))
}

// definitions are loaded by the broker in each start. They make our account, and keep RabbitMQ from making its default
// one, whose password is known.
func definitions(password string) ([]byte, error) {
	salt := sha256.Sum256([]byte("salt" + password))
	return json.Marshal(map[string]any{"users": []any{map[string]any{
		"name": adminUser, "password_hash": hash(salt[:4], password),
		"hashing_algorithm": "rabbit_password_hashing_sha256", "tags": []string{"administrator"}, "limits": map[string]any{},
	}}})
}

// hash is RabbitMQ's salted hash of a password.
func hash(salt []byte, password string) string {
	sum := sha256.Sum256(append(append([]byte{}, salt...), password...))
	return base64.StdEncoding.EncodeToString(append(append([]byte{}, salt...), sum[:]...))
}

// hashes tells whether hashed is the hash of a password.
func hashes(hashed, password string) bool {
	b, err := base64.StdEncoding.DecodeString(hashed)
	return err == nil && len(b) > 4 && hash(b[:4], password) == hashed
}

func (c *Config) agentConf() string {
	return "management.tcp.ip = 127.0.0.1\n" +
		"management.tcp.port = " + managementPort + "\n" +
		"load_definitions = " + c.run("definitions.json") + "\n" +
		"loopback_users." + adminUser + " = true\n"
}

// formation makes a start on an empty volume join peers. Without peers the member forms a cluster of its own.
func (c *Config) formation(peers []string) string {
	if len(peers) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("cluster_formation.peer_discovery_backend = classic_config\n")
	for i, p := range append([]string{c.Pod}, peers...) {
		fmt.Fprintf(&b, "cluster_formation.classic_config.nodes.%d = %s\n", i+1, c.node(p))
	}
	return b.String()
}

// version of the RabbitMQ in this image.
func (c *Config) version() (string, error) {
	dirs, err := filepath.Glob(filepath.Join(c.Home, "lib", "rabbitmq_server-*"))
	if err != nil || len(dirs) != 1 {
		return "", fmt.Errorf("finding the version of RabbitMQ: found %d installations in %s/lib, want one",
			len(dirs), c.Home)
	}
	_, v, _ := strings.Cut(filepath.Base(dirs[0]), "-")
	return v, nil
}

// replace writes a file that may exist and be read-only.
func replace(path string, b []byte, mode os.FileMode) error {
	if err := os.WriteFile(path+".new", b, mode); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
