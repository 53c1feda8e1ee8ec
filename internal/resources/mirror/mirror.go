// Package mirror keeps a copy of all resources of one kind in one cloud, made by lists. Drift, waiting, import,
// adoption and references look at the copy, so that none of them costs a request per object.
package mirror

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Item is a resource as a list showed it. It must not be changed.
type Item struct {
	ID string
	// Marker is that of the owner, Cluster the one that the owner is in; each is empty when the resource does not tell.
	Marker, Cluster string
	// Hash of the content: items with the same hash are the same.
	Hash uint64
	// Raw is the resource as JSON, with the fields that its descriptor knows.
	Raw []byte
}

// Source reads the resources of the kind.
type Source interface {
	// List returns all resources, or with a time those that changed since then, if the API can tell.
	List(ctx context.Context, since time.Time, why Reason) (Listed, error)
}

// Reason says who needs a list.
type Reason int

// The reasons, most urgent first.
const (
	// Asked: a run waits for the list.
	Asked Reason = iota
	// Awaited: somebody waits for what it may show.
	Awaited
	// Told: something outside told of a change.
	Told
	// Due: it was time to look.
	Due
)

// Listed is what a list has shown.
type Listed struct {
	Found []Item
	// Gone are the ids of resources that are shown although they are deleted.
	Gone []string
	// All says that nothing but what was found exists.
	All bool
	// Same is, in place of all that, a time at which everything was as the list before has shown it.
	Same time.Time
	// News is told whether the list has shown anything that the mirror did not know. It must not block, and may be nil.
	News func(bool)
}

// Options of a mirror.
type Options struct {
	// Period between two lists while nothing is pending.
	Period time.Duration
	// Quick is the time between two lists while something is pending, at first: what has been for long is looked at less
	// and less often.
	Quick time.Duration
	// TellsGone says that lists of changes show what was deleted. Otherwise lists are of everything while a deletion is
	// waited for.
	TellsGone bool
	// Overlap is how far before the last list a list of changes begins: clocks differ.
	Overlap time.Duration
	// Debounce is the time between a hint and the list that it asks for.
	Debounce time.Duration
	// Changed is called when a list shows another resource than the one before. It must not block, and it may be nil.
	Changed func()
	// Idle is called at each period in which nobody follows, and tells whether Run is to end. It may be nil.
	Idle func() bool
}

// Mirror is the copy. Its methods may be called concurrently.
type Mirror struct {
	source  Source
	options Options

	listing chan struct{} // full during a list: one at a time, and whoever waits can give up
	mu      sync.Mutex
	items   map[string]entry
	marked  map[string]map[string]bool
	// asOf is when the last list began, full when the last one of everything did.
	asOf, full time.Time
	// failed is how many lists in a row have failed.
	failed    int
	trouble   error
	followers map[string]*follower
	byID      map[string]map[string]bool
	byMarker  map[string]map[string]bool
	// nudge asks for a list soon, first tells that somebody follows after nobody did.
	nudge, first chan struct{}
	hints        hints
	// closed mirrors list no more by themselves.
	closed bool
}

// entry is an item and when it was seen; one that is gone stays for a while, for lists that began before.
type entry struct {
	Item
	seen time.Time
	gone bool
}

// follower is somebody who wants to know when a resource changes.
type follower struct {
	id, marker string
	pending    Pending
	since      time.Time // of pending
	wake       func()
}

// Pending is what a follower waits for.
type Pending int

// What followers wait for.
const (
	// Steady: nothing.
	Steady Pending = iota
	// Lacking: that somebody gives it what it lacks, who may take days.
	Lacking
	// Changing: that the resource comes to another state.
	Changing
	// Leaving: that the resource is gone.
	Leaving
)

// New returns an empty mirror. It lists when somebody asks, and while Run runs.
func New(s Source, o Options) *Mirror {
	return &Mirror{source: s, options: o, items: map[string]entry{}, marked: map[string]map[string]bool{},
		followers: map[string]*follower{}, byID: map[string]map[string]bool{}, byMarker: map[string]map[string]bool{},
		nudge: make(chan struct{}, 1), first: make(chan struct{}, 1), listing: make(chan struct{}, 1),
		hints: hints{poke: make(chan struct{}, 1)}}
}

// Fresh makes sure that everything was listed, and that the list began after that time and, when nobody follows, within
// the period. Calls at the same time share one list.
func (m *Mirror) Fresh(ctx context.Context, after time.Time) error {
	if err := m.turn(ctx); err != nil {
		return err
	}
	defer func() { <-m.listing }()
	if at := m.Full(); at.After(after) && (m.followed() || time.Since(at) < m.options.Period) {
		return nil
	}
	return m.list(ctx, false, Asked)
}

func (m *Mirror) followed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.followers) > 0
}

// Trouble returns why the last lists failed, when more than one did and somebody waits for the next one.
func (m *Mirror) Trouble() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed < 2 || len(m.followers) == 0 {
		return nil
	}
	return m.trouble
}

// turn waits until nobody lists.
func (m *Mirror) turn(ctx context.Context) error {
	select {
	case m.listing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for a list: %w", context.Cause(ctx))
	}
}

// Full returns when the last list of everything began; zero when there was none.
func (m *Mirror) Full() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.full
}

// Get returns the resource with an id.
func (m *Mirror) Get(id string) (Item, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.items[id]
	return e.Item, ok && !e.gone
}

// Marked returns the resources that carry a marker.
func (m *Mirror) Marked(marker string) []Item {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Item
	for id := range m.marked[marker] {
		out = append(out, m.items[id].Item)
	}
	return out
}

// Each calls f with every resource until it returns false.
func (m *Mirror) Each(f func(Item) bool) {
	m.mu.Lock()
	all := make([]Item, 0, len(m.items))
	for _, e := range m.items {
		if !e.gone {
			all = append(all, e.Item)
		}
	}
	m.mu.Unlock()
	for _, i := range all {
		if !f(i) {
			return
		}
	}
}

// Put takes over what the answer to a request at that time showed.
func (m *Mirror) Put(i Item, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store(i, at)
}

// Drop takes over that a resource was seen to be gone at that time.
func (m *Mirror) Drop(id string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(id, at)
}

// store and remove tell whether anything changed.
func (m *Mirror) store(i Item, at time.Time) bool {
	old, ok := m.items[i.ID]
	if ok && old.seen.After(at) {
		return false
	}
	m.unmark(i.ID, old.Marker)
	m.items[i.ID] = entry{Item: i, seen: at}
	if i.Marker != "" {
		add(m.marked, i.Marker, i.ID)
	}
	return !ok || old.gone || old.Hash != i.Hash
}

func (m *Mirror) remove(id string, at time.Time) bool {
	old, ok := m.items[id]
	if ok && old.seen.After(at) {
		return false
	}
	m.unmark(id, old.Marker)
	m.items[id] = entry{Item: Item{ID: id}, seen: at, gone: true}
	return ok && !old.gone
}

func (m *Mirror) unmark(id, marker string) {
	if marker != "" {
		drop(m.marked, marker, id)
	}
}

func add(index map[string]map[string]bool, key, value string) {
	if index[key] == nil {
		index[key] = map[string]bool{}
	}
	index[key][value] = true
}

func drop(index map[string]map[string]bool, key, value string) {
	delete(index[key], value)
	if len(index[key]) == 0 {
		delete(index, key)
	}
}
