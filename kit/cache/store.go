// Package cache says which kind is cached how, and shows the loop one consistent view: records from informers, overlaid
// by the responses of our own writes until the informers have caught up.
package cache

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
)

// indexPartOf is the informer index from the beginning of an apply set id to objects: a set of its own for each owner
// would weigh more than what it finds.
const (
	indexPartOf = "kit-part-of"
	beginning   = len("applyset-") + 2
	indexHeld   = "kit-held"
)

// FinalizerHeld begins the finalizers by which owners keep what they refer to; the owner's uid follows.
const FinalizerHeld = "kit.stackwright.dev/held-by-"

// Store is the loop's view of the cluster for all controllers of one manager.
type Store struct {
	scheme   *runtime.Scheme
	managers map[string]bool
	kinds    map[schema.GroupKind]*kind
	contents contents
}

type kind struct {
	gvk     schema.GroupVersionKind
	use     Use
	proto   client.Object
	indexer atomic.Pointer[toolscache.Indexer] // an empty one while the kind is not watched
	watched atomic.Bool

	mu      sync.RWMutex
	overlay map[types.NamespacedName]written
}

// written is the response of our own write.
type written struct {
	client.Object // nil once the informer has it
	version       string
	at            time.Time
	by            string
}

// overlayAge ends the overlay of an object that no informer ever showed: it came and went before the response was read.
const overlayAge = 30 * time.Second

// Use says what a kind is needed for; uses of several controllers add up.
type Use struct {
	// Status keeps spec and status, so that gates can read them; otherwise metadata only is cached.
	Status bool
	// Unowned caches objects that no kit controller made, too.
	Unowned bool
	// Select caches objects that it selects in place of those that a kit controller made; uses with different selectors
	// cache all.
	Select labels.Selector
	// Whole keeps the object untrimmed: owners and references that controllers look into.
	Whole bool
}

// NewStore returns a store; managers are the field managers of all controllers that share it.
func NewStore(scheme *runtime.Scheme, managers []string) *Store {
	s := &Store{scheme: scheme, managers: map[string]bool{}, kinds: map[schema.GroupKind]*kind{}}
	for _, m := range managers {
		s.managers[m] = true
	}
	return s
}

// Add declares a kind.
func (s *Store) Add(gvk schema.GroupVersionKind, u Use) {
	k := s.kinds[gvk.GroupKind()]
	if k == nil {
		k = &kind{gvk: gvk, use: Use{Select: u.Select}, overlay: map[types.NamespacedName]written{}}
		k.indexer.Store(new(toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{
			toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc, indexPartOf: partOf, indexHeld: held})))
		s.kinds[gvk.GroupKind()] = k
	}
	k.use.Status = k.use.Status || u.Status
	k.use.Unowned = k.use.Unowned || u.Unowned
	k.use.Whole = k.use.Whole || u.Whole
	k.use.Unowned = k.use.Unowned || text(k.use.Select) != text(u.Select)
}

func text(s labels.Selector) string {
	if s == nil {
		return ""
	}
	return s.String()
}

// Has tells whether a kind is declared.
func (s *Store) Has(gk schema.GroupKind) bool { return s.kinds[gk] != nil }

// Version returns the group, version and kind under which a kind is declared.
func (s *Store) Version(gk schema.GroupKind) (schema.GroupVersionKind, bool) {
	k := s.kinds[gk]
	if k == nil {
		return schema.GroupVersionKind{}, false
	}
	return k.gvk, true
}

// Prototype returns an empty object of the representation in which a kind is cached: typed, or metadata only.
func (s *Store) Prototype(gk schema.GroupKind) (client.Object, error) {
	k := s.kinds[gk]
	if k == nil {
		return nil, fmt.Errorf("kind %s is not declared; name it in step.Makes or in a reference", gk)
	}
	if k.proto != nil {
		return k.proto, nil
	}
	if !k.use.Status && !k.use.Whole {
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(k.gvk)
		k.proto = m
		return m, nil
	}
	o, err := s.scheme.New(k.gvk)
	if err != nil {
		return nil, fmt.Errorf("making an empty %s: %w", gk, err)
	}
	obj, ok := o.(client.Object)
	if !ok {
		return nil, fmt.Errorf("kind %s has no object metadata", gk)
	}
	k.proto = obj
	return obj, nil
}

// Each calls f with the group kind of every declared kind.
func (s *Store) Each(f func(schema.GroupKind) error) error {
	for gk := range s.kinds {
		if err := f(gk); err != nil {
			return err
		}
	}
	return nil
}

// Options returns the cache options of a manager that serves this store: only declared kinds, records instead of
// objects, objects of ours only where nobody refers to others.
func (s *Store) Options(base ctrlcache.Options) (ctrlcache.Options, error) {
	base.ReaderFailOnMissingInformer = true
	base.DefaultUnsafeDisableDeepCopy = new(true)
	base.ByObject = map[client.Object]ctrlcache.ByObject{}
	err := s.Each(func(gk schema.GroupKind) error {
		proto, err := s.Prototype(gk)
		if err != nil {
			return err
		}
		by := ctrlcache.ByObject{Transform: s.kinds[gk].transform(s.managers)}
		if !s.kinds[gk].use.Unowned {
			by.Label = cmp.Or(s.kinds[gk].use.Select, ours())
		}
		base.ByObject[proto] = by
		return nil
	})
	return base, err
}

// Connect gets the informers of all declared kinds from a manager's cache, but for those that the API server does not
// serve: those are Watched once ConnectKind has succeeded.
func (s *Store) Connect(ctx context.Context, c ctrlcache.Cache) error {
	return s.Each(func(gk schema.GroupKind) error {
		if err := s.ConnectKind(ctx, c, gk); !meta.IsNoMatchError(err) {
			return err
		}
		return nil
	})
}

// ConnectKind gets the informer of one kind.
func (s *Store) ConnectKind(ctx context.Context, c ctrlcache.Cache, gk schema.GroupKind) error {
	proto, err := s.Prototype(gk)
	if err != nil {
		return err
	}
	k := s.kinds[gk]
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.watched.Load() {
		return nil
	}
	inf, err := c.GetInformer(ctx, proto, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		return fmt.Errorf("getting the informer of %s: %w", gk, err)
	}
	shared, ok := inf.(toolscache.SharedIndexInformer)
	if !ok {
		return fmt.Errorf("the informer of %s has no index; caches of several namespaces are not supported", gk)
	}
	if err := shared.AddIndexers(toolscache.Indexers{indexPartOf: partOf, indexHeld: held}); err != nil {
		return fmt.Errorf("indexing %s: %w", gk, err)
	}
	k.indexer.Store(new(shared.GetIndexer()))
	k.watched.Store(true)
	return nil
}

// Watched tells whether events of a kind arrive. Of others nothing is known.
func (s *Store) Watched(gk schema.GroupKind) bool { return s.kinds[gk].watched.Load() }

func (k *kind) index() toolscache.Indexer { return *k.indexer.Load() }

func held(obj any) (out []string, err error) {
	if o, ok := obj.(metav1.Object); ok {
		for _, f := range o.GetFinalizers() {
			if strings.HasPrefix(f, FinalizerHeld) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

func partOf(obj any) ([]string, error) {
	o, ok := obj.(metav1.Object)
	if !ok {
		return nil, nil
	}
	if id := o.GetLabels()[apply.LabelPartOf]; id != "" {
		return []string{id[:min(len(id), beginning)]}, nil
	}
	return nil, nil
}

// Get returns the record of an object, or nil. It is shared: it must not be changed.
func (s *Store) Get(gk schema.GroupKind, key types.NamespacedName) client.Object {
	k := s.kinds[gk]
	if k == nil {
		return nil
	}
	var cached client.Object
	if obj, ok, _ := k.index().GetByKey(cacheKey(key)); ok {
		cached, _ = obj.(client.Object)
	}
	k.mu.RLock()
	ours := k.overlay[key]
	k.mu.RUnlock()
	switch {
	case ours.Object == nil:
		return cached
	case cached != nil && !newer(ours.Object, cached):
		return cached
	case cached == nil && time.Since(ours.at) > overlayAge:
		return nil
	}
	return ours.Object
}

// All calls f for the record of each object of a kind, in no order.
func (s *Store) All(gk schema.GroupKind, f func(client.Object)) {
	for _, key := range s.kinds[gk].index().ListKeys() {
		ns, name, _ := toolscache.SplitMetaNamespaceKey(key)
		if o := s.Get(gk, types.NamespacedName{Namespace: ns, Name: name}); o != nil {
			f(o)
		}
	}
}

// In returns the records of all objects of a kind in a namespace, by name; of all namespaces, when it is empty.
func (s *Store) In(gk schema.GroupKind, namespace string) []client.Object {
	if namespace == metav1.NamespaceAll {
		return s.records(gk, s.kinds[gk].index().ListKeys())
	}
	return s.indexed(gk, toolscache.NamespaceIndex, namespace)
}

// Held returns the records of the objects of a kind that have a finalizer of FinalizerHeld.
func (s *Store) Held(gk schema.GroupKind, finalizer string) []client.Object {
	return s.indexed(gk, indexHeld, finalizer)
}

func (s *Store) indexed(gk schema.GroupKind, index, value string) []client.Object {
	keys, _ := s.kinds[gk].index().IndexKeys(index, value)
	return s.records(gk, keys)
}

func (s *Store) records(gk schema.GroupKind, keys []string) []client.Object {
	var out []client.Object
	slices.Sort(keys)
	for _, k := range keys {
		ns, name, _ := toolscache.SplitMetaNamespaceKey(k)
		if o := s.Get(gk, types.NamespacedName{Namespace: ns, Name: name}); o != nil {
			out = append(out, o)
		}
	}
	return out
}

func cacheKey(key types.NamespacedName) string {
	if key.Namespace == "" {
		return key.Name
	}
	return key.Namespace + "/" + key.Name
}

// Wrote remembers the response of our own write until the informer has it. obj belongs to the store from here on.
func (s *Store) Wrote(gk schema.GroupKind, obj client.Object, by string) {
	k := s.kinds[gk]
	if k == nil {
		return
	}
	if k.use.Whole {
		apply.Compact(obj, s.managers)
	} else {
		Trim(obj, s.managers)
	}
	key := client.ObjectKeyFromObject(obj)
	cached, ok, _ := k.index().GetByKey(cacheKey(key))
	k.mu.Lock()
	defer k.mu.Unlock()
	if ok && !newer(obj, cached.(client.Object)) {
		return
	}
	k.sweep()
	k.overlay[key] = written{Object: obj, version: obj.GetResourceVersion(), at: time.Now(), by: by}
}

// Saw tells the store of an informer event, and returns whether the event is the echo of a write by that controller: to
// the others of the process it is news. Several controllers may tell of the same event. The overlay of the object ends
// when the informer has caught up, or when the object is gone.
func (s *Store) Saw(gk schema.GroupKind, obj client.Object, gone bool, by string) bool {
	k := s.kinds[gk]
	key := client.ObjectKeyFromObject(obj)
	k.mu.Lock()
	defer k.mu.Unlock()
	ours, ok := k.overlay[key]
	if !ok {
		return false
	}
	echo := ours.version == obj.GetResourceVersion() && !gone
	switch {
	case echo:
		k.overlay[key] = written{version: ours.version, at: ours.at, by: ours.by}
	case ours.Object == nil, gone && ours.GetUID() == obj.GetUID():
		delete(k.overlay, key)
	case newer(ours.Object, obj):
		return ours.by == by
	default:
		delete(k.overlay, key)
	}
	return echo && ours.by == by
}

// sweep forgets echoes that came long ago. The caller holds the lock.
func (k *kind) sweep() {
	if len(k.overlay) < 1024 {
		return
	}
	maps.DeleteFunc(k.overlay, func(_ types.NamespacedName, w written) bool { return time.Since(w.at) > overlayAge })
}

// Owned returns the records of all objects that carry an apply set id, of all kinds.
func (s *Store) Owned(setID string, f func(gk schema.GroupKind, obj client.Object)) {
	for gk, k := range s.kinds {
		objs, err := k.index().ByIndex(indexPartOf, setID[:min(len(setID), beginning)])
		if err != nil {
			continue
		}
		for _, o := range objs {
			if obj, ok := o.(client.Object); ok && obj.GetLabels()[apply.LabelPartOf] == setID {
				f(gk, obj)
			}
		}
	}
}

// newer compares resource versions, which API servers since 1.35 promise to be comparable numbers.
func newer(a, b client.Object) bool {
	if a.GetUID() != b.GetUID() {
		return a.GetCreationTimestamp().After(b.GetCreationTimestamp().Time) || version(a) > version(b)
	}
	return version(a) > version(b)
}

func version(o client.Object) uint64 {
	v, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return v
}
