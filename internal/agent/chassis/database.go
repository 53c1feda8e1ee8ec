package chassis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/ovs"
)

// Database makes the file of Open vSwitch's database, or brings it to the schema of this image, and serves it.
func Database(ctx context.Context, c Config) error {
	if err := errors.Join(c.prepare(ctx, agent.Output), c.writeConfig()); err != nil {
		return err
	}
	socket := c.run("ovsdb-server.ctl")
	return ovs.Run(ctx, ovs.Config{Socket: socket, HealthAddr: c.HealthAddr, Daemon: []string{
		"ovsdb-server", "--config-file=" + c.run("database.json"), "--unixctl=" + socket, "-vconsole:info",
		"-vsyslog:off"}})
}

// writeConfig writes where the server listens. Told by flags it would keep them in a file of /tmp, which is not there.
func (c *Config) writeConfig() error {
	b, err := json.Marshal(map[string]any{
		"remotes":   map[string]any{"punix:" + c.run("db.sock"): map[string]any{}},
		"databases": map[string]any{c.Database: map[string]any{}},
	})
	if err == nil {
		err = os.WriteFile(c.run("database.json"), b, 0o600)
	}
	if err != nil {
		return fmt.Errorf("writing where Open vSwitch's database listens: %w", err)
	}
	return nil
}

// prepare runs while no server has the file.
func (c *Config) prepare(ctx context.Context, run runner) error {
	_, err := os.Stat(c.Database)
	if errors.Is(err, fs.ErrNotExist) {
		return c.create(ctx, run)
	}
	if err != nil {
		return fmt.Errorf("looking for Open vSwitch's database: %w", err)
	}
	old, err := run(ctx, "ovsdb-tool", "needs-conversion", c.Database, c.Schema)
	if err == nil && old == "yes" {
		slog.Info("bringing Open vSwitch's database to the schema of this image")
		_, err = run(ctx, "ovsdb-tool", "convert", c.Database, c.Schema)
	}
	return err
}

// create makes an empty database under another name, so that one that was cut off is not taken for a whole one.
func (c *Config) create(ctx context.Context, run runner) error {
	next := c.Database + ".new"
	if err := os.RemoveAll(next); err != nil {
		return fmt.Errorf("making Open vSwitch's database: %w", err)
	}
	if _, err := run(ctx, "ovsdb-tool", "create", next, c.Schema); err != nil {
		return err
	}
	if err := os.Rename(next, c.Database); err != nil {
		return fmt.Errorf("making Open vSwitch's database: %w", err)
	}
	return nil
}

// runner runs a program and returns what it prints, as agent.Output does.
type runner func(ctx context.Context, name string, args ...string) (string, error)
