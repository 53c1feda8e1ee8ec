package resources

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
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
	absent map[string]bool
	clouds *clouds
	links  links
	bells  map[string]*bell
	// Dial connects with buses; that of the real world unless a test replaces it.
	Dial   bus.Dial
	events map[string][]*d.Kind
	// Internet is where data of images comes from; the real one unless a test replaces it.
	Internet fetch.Client
	// metrics count from the beginning, and show once Measure was called.
	metrics *metrics

	mu sync.Mutex
	// users are the objects that asked for a cloud, by what wakes them.
	users map[cloudKey]map[string]func()
}

// New returns an engine for kinds.
func New(kinds []*d.Kind, open Opener) *Engine {
	e := &Engine{open: open, began: time.Now(), kinds: map[string]*d.Kind{}, clouds: newClouds(),
		users: map[cloudKey]map[string]func(){}, bells: map[string]*bell{}, Dial: bus.Connect, events: byEvent(kinds),
		metrics: newMetrics()}
	for _, k := range kinds {
		e.kinds[k.Name] = k
		e.order = append(e.order, k.Name)
	}
	e.clouds.wake = e.rouse
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
		c := &controller{kind: e.kinds[name], engine: e, bell: newBell(),
			empty: func() object { return openstackv1.New(name) }}
		e.bells[name] = &c.bell
		made, err := kit.New(c.definition(), scheme)
		if err != nil {
			return nil, fmt.Errorf("kind %s: %w", name, err)
		}
		out = append(out, made)
	}
	return out, nil
}

func (e *Engine) empty(kind string) client.Object { return openstackv1.New(kind) }

// cloudOf returns the cloud of an object.
func (e *Engine) cloudOf(o object) (*cloud, *outcome.Outcome) {
	keys := append(cloudKeys(o), clusterCloudKeys(o)...)
	for _, key := range keys {
		if cl := e.clouds.get(key); cl != nil {
			return cl, nil
		}
	}
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		names = append(names, cloudName(key))
	}
	what := strings.Join(names, " or ")
	return nil, outcome.Wait(what, "Waits until %s is ready. Make it, or name another in spec.cloudRef.", what)
}

func cloudName(key cloudKey) string {
	if key.Namespace == "" {
		return "ClusterCloud " + key.Name
	}
	return "Cloud " + key.Name
}

// use remembers who is to be woken when a cloud changes.
func (e *Engine) use(o object, who string, wake func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, key := range append(cloudKeys(o), clusterCloudKeys(o)...) {
		if e.users[key] == nil {
			e.users[key] = map[string]func(){}
		}
		e.users[key][who] = wake
	}
}

func (e *Engine) leave(o object, who string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, key := range append(cloudKeys(o), clusterCloudKeys(o)...) {
		delete(e.users[key], who)
	}
}

// rouse wakes everybody who uses a cloud.
func (e *Engine) rouse(key types.NamespacedName) {
	e.mu.Lock()
	wakes := make([]func(), 0, len(e.users[key]))
	for _, w := range e.users[key] {
		wakes = append(wakes, w)
	}
	e.mu.Unlock()
	for _, w := range wakes {
		w()
	}
}

func lower(kind string) string { return strings.ToLower(kind) }
