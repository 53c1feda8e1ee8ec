package chassis

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tool stands for ovsdb-tool.
func tool(needs string, orders *[]string) runner {
	return func(_ context.Context, _ string, args ...string) (string, error) {
		*orders = append(*orders, args[0])
		if args[0] == "create" {
			return "", os.WriteFile(args[1], []byte("made"), 0o600)
		}
		return map[string]string{"needs-conversion": needs}[args[0]], nil
	}
}

// write makes a file, unless there is nothing to write.
func write(t *testing.T, path, content string) {
	t.Helper()
	if content == "" {
		return
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPrepare(t *testing.T) {
	for name, test := range map[string]struct {
		have, needs string
		want        []string
	}{
		"nothing":        {"", "", []string{"create"}},
		"current schema": {"kept", "no", []string{"needs-conversion"}},
		"older schema":   {"kept", "yes", []string{"needs-conversion", "convert"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Config{Database: filepath.Join(t.TempDir(), "conf.db"), Schema: "schema"}
			write(t, c.Database+".new", "half") // what a start that was cut off has left
			write(t, c.Database, test.have)
			var orders []string
			if err := c.prepare(t.Context(), tool(test.needs, &orders)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(orders, test.want) {
				t.Errorf("ovsdb-tool was told to %v, want %v", orders, test.want)
			}
			content, err := os.ReadFile(c.Database)
			if want := map[bool]string{true: "made", false: "kept"}[test.have == ""]; err != nil || string(content) != want {
				t.Errorf("the file has %q, want %q: %v", content, want, err)
			}
		})
	}
}

func TestDatabaseListensAtASocketOnly(t *testing.T) {
	c := Config{Database: "/var/lib/openvswitch/conf.db", RunDir: t.TempDir()}
	if err := c.writeConfig(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(c.run("database.json"))
	text, want := string(b), `"punix:`+c.run("db.sock")+`":{}`
	if err != nil || !strings.Contains(text, want) || strings.Contains(text, "ptcp") {
		t.Errorf("it listens at %s: %v", text, err)
	}
}
