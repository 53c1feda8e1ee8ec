package apiserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// history is how many events of a kind a watch can go back.
const history = 16384

// entry is one stored version of an object. It never changes.
type entry struct {
	obj *unstructured.Unstructured
	rv  uint64
	raw []byte
	// sent has what watches sent of the object, by view: many may want the same.
	sent sync.Map
}

// shelf has the objects of one kind.
type shelf struct {
	kind    *kind
	objects map[types.NamespacedName]*entry
	events  []event
	// dropped is the highest version whose events are not kept any more.
	dropped  uint64
	watchers map[*watcher]bool
}

// event is one change of an object: no entry before means created, none after means deleted.
type event struct {
	rv            uint64
	before, after *entry
}

func newShelf(k *kind) *shelf {
	return &shelf{kind: k, objects: map[types.NamespacedName]*entry{}, watchers: map[*watcher]bool{}}
}

func key(u *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()}
}

// put stores u, which the caller gives away, as the next version.
func (s *Server) put(sh *shelf, u *unstructured.Unstructured) (*entry, error) {
	e, err := s.next(u)
	if err != nil {
		return nil, err
	}
	k := key(u)
	sh.record(event{rv: e.rv, before: sh.objects[k], after: e})
	sh.objects[k] = e
	return e, nil
}

// Load stores objects as they are, with uid, status and managed fields, as a restored backup does: nothing is defaulted
// or checked. Only their versions are new. They are encoded for watches at once: whoever loads many measures a client,
// and this server's processor is not the client's.
func (s *Server) Load(objs ...*unstructured.Unstructured) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, u := range objs {
		sh := s.kinds[u.GroupVersionKind().GroupKind()]
		if sh == nil {
			return fmt.Errorf("loading %s %s: the kind is not served", u.GetKind(), u.GetName())
		}
		e, err := s.put(sh, u)
		if err != nil {
			return err
		}
		v := view{version: sh.kind.gvk.Version, proto: true, kind: sh.kind}
		for _, v.partial = range []bool{true, sh.kind.typed == nil} {
			if _, err := v.encode(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// Objects returns the objects of a kind, by namespace and name. They are those that are stored: whoever wants to change
// one makes a copy.
func (s *Server) Objects(gvk schema.GroupVersionKind) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.kinds[gvk.GroupKind()]
	if sh == nil || sh.kind.strategies[gvk.Version] == nil {
		return nil
	}
	all := sh.sorted(everything)
	out := make([]*unstructured.Unstructured, 0, len(all))
	for _, e := range all {
		u := e.obj
		if gvk.Version != sh.kind.gvk.Version {
			u = u.DeepCopy()
			u.SetGroupVersionKind(gvk)
		}
		out = append(out, u)
	}
	return out
}

// Mapper returns what the server tells of its present kinds, for clients that need not ask for it.
func (s *Server) Mapper() meta.RESTMapper {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := meta.NewDefaultRESTMapper(nil)
	for _, sh := range s.shelves {
		scope := meta.RESTScopeRoot
		if sh.kind.namespaced {
			scope = meta.RESTScopeNamespace
		}
		for _, v := range sh.kind.versions {
			gv := schema.GroupVersion{Group: sh.kind.gvk.Group, Version: v}
			m.AddSpecific(gv.WithKind(sh.kind.gvk.Kind), gv.WithResource(sh.kind.plural),
				gv.WithResource(sh.kind.singular), scope)
		}
	}
	return m
}

// remove deletes an object. Watches see it as it was stored last, at the version of the deletion.
func (s *Server) remove(sh *shelf, k types.NamespacedName) error {
	e, err := s.next(sh.objects[k].obj.DeepCopy())
	if err != nil {
		return err
	}
	sh.record(event{rv: e.rv, before: e})
	delete(sh.objects, k)
	return nil
}

func (s *Server) next(u *unstructured.Unstructured) (*entry, error) {
	s.rv++
	u.SetResourceVersion(strconv.FormatUint(s.rv, 10))
	raw, err := json.Marshal(u.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return &entry{obj: u, rv: s.rv, raw: raw}, nil
}

func (sh *shelf) record(e event) {
	sh.events = append(sh.events, e)
	if len(sh.events) > 2*history {
		sh.dropped = sh.events[history-1].rv
		sh.events = slices.Clone(sh.events[history:])
	}
	for w := range sh.watchers {
		w.offer(e)
	}
}

// sorted returns the entries that f selects in the order in which etcd has them: by the whole of namespace/name.
func (sh *shelf) sorted(f filter) []*entry {
	found := make(map[string]*entry, len(sh.objects))
	for k, e := range sh.objects {
		if f.matches(e) {
			found[k.String()] = e
		}
	}
	out := make([]*entry, 0, len(found))
	for _, k := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[k])
	}
	return out
}

// view is the form in which a client wants objects. proto is for watches, by which a cache is filled.
type view struct {
	version        string
	partial, proto bool
	kind           *kind
}

// encode returns an entry in that form.
func (v view) encode(e *entry) ([]byte, error) {
	switch {
	case v.proto:
		if sent, ok := e.sent.Load(v); ok {
			return sent.([]byte), nil
		}
		sent, err := v.protobuf(e)
		if err == nil {
			e.sent.Store(v, sent)
		}
		return sent, err
	case v.partial:
		return json.Marshal(map[string]any{
			"apiVersion": metav1.SchemeGroupVersion.String(), "kind": "PartialObjectMetadata",
			"metadata": e.obj.Object["metadata"],
		})
	case v.version != e.obj.GroupVersionKind().Version:
		o := maps.Clone(e.obj.Object)
		u := &unstructured.Unstructured{Object: o}
		gvk := u.GroupVersionKind()
		gvk.Version = v.version
		u.SetGroupVersionKind(gvk)
		return json.Marshal(o)
	default:
		return e.raw, nil
	}
}

// protobuf returns an entry as clients get it that prefer protobuf.
func (v view) protobuf(e *entry) ([]byte, error) {
	o, gvk := runtime.Object(&metav1.PartialObjectMetadata{}), metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	if !v.partial {
		o, gvk = v.kind.typed(), v.kind.at(v.version)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(e.obj.Object, o); err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", e.obj.GetKind(), e.obj.GetName(), err)
	}
	o.GetObjectKind().SetGroupVersionKind(gvk)
	b := &bytes.Buffer{}
	if err := protobuf.NewSerializer(nil, nil).Encode(o, b); err != nil {
		return nil, fmt.Errorf("encoding %s %s: %w", e.obj.GetKind(), e.obj.GetName(), err)
	}
	return b.Bytes(), nil
}

// see translates an event for a filter: an object that comes into sight is added, one that goes out of it is deleted.
func (f filter) see(e event) (watch.EventType, *entry) {
	was := e.before != nil && f.matches(e.before)
	is := e.after != nil && f.matches(e.after)
	switch {
	case is && was:
		return watch.Modified, e.after
	case is:
		return watch.Added, e.after
	case was && e.after == nil:
		return watch.Deleted, e.before
	case was:
		// The last state that matched, at the version of the change.
		u := e.before.obj.DeepCopy()
		u.SetResourceVersion(strconv.FormatUint(e.rv, 10))
		raw, err := json.Marshal(u.Object)
		if err != nil {
			return "", nil
		}
		return watch.Deleted, &entry{obj: u, rv: e.rv, raw: raw}
	default:
		return "", nil
	}
}
