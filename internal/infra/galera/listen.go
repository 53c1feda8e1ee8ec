package galera

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
)

// Listener hears from the members' agents when something changes, so that a failed writer is noticed before Kubernetes
// notices, and nobody has to poll. It holds one request to each member.
type Listener struct {
	dial Dial

	mu       sync.Mutex
	wake     func(types.NamespacedName)
	ctx      context.Context
	clusters map[types.NamespacedName]*ear
	pictures map[types.NamespacedName]picture
}

// ear listens to one cluster.
type ear struct {
	credentials string
	pods        int
	stop        context.CancelFunc
	touched     time.Time
}

// NewListener returns a listener that calls agents through dial.
func NewListener(dial Dial) *Listener {
	return &Listener{dial: dial, clusters: map[types.NamespacedName]*ear{}, pictures: map[types.NamespacedName]picture{}}
}

// Run makes wake known until ctx ends; nothing is listened to before.
func (l *Listener) Run(ctx context.Context, wake func(types.NamespacedName)) {
	l.mu.Lock()
	l.ctx, l.wake = ctx, wake
	l.mu.Unlock()
	<-ctx.Done()
}

// Pace of listening.
const (
	// hold is for how long an agent holds a request without news. A member that cannot be reached is noticed after
	// that and a bit.
	hold = 5 * time.Second
	// deaf is how long to wait before a member that did not answer is asked again.
	deaf = 2 * time.Second
	// forget ends the listening to a cluster of which no member answers and that nobody asks for.
	forget = 10 * time.Minute
)

// Listen makes changes of the cluster's members wake its owner.
func (l *Listener) Listen(key types.NamespacedName, c agent.Credentials, domain string, pods []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx == nil || l.ctx.Err() != nil {
		return
	}
	known := l.clusters[key]
	id := string(c.CA) + string(c.Cert)
	if known != nil && known.credentials == id && known.pods == len(pods) {
		known.touched = time.Now()
		return
	}
	caller, err := l.dial(c)
	if err != nil {
		return // the step that called has failed for the same reason
	}
	if known != nil {
		known.stop()
	}
	ctx, stop := context.WithCancel(l.ctx)
	e := &ear{credentials: id, pods: len(pods), stop: stop, touched: time.Now()}
	l.clusters[key] = e
	m := &Members{Caller: caller, Domain: domain}
	for _, p := range pods {
		go l.member(ctx, key, e, m, p)
	}
	context.AfterFunc(ctx, caller.Close)
}

// member listens to one member.
func (l *Listener) member(ctx context.Context, key types.NamespacedName, e *ear, m *Members, pod string) {
	var last mariadb.State
	answered, heard := false, time.Now()
	for ctx.Err() == nil {
		asked := time.Now()
		s, err := m.News(ctx, pod, mariadb.Since{Version: last.Version, Hold: hold})
		if ctx.Err() != nil {
			return
		}
		news := (err == nil) != answered || err == nil && s.Version != last.Version
		if news {
			l.wake(key)
		}
		answered, last = err == nil, s
		if answered {
			heard = time.Now()
		}
		if answered && (news || time.Since(asked) >= hold/2) {
			continue
		}
		if time.Since(heard) > forget && l.forgotten(key, e) {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(deaf):
		}
	}
}

// forgotten drops a cluster that nobody has asked for in a long time, such as a deleted one.
func (l *Listener) forgotten(key types.NamespacedName, e *ear) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(e.touched) < forget {
		return false
	}
	if l.clusters[key] == e {
		delete(l.clusters, key)
		delete(l.pictures, key)
	}
	e.stop()
	return true
}

// picture is what was last seen of a cluster, and since when it has been down.
type picture struct {
	down    bool
	since   time.Time
	reports map[string]mariadb.State
}

// Note remembers what was seen of a cluster.
func (l *Listener) Note(key types.NamespacedName, p picture) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.pictures[key]; old.down && p.down {
		p.since = old.since
	}
	l.pictures[key] = p
}

// Still tells for how long a cluster has been down.
func (l *Listener) Still(key types.NamespacedName, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.pictures[key]; p.down {
		return now.Sub(p.since)
	}
	return 0
}

// Last returns the members' states as they were last seen.
func (l *Listener) Last(key types.NamespacedName) map[string]mariadb.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pictures[key].reports
}
