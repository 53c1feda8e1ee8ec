package mariadb

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"time"

	"stackwright.dev/stackwright/internal/agent"
)

// peers asks the agents of all other members for their state; those that do not answer within a second are left out.
func (a *Agent) peers(ctx context.Context) []State {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	hosts, err := net.DefaultResolver.LookupHost(ctx, a.cfg.Domain)
	if err != nil {
		return nil
	}
	conf, err := a.certs.Client()
	if err != nil {
		slog.Error("asking peers", "error", err)
		return nil
	}
	// Any name in the Service's domain is in the members' common certificate.
	conf.ServerName = "peer." + a.cfg.Domain
	c := agent.NewClient(conf)
	defer c.Close()
	var mu sync.Mutex
	var out []State
	var wg sync.WaitGroup
	for _, h := range hosts {
		if h == a.cfg.IP {
			continue
		}
		wg.Go(func() {
			var s State
			if err := c.Call(ctx, h, "GET /v1/state", nil, &s); err == nil && s.Pod != a.cfg.Pod {
				mu.Lock()
				out = append(out, s)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return out
}
