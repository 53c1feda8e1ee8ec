package hypervisor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/stackwright/internal/openstack"
)

// The times between two looks at all hosts of a cloud.
const (
	// rest is for hosts of which nothing is awaited, soon for others, and late for what nobody has told that it changed.
	rest = time.Minute
	soon = 5 * time.Second
	late = 30 * time.Minute
	// share is how many times as long as a look takes the next one comes after its begin. Nova tells of 150 hosts for ten
	// seconds on two busy processors, and hosts that come up need it, too.
	share = 4
)

// survey is what one look has shown of all hosts of a cloud.
type survey struct {
	began      time.Time
	machines   map[string]machine
	agents     map[string]agent
	aggregates map[string][]string
	generation map[string]int64
	// blind is why there are no machines: Nova lists none when a cell does not answer (compute_node_get_all in
	// nova/compute/api.py), and the others all the same.
	blind error
}

func (a api) survey(ctx context.Context) (*survey, error) {
	s := &survey{began: time.Now(), machines: map[string]machine{}, agents: map[string]agent{},
		aggregates: map[string][]string{}, generation: map[string]int64{}}
	machines, err := a.machines(ctx)
	if err != nil {
		s.blind = fmt.Errorf("listing hypervisors: %w", err)
		if c := openstack.ClassOf(err); c != openstack.Unknown && c != openstack.Unavailable {
			return nil, s.blind
		}
	}
	agents, err := a.agents(ctx)
	if err != nil {
		return nil, cmp.Or(s.blind, fmt.Errorf("listing compute services: %w", err))
	}
	aggregates, err := a.aggregates(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing aggregates: %w", err)
	}
	providers, err := a.providers(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing resource providers: %w", err)
	}
	for _, m := range machines {
		s.machines[m.Service.Host] = m
	}
	for _, g := range agents {
		s.agents[g.Host] = g
	}
	for _, g := range aggregates {
		for _, host := range g.Hosts {
			s.aggregates[host] = append(s.aggregates[host], g.Name)
		}
	}
	for _, names := range s.aggregates {
		slices.Sort(names)
	}
	for _, p := range providers {
		s.generation[p.ID] = p.Generation
	}
	return s, nil
}

// watch has what was seen of one cloud, for all of its hosts.
type watch struct {
	// looking is held during a look: who comes meanwhile has what it shows.
	looking sync.Mutex
	last    *survey
	took    time.Duration
	err     error
	ended   time.Time

	mu    sync.Mutex
	rooms map[string]measured
}

// measured is a provider's room, and when and why it was looked at.
type measured struct {
	room
	at  time.Time
	key string
	// settled says that it was looked at twice since the key changed: promises are taken back a little later than
	// servers vanish.
	settled bool
}

// watches are those of all clouds.
type watches struct {
	mu  sync.Mutex
	all map[types.NamespacedName]*watch
}

func (w *watches) of(cloud types.NamespacedName) *watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[types.NamespacedName]*watch{}
	}
	if w.all[cloud] == nil {
		w.all[cloud] = &watch{rooms: map[string]measured{}}
	}
	return w.all[cloud]
}

// look returns a survey that is not older than age, or than Nova can be asked to bear; one of age 0 is new. One that
// failed counts, too: hosts of a cloud that does not answer do not all ask it.
func (w *watch) look(ctx context.Context, a api, age time.Duration) (*survey, error) {
	w.looking.Lock()
	defer w.looking.Unlock()
	if age > 0 {
		age = max(age, share*w.took)
	}
	if w.err == nil && w.last != nil && time.Since(w.last.began) < age {
		return w.last, nil
	}
	if w.err != nil && time.Since(w.ended) < soon {
		return nil, w.err
	}
	s, err := a.survey(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, err // it says nothing about the cloud
	}
	w.err, w.ended = err, time.Now()
	if err != nil {
		return nil, err
	}
	w.last, w.took = s, w.ended.Sub(s.began)
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.rooms, func(id string, _ measured) bool { _, ok := s.generation[id]; return !ok })
	return s, nil
}

// expire lets the next look be a new one.
func (w *watch) expire() {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.last = nil
}

// forget lets the next look at a machine's room be a new one.
func (w *watch) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.rooms, id)
}

// measure returns the room of a machine. Placement cannot list that of many, so it is asked when something shows that
// it has changed: the provider's generation, or the servers.
func (w *watch) measure(ctx context.Context, a api, s *survey, m machine) (room, error) {
	key := fmt.Sprint(s.generation[m.ID], m.Servers)
	w.mu.Lock()
	old, ok := w.rooms[m.ID]
	w.mu.Unlock()
	if ok && old.key == key && (old.settled || !s.began.After(old.at)) && time.Since(old.at) < late {
		return old.room, nil
	}
	r, err := a.room(ctx, m.ID)
	if err != nil {
		return room{}, fmt.Errorf("asking Placement for the room of the host: %w", err)
	}
	slices.Sort(r.traits)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rooms[m.ID] = measured{room: r, at: time.Now(), key: key, settled: ok && old.key == key}
	return r, nil
}
