package reconcile

import (
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"
)

// memory is what a process remembers of an owner. All of it may be lost at any time: it saves requests and paces
// retries.
type memory struct {
	mu  sync.Mutex
	uid types.UID
	// trusted: the inventory in status is known to be complete, so labels need not be searched.
	trusted bool
	// signature of the last run whose status is written.
	signature uint64
	steps     map[int]*stepMemory
	events    map[string]time.Time
	refs      []refKey
	rendered  []bool // steps that this process has run: another binary may render otherwise
	used      map[int]uint64
	usedOf    int64 // the generation of the owner that used is about
	hurry     bool  // the next run tries at once what has failed
	news      bool  // the outside has something that Report may tell
}

type stepMemory struct {
	fp        fingerprint
	notBefore time.Time
	due       time.Time
	out       *outcome.Outcome
	outputs   uint64 // what was made of the step before the try that failed
	leaves    bool   // it was to let go when it failed
	ends      time.Time
}

type refKey struct {
	gk  schema.GroupKind
	key types.NamespacedName
}

// memories holds a memory per owner, who refers to what, and the last gate value of each child.
type memories struct {
	mu     sync.RWMutex
	owners map[types.NamespacedName]*memory
	refs   map[refKey]map[types.NamespacedName]struct{}
	gates  map[types.UID]uint64
}

func newMemories() *memories {
	return &memories{owners: map[types.NamespacedName]*memory{}, gates: map[types.UID]uint64{},
		refs: map[refKey]map[types.NamespacedName]struct{}{}}
}

// of returns the memory of an owner. What is remembered of a namesake that is gone does not count.
func (m *memories) of(key types.NamespacedName, uid types.UID) *memory {
	m.mu.RLock()
	mem := m.owners[key]
	m.mu.RUnlock()
	if mem != nil && mem.uid == uid {
		return mem
	}
	m.forget(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owners[key] == nil {
		m.owners[key] = &memory{uid: uid}
	}
	return m.owners[key]
}

// note changes what is remembered of an owner, if anything is.
func (m *memories) note(key types.NamespacedName, change func(*memory)) {
	m.mu.RLock()
	mem := m.owners[key]
	m.mu.RUnlock()
	if mem != nil {
		mem.mu.Lock()
		defer mem.mu.Unlock()
		change(mem)
	}
}

// hears returns once whether there is news.
func (m *memory) hears() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	news := m.news
	m.news = false
	return news
}

// hurried ends the pauses when that was asked for.
func (m *memory) hurried() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hurry {
		return
	}
	m.hurry = false
	for _, s := range m.steps {
		s.notBefore = time.Time{}
	}
}

func (m *memories) forget(key types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mem := m.owners[key]; mem != nil {
		m.unlink(key, mem.refs)
	}
	delete(m.owners, key)
}

// link records what an owner refers to, so that events of those objects wake it.
func (m *memories) link(key types.NamespacedName, mem *memory, refs []refKey) {
	if slices.Equal(mem.refs, refs) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.unlink(key, mem.refs)
	mem.refs = slices.Clone(refs)
	for _, r := range refs {
		if m.refs[r] == nil {
			m.refs[r] = map[types.NamespacedName]struct{}{}
		}
		m.refs[r][key] = struct{}{}
	}
}

func (m *memories) unlink(key types.NamespacedName, refs []refKey) {
	for _, r := range refs {
		delete(m.refs[r], key)
		if len(m.refs[r]) == 0 {
			delete(m.refs, r)
		}
	}
}

// referrers calls f for each owner that refers to an object.
func (m *memories) referrers(r refKey, f func(types.NamespacedName)) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for key := range m.refs[r] {
		f(key)
	}
}

func (m *memories) setGate(uid types.UID, value uint64) {
	m.mu.RLock()
	same := m.gates[uid] == value
	m.mu.RUnlock()
	if same {
		return
	}
	m.mu.Lock()
	m.gates[uid] = value
	m.mu.Unlock()
}

func (m *memories) gate(uid types.UID) (uint64, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	v, ok := m.gates[uid]
	return v, ok
}

func (m *memories) dropGate(uid types.UID) {
	m.mu.Lock()
	delete(m.gates, uid)
	m.mu.Unlock()
}

// put remembers what a step came to.
func (m *memory) put(i int, s stepMemory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.steps == nil {
		m.steps = map[int]*stepMemory{}
	}
	m.steps[i] = &s
}

// peek returns what is remembered of a step, or nil.
func (m *memory) peek(i int) *stepMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.steps[i]
}

// usedAt returns the hash of what step i uses of the owner, if it is known for that generation.
func (m *memory) usedAt(i int, generation int64) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.usedOf != generation {
		return 0, false
	}
	u, ok := m.used[i]
	return u, ok
}

func (m *memory) setUsed(i int, generation int64, u uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.usedOf != generation || m.used == nil {
		m.used, m.usedOf = map[int]uint64{}, generation
	}
	m.used[i] = u
}

// ran tells whether this process has run step i of the owner.
func (m *memory) ran(i int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return i < len(m.rendered) && m.rendered[i]
}

func (m *memory) setRan(i int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if more := i + 1 - len(m.rendered); more > 0 {
		m.rendered = append(m.rendered, make([]bool, more)...)
	}
	m.rendered[i] = true
}
