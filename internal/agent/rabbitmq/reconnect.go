package rabbitmq

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// How long a member is missed before it is connected to, and the time between two tries.
const (
	missFor        = 5 * time.Second
	reconnectEvery = 15 * time.Second
	dialWithin     = time.Second
)

// distributionPort is where members talk to each other.
const distributionPort = "25672"

// absence remembers since when members are missed.
type absence struct {
	since map[string]time.Time
	tried time.Time
}

// due returns the members that have been missed for so long that they are to be connected to now.
func (a *absence) due(missing []string, now time.Time) []string {
	since := map[string]time.Time{}
	var out []string
	for _, pod := range missing {
		since[pod] = now
		if t, ok := a.since[pod]; ok {
			since[pod] = t
		}
		if now.Sub(since[pod]) >= missFor {
			out = append(out, pod)
		}
	}
	a.since = since
	if now.Sub(a.tried) < reconnectEvery {
		return nil
	}
	return out
}

// reconnect connects this broker to members that it misses and whose brokers can be reached. RabbitMQ 4.0 does that by
// itself only sometimes: a member that led the metadata store when the network between it and the others broke stays
// alone after the network is back, until somebody makes it talk to them (rabbitmq-server issue 12934).
func (t *term) reconnect(ctx context.Context, missing []string) {
	now := time.Now()
	reached := t.reachable(ctx, t.absent.due(missing, now))
	if len(reached) == 0 {
		return
	}
	t.absent.tried = now
	slog.Info("connecting to members that the broker has lost", "members", reached)
	if err := t.cfg.eval(ctx, t.cfg.connect(reached)); err != nil {
		slog.Warn("connecting to members that the broker has lost", "error", err)
	}
}

// connect is an Erlang expression that connects to the brokers of pods.
func (c *Config) connect(pods []string) string {
	names := make([]string, 0, len(pods))
	for _, pod := range pods {
		names = append(names, "'"+c.node(pod)+"'")
	}
	return "[net_kernel:connect_node(N) || N <- [" + strings.Join(names, ", ") + "]]."
}

// reachable returns the pods whose brokers listen.
func (t *term) reachable(ctx context.Context, pods []string) []string {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	var mu sync.Mutex
	var out []string
	var wg sync.WaitGroup
	for _, pod := range pods {
		wg.Go(func() {
			var d net.Dialer
			conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(pod+"."+t.cfg.Domain, distributionPort))
			if err != nil {
				return
			}
			_ = conn.Close()
			mu.Lock()
			defer mu.Unlock()
			out = append(out, pod)
		})
	}
	wg.Wait()
	slices.Sort(out)
	return out
}

// without returns the members that do not run.
func without(members, running []string) []string {
	return slices.DeleteFunc(slices.Clone(members), func(pod string) bool { return slices.Contains(running, pod) })
}
