package bus_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stackwright.dev/stackwright/internal/openstack/bus"
)

// network is a bus at the boundary that listeners have.
type network struct {
	mu        sync.Mutex
	down      bool
	exchanges []string
	dials     []time.Time
	line      *wire
	state     []bus.State
	heard     []string
	missed    int
}

// wire is a line of it.
type wire struct {
	net  *network
	keys []string
	in   chan []byte
	cut  chan struct{}
}

func (n *network) dial(context.Context, bus.Config) (bus.Line, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dials = append(n.dials, time.Now())
	if n.down {
		return nil, errors.New("the bus does not answer")
	}
	n.line = &wire{net: n, in: make(chan []byte), cut: make(chan struct{})}
	return n.line, nil
}

func (w *wire) Bind(exchange string, keys []string) (bool, error) {
	w.net.mu.Lock()
	defer w.net.mu.Unlock()
	w.keys = keys
	return slices.Contains(w.net.exchanges, exchange), nil
}

func (w *wire) Next(ctx context.Context) ([]byte, error) {
	select {
	case b := <-w.in:
		return b, nil
	case <-w.cut:
		return nil, errors.New("the connection is lost")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *wire) Close() {}

// run starts a listener in a bubble.
func (n *network) run(t *testing.T) {
	t.Helper()
	l := &bus.Listener{Dial: n.dial, Config: bus.Config{Exchanges: bus.Exchanges([]string{"identity", "compute"})},
		Heard:   func(e bus.Event) { n.note(func() { n.heard = append(n.heard, e.Type) }) },
		Missed:  func() { n.note(func() { n.missed++ }) },
		Changed: func(s bus.State) { n.note(func() { n.state = append(n.state, s) }) }}
	go l.Run(t.Context())
	synctest.Wait()
}

func (n *network) note(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

func TestListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{exchanges: []string{"keystone"}}
		n.run(t)
		if !slices.Equal(n.line.keys, []string{"notifications.*", "versioned_notifications.*"}) {
			t.Errorf("the keys are %q", n.line.keys)
		}
		for _, body := range []string{`{"event_type": "port.create.start"}`, `no JSON`, `{"event_type": "port.create.end"}`} {
			n.line.in <- []byte(body)
		}
		synctest.Wait()
		if !slices.Equal(n.heard, []string{"port.create.end"}) || n.missed != 1 {
			t.Errorf("heard %q, missed %d", n.heard, n.missed)
		}
		n.note(func() { n.exchanges = append(n.exchanges, "nova") })
		<-time.After(20 * time.Second)
		synctest.Wait()
		last := n.state[len(n.state)-1]
		if !slices.Equal(last.Exchanges, []string{"keystone", "nova"}) || n.missed != 2 {
			t.Errorf("after there is another exchange the state is %v, missed %d", last, n.missed)
		}
	})
}

// A bus that is away is asked less and less, and whatever was sent meanwhile counts as missed.
func TestListenerComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{down: true, exchanges: []string{"keystone"}}
		n.run(t)
		<-time.After(10 * time.Minute)
		synctest.Wait()
		if tries := len(n.dials); tries < 10 || tries > 40 {
			t.Errorf("%d attempts in ten minutes", tries)
		}
		if s := n.state[len(n.state)-1]; s.Connected || s.Problem != "the bus does not answer" {
			t.Errorf("the state is %v", s)
		}
		n.note(func() { n.down = false })
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if s := n.state[len(n.state)-1]; !s.Connected || n.missed != 1 {
			t.Errorf("the state is %v, missed %d", s, n.missed)
		}
		close(n.line.cut)
		<-time.After(2 * time.Second)
		synctest.Wait()
		if s := n.state[len(n.state)-1]; !s.Connected || n.missed != 2 {
			t.Errorf("two seconds after a loss the state is %v, missed %d", s, n.missed)
		}
	})
}
