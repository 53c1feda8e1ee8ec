package resources

import (
	"cmp"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Workers is how many objects of a kind are worked on at a time unless Engine.Workers says otherwise.
const Workers = 24

// A run holds a worker while it waits for an answer, and a cloud that hangs answers after a minute. So the objects of
// one cloud hold a third of the workers of a kind, atOnce of the usual ones, and those of one that is slow hold one.
const (
	atOnce = Workers / 3
	slow   = 3 * time.Second
	// again is when it is looked for objects whose turn it is though nobody ends a run: those that were woken may not
	// exist any more.
	again = 10 * time.Second
)

// turns give the objects of one kind their turn, cloud by cloud.
type turns struct {
	mu    sync.Mutex
	lanes map[string]*lane
	// most is how many objects of a cloud may run, atOnce when it is zero.
	most int
}

// lane is one cloud, by its name: what waits for a session that is replaced goes on with the next.
type lane struct {
	// most is that of the turns.
	most int
	// since is when each run began.
	since map[types.NamespacedName]time.Time
	// waiting are those that were turned away, in the order in which they came.
	waiting []types.NamespacedName
	known   map[types.NamespacedName]bool
	// called are those whose turn it is, since when. Nobody takes their place before they come, or before they would have.
	called map[types.NamespacedName]time.Time
	// looks says that somebody will look again.
	looks bool
}

// turn implements kit.Definition.Turn.
func (c *controller) turn(o object) (done func()) {
	var cl *cloud
	for _, key := range cloudsOf(o) {
		if cl == nil {
			cl = c.engine.clouds.get(key)
		}
	}
	if cl == nil {
		return func() {}
	}
	key := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	if !c.turns.take(cl.name, key, time.Now()) {
		if c.turns.look(cl.name) {
			time.AfterFunc(again, func() { c.lookAgain(cl.name) })
		}
		return nil
	}
	return func() { c.wakeAll(c.turns.done(cl.name, key, time.Now())) }
}

func (c *controller) lookAgain(cloud string) {
	next, more := c.turns.next(cloud, time.Now())
	if more {
		time.AfterFunc(again, func() { c.lookAgain(cloud) })
	}
	c.wakeAll(next)
}

func (c *controller) wakeAll(keys []types.NamespacedName) {
	for _, key := range keys {
		c.bell.wake(key)
	}
}

// take tells whether it is the turn of an object; if not, it is among the next.
func (t *turns) take(c string, key types.NamespacedName, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lanes == nil {
		t.lanes = map[string]*lane{}
	}
	l := t.lanes[c]
	if l == nil {
		l = &lane{most: cmp.Or(t.most, atOnce), since: map[types.NamespacedName]time.Time{},
			known: map[types.NamespacedName]bool{}, called: map[types.NamespacedName]time.Time{}}
		t.lanes[c] = l
	}
	_, called := l.called[key]
	delete(l.called, key)
	if called || l.room(now) > 0 {
		l.since[key] = now
		return true
	}
	if !l.known[key] {
		l.known[key] = true
		l.waiting = append(l.waiting, key)
	}
	return false
}

// done ends a run and returns those whose turn it is.
func (t *turns) done(c string, key types.NamespacedName, now time.Time) []types.NamespacedName {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lanes[c]
	delete(l.since, key)
	return t.pop(c, l, now)
}

// look tells whether the caller has to look again.
func (t *turns) look(c string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lanes[c]
	if l == nil || l.looks {
		return false
	}
	l.looks = true
	return true
}

// next returns those whose turn it is, and whether to look again.
func (t *turns) next(c string, now time.Time) (next []types.NamespacedName, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lanes[c]
	if l == nil {
		return nil, false
	}
	next = t.pop(c, l, now)
	// Those that were called and never come are to be forgotten, too.
	l.looks = len(l.waiting) > 0 || len(l.called) > 0
	return next, l.looks
}

func (t *turns) pop(c string, l *lane, now time.Time) []types.NamespacedName {
	n := min(max(l.room(now), 0), len(l.waiting))
	next := l.waiting[:n:n]
	l.waiting = l.waiting[n:]
	for _, k := range next {
		delete(l.known, k)
		l.called[k] = now
	}
	if len(l.since) == 0 && len(l.waiting) == 0 && len(l.called) == 0 {
		delete(t.lanes, c)
	}
	return next
}

// room is how many more may run.
func (l *lane) room(now time.Time) int {
	maps.DeleteFunc(l.called, func(_ types.NamespacedName, at time.Time) bool { return now.Sub(at) >= again })
	limit := l.most
	for _, since := range l.since {
		if now.Sub(since) > slow {
			limit = 1
		}
	}
	return limit - len(l.since) - len(l.called)
}
