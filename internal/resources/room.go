package resources

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// crowds have the objects that a quota has refused, by their kinds. Their own pauses grow to ten minutes. Who raises a
// quota with a client of his own tells nobody: so one of each crowd tries when nobody has for a while, and who got in
// lets the next one try. That is a request a minute, however many there are, and one for each that got in.
type crowds struct {
	mu sync.Mutex
	of map[string]*throng
}

// throng are those of one kind.
type throng struct {
	waiting map[types.UID]*refusal
	// scout lets one of them try.
	scout *time.Timer
}

// refusal is an object that was refused, first at since and last at tried.
type refusal struct {
	since, tried time.Time
	retry        func()
}

// One of a crowd tries this long after the last refusal, but none that has been refused for longer than patient: most
// quotas are never raised, and images send data before they are refused.
const (
	scouting = 50 * time.Second
	patient  = 10 * time.Minute
)

// wait notes an object of a kind that was refused now.
func (c *crowds) wait(kind string, uid types.UID, retry func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]*throng{}
	}
	x := c.of[kind]
	if x == nil {
		x = &throng{waiting: map[types.UID]*refusal{}, scout: time.AfterFunc(scouting, func() { c.next(kind, true) })}
		c.of[kind] = x
	}
	now := time.Now()
	if x.waiting[uid] == nil {
		x.waiting[uid] = &refusal{since: now}
	}
	x.waiting[uid].tried, x.waiting[uid].retry = now, retry
	x.scout.Reset(scouting)
}

// next lets the object of a kind try whose last try is the longest ago; a scout is one that is not out of patience.
func (c *crowds) next(kind string, scout bool) {
	c.mu.Lock()
	var first *refusal
	if x := c.of[kind]; x != nil {
		for _, r := range x.waiting {
			if (first == nil || r.tried.Before(first.tried)) && !(scout && time.Since(r.since) > patient) {
				first = r
			}
		}
	}
	c.mu.Unlock()
	if first != nil {
		first.retry()
	}
}

// left forgets an object, and tells whether it was refused before.
func (c *crowds) left(kind string, uid types.UID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := c.of[kind]
	if x == nil || x.waiting[uid] == nil {
		return false
	}
	delete(x.waiting, uid)
	c.shrink(kind, x)
	return true
}

// end has all of all kinds try again.
func (c *crowds) end() {
	c.mu.Lock()
	kinds := slices.Collect(maps.Keys(c.of))
	c.mu.Unlock()
	for _, kind := range kinds {
		c.over(kind)
	}
}

// over has all of a kind try again.
func (c *crowds) over(kind string) {
	c.mu.Lock()
	var all []*refusal
	if x := c.of[kind]; x != nil {
		for uid, r := range x.waiting {
			all = append(all, r)
			delete(x.waiting, uid)
		}
		c.shrink(kind, x)
	}
	c.mu.Unlock()
	for _, r := range all {
		r.retry()
	}
}

func (c *crowds) shrink(kind string, x *throng) {
	if len(x.waiting) == 0 {
		x.scout.Stop()
		delete(c.of, kind)
	}
}

// room has everybody try again whom a quota refused, and for whom there may be room now that a resource of a kind is
// changed or gone. A quota may be an administrator's, who comes to the same cloud by another object.
func (e *Engine) room(k *d.Kind, key cloudKey, gone bool) {
	if cl := e.clouds.get(key); cl != nil && gone {
		cl.full.over(k.Name)
	}
	if !restricts(k) {
		return
	}
	for _, cl := range e.clouds.all() {
		for _, limited := range e.kinds {
			if k.Limits || limited.Service == k.Service {
				cl.full.over(limited.Name)
			}
		}
	}
}

// restricts tells whether resources of a kind say how many there may be of others.
func restricts(k *d.Kind) bool { return k.Limits || k.Shape == d.Singleton }
