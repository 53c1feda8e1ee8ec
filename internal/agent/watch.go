package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// lookEvery is how often a daemon is asked how it is.
const lookEvery = time.Second

// Watch is an agent without orders: it supervises one daemon, and answers the kubelet's probes by asking it. When the
// daemon ends by itself so does the container: nothing is lost by a new one.
type Watch struct {
	// Path and Args of the daemon.
	Path string
	Args []string
	// Look asks the daemon how it is; an error takes it out of service.
	Look func(ctx context.Context) error
	// Stop ends the daemon in its own way; nil sends it SIGTERM, as an error of Stop does.
	Stop func(ctx context.Context) error
	// HealthAddr answers probes.
	HealthAddr string

	down atomic.Pointer[string]
	beat atomic.Int64
}

func (w *Watch) refuse(why string) { w.down.Store(&why) }

func (w *Watch) alive() { w.beat.Store(time.Now().Unix()) }

// Run keeps the daemon going until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	w.refuse("it has not been asked yet")
	w.alive()
	serving, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- w.serveProbes(serving) }()
	p, err := Start(w.Path, w.Args, nil)
	if err != nil {
		return err
	}
	defer p.Reap()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		w.alive()
		select {
		case <-ctx.Done():
			w.stop(p)
			return nil
		case err := <-failed:
			p.Signal(syscall.SIGTERM)
			return fmt.Errorf("answering probes: %w", err)
		case <-p.Done():
			return fmt.Errorf("%s ended by itself: %s", w.Path, strings.Join(append(p.Tail(), fmt.Sprint(p.Err())), "; "))
		case <-tick.C:
			w.look(ctx)
		}
	}
}

// stop waits until the daemon has ended; the kubelet's grace period is the limit.
func (w *Watch) stop(p *Process) {
	if w.Stop == nil || w.Stop(context.Background()) != nil {
		p.Signal(syscall.SIGTERM)
	}
	<-p.Done()
}

func (w *Watch) look(ctx context.Context) {
	if err := w.Look(ctx); err != nil {
		w.refuse(err.Error())
		return
	}
	w.down.Store(nil)
}

// Ready is the readiness probe: the daemon does its work.
func (w *Watch) Ready() error {
	if why := w.down.Load(); why != nil {
		return errors.New(*why)
	}
	return nil
}

// Live is the liveness probe: this agent's loop turns. A daemon that ended ends the container at once.
func (w *Watch) Live() error {
	if time.Since(time.Unix(w.beat.Load(), 0)) > 30*time.Second {
		return errors.New("the agent's loop hangs")
	}
	return nil
}

func (w *Watch) serveProbes(ctx context.Context) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", w.HealthAddr)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /ready", Probe(w.Ready))
	mux.Handle("GET /live", Probe(w.Live))
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
