package galera

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// line is a connection to members of which one has news now and then.
type line struct {
	mu      sync.Mutex
	version int64
	cut     bool
	asked   int
	changed chan struct{}
}

func (l *line) Close() {}

// Call holds a request until there is news, as an agent does.
func (l *line) Call(ctx context.Context, _, _ string, in, out any) error {
	since, _ := in.(mariadb.Since)
	l.mu.Lock()
	l.asked++
	changed := l.changed
	l.mu.Unlock()
	if l.version <= since.Version && !l.cut {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-time.After(since.Hold):
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return errors.New("no route to host")
	}
	out.(*mariadb.State).Version = l.version
	return nil
}

func (l *line) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	close(l.changed)
	l.changed = make(chan struct{})
}

func TestListenerWakesOnNewsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := &line{version: 1, changed: make(chan struct{})}
		l := NewListener(func(agent.Credentials) (Caller, error) { return conn, nil })
		woken, key := 0, types.NamespacedName{Namespace: "ns", Name: "g"}
		ctx, cancel := context.WithCancel(t.Context())
		go l.Run(ctx, func(types.NamespacedName) { woken++ })
		synctest.Wait()
		l.Listen(key, agent.Credentials{}, "pods", []string{"g-0"})
		synctest.Wait()
		step := func(what string, d time.Duration, want int, f func()) {
			t.Helper()
			before := woken
			conn.change(f)
			<-time.After(d)
			synctest.Wait()
			if got := woken - before; got != want {
				t.Errorf("%s: woken %d times, want %d", what, got, want)
			}
		}
		if woken != 1 {
			t.Errorf("the first answer woke %d times, want once", woken)
		}
		step("nothing new for an hour", time.Hour, 0, func() {})
		if n := conn.asked; n > 3600/4 {
			t.Errorf("asked %d times in an hour", n)
		}
		step("news", time.Millisecond, 1, func() { conn.version++ })
		step("cut off", time.Minute, 1, func() { conn.cut = true })
		step("back", time.Minute, 1, func() { conn.cut = false })
		l.Note(key, picture{down: true})
		asked := conn.asked
		step("gone for good", time.Hour, 1, func() { conn.cut = true })
		if len(l.clusters) != 0 || len(l.pictures) != 0 || conn.asked-asked > 400 {
			t.Errorf("a cluster that is gone is asked on and on: %d times", conn.asked-asked)
		}
		cancel()
		synctest.Wait()
	})
}

func TestPictureTellsSinceWhenAClusterIsDown(t *testing.T) {
	l, key, begin := NewListener(nil), types.NamespacedName{Name: "g"}, time.Unix(1000, 0)
	l.Note(key, picture{down: true, since: begin})
	l.Note(key, picture{down: true, since: begin.Add(time.Minute)})
	if got := l.Still(key, begin.Add(2*time.Minute)); got != 2*time.Minute {
		t.Errorf("it is down for %s, want 2m", got)
	}
	l.Note(key, picture{since: begin.Add(time.Hour)})
	if got := l.Still(key, begin.Add(2*time.Hour)); got != 0 {
		t.Errorf("it runs and is down for %s", got)
	}
}
