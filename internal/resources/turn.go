package resources

import (
	"cmp"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/owner"

	"stackwright.dev/stackwright/internal/openstack"
)

// Workers is how many objects of a kind are worked on at a time unless Engine.Workers says otherwise.
const Workers = 24

// A run holds a worker while it waits for an answer, and a cloud that hangs answers after a minute. So the objects of
// one cloud hold a third of the workers of a kind, atOnce of the usual ones, those of one that is slow hold one, and
// nobody holds more than are left for others.
const (
	atOnce = Workers / 3
	slow   = 3 * time.Second
	// again is when it is looked for objects whose turn it is though nobody ends a run: those that were woken may not
	// exist any more.
	again = 10 * time.Second
)

// turns give the objects of one kind their turn: the cloud that has the fewest workers first, and of a cloud each
// namespace after the other.
type turns struct {
	mu    sync.Mutex
	lanes map[string]*lane
	// workers of the kind, Workers when it is zero.
	workers int
	// served counts those who were given their turn.
	served int
}

// lane is one cloud, by its name: what waits for a session that is replaced goes on with the next.
type lane struct {
	// since is when each run began.
	since map[types.NamespacedName]time.Time
	// waiting are those that were turned away, known where they wait.
	waiting openstack.Queue[types.NamespacedName]
	known   map[types.NamespacedName]openstack.Lane
	// called are those whose turn it is, since when. Nobody takes their place before they come, or before they would have.
	called map[types.NamespacedName]time.Time
	// served is the number of the last one of the cloud that was given its turn.
	served int
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
	if !c.turns.take(cl.name, key, laneOf(o), time.Now()) {
		if c.turns.look(cl.name) {
			time.AfterFunc(again, func() { c.lookAgain(cl.name) })
		}
		return nil
	}
	return func() { c.wakeAll(c.turns.done(cl.name, key, time.Now())) }
}

// laneOf says how urgent the run of an object is: what is not as declared goes before what is only looked after.
func laneOf(o object) openstack.Lane {
	s := o.KitStatus()
	step := s.Find(stepResource)
	rests := step != nil && step.State == owner.StepDone && s.ObservedGeneration == o.GetGeneration() &&
		o.GetDeletionTimestamp().IsZero()
	if rests {
		return openstack.Drift
	}
	return openstack.Urgent
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
func (t *turns) take(c string, key types.NamespacedName, urgency openstack.Lane, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lanes == nil {
		t.lanes = map[string]*lane{}
	}
	l := t.lanes[c]
	if l == nil {
		l = &lane{since: map[types.NamespacedName]time.Time{}, known: map[types.NamespacedName]openstack.Lane{},
			called: map[types.NamespacedName]time.Time{}}
		t.lanes[c] = l
	}
	_, called := l.called[key]
	delete(l.called, key)
	if called || l.room(t.free(now), t.most(), now) {
		l.leave(key)
		t.serve(l)
		l.since[key] = now
		return true
	}
	if old, ok := l.known[key]; !ok || urgency < old {
		l.leave(key)
		l.known[key] = urgency
		l.waiting.Push(urgency, key.Namespace, key)
	}
	return false
}

// leave takes one out of those that wait.
func (l *lane) leave(key types.NamespacedName) {
	if old, ok := l.known[key]; ok {
		l.waiting.Remove(old, key.Namespace, key)
		delete(l.known, key)
	}
}

// done ends a run and returns those whose turn it is.
func (t *turns) done(c string, key types.NamespacedName, now time.Time) []types.NamespacedName {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.lanes[c].since, key)
	next := t.pop(now)
	t.tidy(c)
	return next
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
	next = t.pop(now)
	t.tidy(c)
	// Those that were called and never come are to be forgotten, too.
	l.looks = l.waiting.Len() > 0 || len(l.called) > 0
	return next, l.looks
}

// pop calls as many as may run.
func (t *turns) pop(now time.Time) (next []types.NamespacedName) {
	for {
		l := t.neediest(now)
		if l == nil {
			return next
		}
		key, _ := l.waiting.Pop()
		delete(l.known, key)
		l.called[key] = now
		t.serve(l)
		next = append(next, key)
	}
}

// neediest is the cloud whose turn it is; nil when nobody who waits may run.
func (t *turns) neediest(now time.Time) (first *lane) {
	free := t.free(now)
	for _, l := range t.lanes {
		if l.waiting.Len() == 0 || !l.room(free, t.most(), now) {
			continue
		}
		if first == nil || cmp.Or(l.held(now)-first.held(now), l.served-first.served) < 0 {
			first = l
		}
	}
	return first
}

func (t *turns) serve(l *lane) {
	t.served++
	l.served = t.served
}

// tidy forgets a cloud of which nobody runs or waits.
func (t *turns) tidy(c string) {
	if l := t.lanes[c]; len(l.since) == 0 && l.waiting.Len() == 0 && len(l.called) == 0 {
		delete(t.lanes, c)
	}
}

// most is how many workers a cloud may have.
func (t *turns) most() int { return max(cmp.Or(t.workers, Workers)/3, 1) }

// free is how many workers nobody has, or was promised.
func (t *turns) free(now time.Time) int {
	n := cmp.Or(t.workers, Workers)
	for _, l := range t.lanes {
		n -= l.held(now)
	}
	return n
}

// room tells whether one more of a cloud may run.
func (l *lane) room(free, most int, now time.Time) bool {
	for _, since := range l.since {
		if now.Sub(since) > slow {
			most = 1
		}
	}
	return l.held(now) < min(most, free)
}

// held is how many workers a cloud has, or was promised.
func (l *lane) held(now time.Time) int {
	maps.DeleteFunc(l.called, func(_ types.NamespacedName, at time.Time) bool { return now.Sub(at) >= again })
	return len(l.since) + len(l.called)
}
