package resources

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/fetch"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// cloudKey names a Cloud by namespace and name, or a ClusterCloud by name alone.
type cloudKey = types.NamespacedName

// label names a cloud in metrics.
func label(key cloudKey) string { return strings.TrimPrefix(key.String(), "/") }

// terms are what the object of a cloud says about its use.
type terms struct {
	period time.Duration
	// everywhere lists the resources of all projects.
	everywhere bool
	// kinds that may be used; all when empty.
	kinds []string
	// admits tells whether objects in a namespace with these labels may use the cloud.
	admits labels.Selector
	// sources are the hosts that data of images may come from although they are private, guard checks them.
	sources []string
	guard   fetch.Guard
	// largest is the size in bytes of data that the operator uploads at most; 0 for the usual one.
	largest int64
}

func (t terms) same(u terms) bool {
	return slices.Equal(t.kinds, u.kinds) && slices.Equal(t.sources, u.sources) && t.largest == u.largest &&
		t.admits.String() == u.admits.String()
}

// cloud is a cloud that a session is open to, with the mirrors of its kinds.
type cloud struct {
	name   string
	key    cloudKey
	door   Door
	period time.Duration
	seed   maphash.Seed
	ctx    context.Context // ends with the session
	end    context.CancelFunc

	// slots are taken by uploads.
	slots chan struct{}

	mu      sync.Mutex
	terms   terms
	mirrors map[string]*watched
	surveys map[string]*survey
	ear     ear

	// recovery has those that wait for a service, by its type, full those that a quota refused, by their kinds. room is
	// called when a list shows that something has changed that restricts others.
	recovery recovery
	full     crowds
	room     func(*d.Kind)
}

// requests is the door through which requests go.
func (c *cloud) requests() Door { return listening{c.door, &c.recovery} }

// refuses tells why an object may not use the cloud, or nothing.
func (c *cloud) refuses(kind string, namespace map[string]string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.terms.kinds) > 0 && !slices.Contains(c.terms.kinds, kind):
		return "is not for objects of kind " + kind + "; its spec.kinds has " + strings.Join(c.terms.kinds, ", ")
	case !c.terms.admits.Matches(labels.Set(namespace)):
		return "is not for objects of this namespace; its spec.namespaceSelector is " + c.terms.admits.String()
	}
	return ""
}

// watched is a mirror and the lister that it reads with.
type watched struct {
	*mirror.Mirror
	lister *lister
	stop   context.CancelFunc
	// asked is when a run got it last.
	asked time.Time
}

// quick is the time between two lists while something is pending; overlap is how far clocks may differ.
const (
	quick   = 2 * time.Second
	overlap = time.Minute
	// debounce is the time between a notification and the list that it asks for: others come with it.
	debounce = time.Second
	// idle is for how many periods a mirror is kept that nobody follows and no run has got: parents come and go, and each
	// has mirrors of its parts.
	idle = 3
)

// pace is the time between two lists of a kind.
func (c *cloud) pace(k *d.Kind) time.Duration {
	return min(c.period, cmp.Or(k.List.Within, c.period))
}

// mirror returns the mirror of a kind below a parent, which the values name.
func (c *cloud) mirror(k *d.Kind, values map[string]any) (*watched, error) {
	path, missing := body.Path(listPath(k), values)
	if missing != "" {
		return nil, fmt.Errorf("a %s needs %s: it is a part of it", k.Name, missing)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := k.Name + path
	if w := c.mirrors[name]; w != nil {
		w.asked = time.Now()
		return w, nil
	}
	parent := map[string]any{}
	for _, name := range holes(listPath(k)) {
		parent[name] = values[name]
	}
	l := &lister{kind: k, door: c.requests(), path: path, parent: parent, everywhere: c.terms.everywhere, seed: c.seed,
		watch: c.watch(k, parent)}
	ctx, stop := context.WithCancel(c.ctx)
	w := &watched{lister: l, stop: stop, asked: time.Now()}
	o := mirror.Options{Period: c.pace(k), Quick: quick, Overlap: overlap, Debounce: debounce,
		TellsGone: k.List.Changes == "" || k.List.TellsGone, Idle: func() bool { return c.retire(name, w) }}
	if restricts(k) {
		o.Changed = func() { c.room(k) }
	}
	w.Mirror = mirror.New(l, o)
	c.mirrors[name] = w
	go w.Run(ctx)
	return w, nil
}

// retire drops a mirror that nobody has used for long, and tells whether it did.
func (c *cloud) retire(name string, w *watched) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(w.asked) < idle*c.period || !w.Close() {
		return false
	}
	delete(c.mirrors, name)
	w.lister.watch.drop()
	w.stop()
	return true
}

// clouds are the clouds that sessions are open to.
type clouds struct {
	mu   sync.RWMutex
	open map[cloudKey]*cloud
	// wake is called when a cloud opens, closes or changes, room when somebody else has changed what restricts others.
	wake func(cloudKey)
	room func(*d.Kind)
}

func newClouds() *clouds {
	return &clouds{open: map[cloudKey]*cloud{}, wake: func(cloudKey) {}, room: func(*d.Kind) {}}
}

func (c *clouds) get(key cloudKey) *cloud {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.open[key]
}

// set takes over a session; the mirrors of another one under the same key end.
func (c *clouds) set(key cloudKey, door Door, t terms) {
	c.mu.Lock()
	old := c.open[key]
	if old != nil && same(old.door, door) && old.period == t.period && old.terms.everywhere == t.everywhere {
		c.mu.Unlock()
		old.mu.Lock()
		changed := !old.terms.same(t)
		old.terms = t
		old.mu.Unlock()
		if changed {
			c.wake(key)
		}
		return
	}
	ctx, end := context.WithCancel(context.Background())
	c.open[key] = &cloud{key: key, name: label(key), door: door, period: t.period, terms: t, seed: maphash.MakeSeed(),
		ctx: ctx, end: end, slots: make(chan struct{}, parallelUploads), mirrors: map[string]*watched{},
		surveys: map[string]*survey{}, room: c.room}
	c.mu.Unlock()
	if old != nil {
		old.end()
		old.renewed()
	}
	c.wake(key)
}

func (c *clouds) drop(key cloudKey) {
	c.mu.Lock()
	old := c.open[key]
	delete(c.open, key)
	c.mu.Unlock()
	if old != nil {
		old.end()
	}
}

// end stops the lists of all clouds.
func (c *clouds) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, cl := range c.open {
		cl.end()
		delete(c.open, key)
	}
}
