package resources

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/bus"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/fetch"
)

// Opener opens sessions; *openstack.Pool is one.
type Opener func(ctx context.Context, scope string, c openstack.Config) (Door, error)

// Engine runs the controllers of all kinds on one set of sessions and mirrors.
type Engine struct {
	open  Opener
	began time.Time
	kinds map[string]*d.Kind
	order []string
	// absent are kinds whose definitions the cluster lacks.
	absent  map[string]bool
	clouds  *clouds
	links   links
	users   users
	holders holders
	// departed are the objects that are gone, for runs of them that still end.
	departed departed
	// bells wake the objects of a kind, clouds too.
	bells map[string]*bell
	// Cluster names the cluster whose objects the engine keeps, so that resources tell which one they are of; empty when
	// that is not known.
	Cluster string
	// Unseen tells whether objects of a kind may be there that nobody looks at, for want of a right. What they refer to is
	// not deleted. It may be nil.
	Unseen func(kind string) bool
	// Workers is how many objects of a kind are worked on at a time; the constant of that name when zero.
	Workers int
	// Dial connects with buses; that of the real world unless a test replaces it.
	Dial   bus.Dial
	events map[string][]*d.Kind
	// Internet is where data of images comes from; the real one unless a test replaces it.
	Internet fetch.Client
	// metrics count from the beginning, and show once Measure was called.
	metrics *metrics
}

// New returns an engine for kinds.
func New(kinds []*d.Kind, open Opener) *Engine {
	e := &Engine{open: open, began: time.Now(), kinds: map[string]*d.Kind{}, clouds: newClouds(),
		bells: map[string]*bell{}, Dial: bus.Connect, events: byEvent(kinds), metrics: newMetrics(),
		Internet: fetch.Client{Room: fetch.NewRoom()}}
	for _, k := range kinds {
		e.kinds[k.Name] = k
		e.order = append(e.order, k.Name)
	}
	e.clouds.wake, e.clouds.room = e.rouse, func(k *d.Kind) { e.room(k, cloudKey{}, false) }
	return e
}

// Lacks says which kinds the cluster does not serve: they have no controller, and nobody waits for objects of them.
func (e *Engine) Lacks(served func(kind string) bool) {
	e.absent = map[string]bool{}
	for _, name := range e.order {
		e.absent[name] = !served(name)
	}
}

// Controllers returns the controllers of clouds, and one for each kind, or for each of those that are named.
func (e *Engine) Controllers(scheme *runtime.Scheme, only ...string) ([]kit.Controller, error) {
	out, err := e.cloudControllers(scheme)
	if err != nil {
		return nil, err
	}
	for _, name := range e.order {
		if e.absent[name] || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		c := e.controller(name)
		e.bells[name] = &c.bell
		made, err := kit.New(c.definition(), scheme)
		if err != nil {
			return nil, fmt.Errorf("kind %s: %w", name, err)
		}
		out = append(out, made)
	}
	return out, nil
}

func (e *Engine) controller(kind string) *controller {
	return &controller{kind: e.kinds[kind], engine: e, bell: newBell(), retries: newBell(),
		turns: turns{workers: e.workers()}, empty: func() object { return openstackv1.New(kind) }}
}

func (e *Engine) workers() int { return cmp.Or(e.Workers, Workers) }

func (e *Engine) empty(kind string) client.Object { return openstackv1.New(kind) }

// cloudOf returns the cloud of an object.
func (e *Engine) cloudOf(sc *scope) (*cloud, *outcome.Outcome) {
	o := sc.Owner()
	keys := cloudsOf(o)
	if len(keys) > 1 && sc.Get(refCloud) != nil {
		// The other default must not stand in for this one while this one is not ready.
		keys = keys[:1]
	}
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		if cl := e.clouds.get(key); cl != nil {
			return cl, nil
		}
		names = append(names, cloudName(key, o.GetNamespace()))
	}
	what := strings.Join(names, " or ")
	if sc.Get(refCloud) != nil || sc.Get(refClusterCloud) != nil {
		return nil, outcome.Wait(what, "Waits until %s is ready; its conditions say why it is not.", what)
	}
	return nil, outcome.Wait(what, "There is no %s. Make it, or name another in spec.cloudRef.", what)
}

// cloudName names a cloud for people in a namespace.
func cloudName(key cloudKey, namespace string) string {
	if key.Namespace == "" {
		return kindClusterCloud + " " + key.Name
	}
	return node{kindCloud, key}.from(namespace)
}

// rouse wakes everybody who uses a cloud.
func (e *Engine) rouse(key cloudKey) {
	for _, w := range e.users.wakes(key) {
		w()
	}
}

// ring wakes the objects of clouds whose users have changed: they may have waited until there are none.
func (e *Engine) ring(keys []cloudKey) {
	for _, key := range keys {
		kind := kindCloud
		if key.Namespace == "" {
			kind = kindClusterCloud
		}
		if b := e.bells[kind]; b != nil {
			b.wake(key)
		}
	}
}

func lower(kind string) string { return strings.ToLower(kind) }
