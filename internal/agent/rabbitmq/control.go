package rabbitmq

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"stackwright.dev/stackwright/internal/agent"
)

// tool runs one of RabbitMQ's command line tools, for what the management API cannot do. Each run starts an Erlang
// machine and takes about a second, so nothing that is asked often goes this way. No argument is ever a secret.
func (c *Config) tool(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(c.Home, "bin", name), append([]string{"--silent"}, args...)...)
	cmd.Env = append(os.Environ(), c.env()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("running %s %s: %w: %s", name, args[0], err, lastLines(string(out), 3))
	}
	return nil
}

// eval runs an Erlang expression in the broker, which may still be starting.
func (c *Config) eval(ctx context.Context, expression string) error {
	return c.tool(ctx, "rabbitmqctl", "eval", expression)
}

// Erlang expressions of RabbitMQ for what no command exists.
const (
	// The metadata store drops all other members, which are gone.
	shrinkStore = "rabbit_khepri:force_shrink_member_to_current_member()."
	// So do all quorum queues.
	shrinkQueues = "rabbit_quorum_queue:force_all_queues_shrink_member_to_current_member()."
	// Quorum queues of which this member knows no leader vote for one.
	electLeaders = "[ra:trigger_election({Name, node()}) || Q <- rabbit_amqqueue:list(), " +
		"amqqueue:get_type(Q) =:= rabbit_quorum_queue, {Name, _} <- [amqqueue:get_pid(Q)], " +
		"ra_leaderboard:lookup_leader(Name) =:= undefined, " +
		"lists:member(node(), maps:get(nodes, amqqueue:get_type_state(Q)))]."
	// Erlang caches certificates for two minutes.
	forgetCertificates = "ssl:clear_pem_cache()."
)

func lastLines(s string, n int) string {
	l := agent.Lines(s)
	return strings.Join(l[max(0, len(l)-n):], "; ")
}
