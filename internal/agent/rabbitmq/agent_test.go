package rabbitmq

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHash(t *testing.T) {
	h := hash([]byte{1, 2, 3, 4}, "secret")
	for password, want := range map[string]bool{"secret": true, "other": false, "": false} {
		if got := hashes(h, password); got != want {
			t.Errorf("%q matches: %t, want %t", password, got, want)
		}
	}
	for _, broken := range []string{"", "AQID", "not base64!"} {
		if hashes(broken, "secret") {
			t.Errorf("%q matches", broken)
		}
	}
}

func config(t *testing.T) Config {
	t.Helper()
	dir := t.TempDir()
	c := Config{Pod: "mq-1", Domain: "mq-members.cloud.svc", Port: "5671", Root: filepath.Join(dir, "volume"),
		RunDir: filepath.Join(dir, "run"), ConfigDir: dir, CookieFile: filepath.Join(dir, "cookie"), Home: dir}
	for _, d := range []string{c.Root, c.RunDir, filepath.Join(dir, "lib", "rabbitmq_server-4.0.5")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for f, text := range map[string]string{
		c.CookieFile: "a cookie of twenty letters\n", filepath.Join(dir, "rabbitmq.conf"): "a = b\n",
	} {
		if err := os.WriteFile(f, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestPrepare(t *testing.T) {
	c := config(t)
	if err := c.prepare([]string{"mq-0"}); err != nil {
		t.Fatal(err)
	}
	if err := c.prepare([]string{"mq-0", "mq-2"}); err != nil {
		t.Fatalf("a second time: %v", err)
	}
	info, err := os.Stat(c.run(".erlang.cookie"))
	if err != nil || info.Mode().Perm() != 0o400 {
		t.Errorf("the cookie's mode is %v, %v; Erlang wants 0400", info.Mode(), err)
	}
	formation, err := os.ReadFile(c.run("conf.d/30-formation.conf"))
	if err != nil {
		t.Fatal(err)
	}
	want := `cluster_formation.peer_discovery_backend = classic_config
cluster_formation.classic_config.nodes.1 = rabbit@mq-1.mq-members.cloud.svc
cluster_formation.classic_config.nodes.2 = rabbit@mq-0.mq-members.cloud.svc
cluster_formation.classic_config.nodes.3 = rabbit@mq-2.mq-members.cloud.svc
`
	if diff := cmp.Diff(want, string(formation)); diff != "" {
		t.Errorf("formation (-want +got):\n%s", diff)
	}
	password := c.adminPassword([]byte("a cookie of twenty letters"))
	for _, e := range c.env() {
		if strings.Contains(e, "twenty letters") || strings.Contains(e, password) {
			t.Errorf("a secret is in the environment: %s", e)
		}
	}
}

func TestShortCookieIsRefused(t *testing.T) {
	c := config(t)
	if err := os.WriteFile(c.CookieFile, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(c); err == nil || !strings.Contains(err.Error(), "5 characters are too few") {
		t.Errorf("got %v, want a refusal of the cookie", err)
	}
}

func TestNode(t *testing.T) {
	c := Config{Pod: "my-mq-1", Domain: "d.svc"}
	if got := c.pod(c.node("my-mq-2")); got != "my-mq-2" {
		t.Errorf("the pod of my-mq-2's node is %s", got)
	}
}

func TestLastError(t *testing.T) {
	for name, test := range map[string]struct {
		log  []string
		want string
	}{
		"nothing":   {nil, "it has said nothing"},
		"last line": {[]string{"one", "two"}, "two"},
		"boot": {[]string{"BOOT FAILED", "Error during startup: {error,enospc}", "halt"},
			"Error during startup: {error,enospc}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := lastError(test.log); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Members that are missed for a moment are left to RabbitMQ; then they are connected to, and not all the time.
func TestMembersThatAreMissed(t *testing.T) {
	a, begin := absence{}, time.Now()
	for _, c := range []struct {
		after   time.Duration
		missing []string
		tried   bool
		want    []string
	}{
		{after: 0, missing: []string{"mq-0", "mq-1"}},
		{after: 4 * time.Second, missing: []string{"mq-0", "mq-1"}},
		{after: 5 * time.Second, missing: []string{"mq-0", "mq-1"}, tried: true, want: []string{"mq-0", "mq-1"}},
		{after: 6 * time.Second, missing: []string{"mq-0"}},
		{after: 19 * time.Second, missing: []string{"mq-0"}},
		{after: 20 * time.Second, missing: []string{"mq-0", "mq-1"}, tried: true, want: []string{"mq-0"}},
		{after: 40 * time.Second},
		{after: 41 * time.Second, missing: []string{"mq-0"}},
	} {
		now := begin.Add(c.after)
		if got := a.due(c.missing, now); !slices.Equal(got, c.want) {
			t.Errorf("after %s %v are due, want %v", c.after, got, c.want)
		}
		if c.tried {
			a.tried = now
		}
	}
}

func TestConnect(t *testing.T) {
	c := &Config{Pod: "mq-2", Domain: "members.cloud.svc"}
	const want = "[net_kernel:connect_node(N) || N <- ['rabbit@mq-0.members.cloud.svc', 'rabbit@mq-1.members.cloud.svc']]."
	if got := c.connect([]string{"mq-0", "mq-1"}); got != want {
		t.Errorf("the expression is %s, want %s", got, want)
	}
}
