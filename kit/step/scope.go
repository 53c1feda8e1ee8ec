package step

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
)

// Scope is all that a step sees: the owner, the references it declared in Reads and the objects of the steps it
// declared in Sees. Asking for anything undeclared is a programming error that fails the step with a message naming it.
type Scope[T owner.Object] struct {
	owner T
	step  *Step[T]
	view  View
	log   logr.Logger
	now   time.Time
	cell  *owner.External
	save  func() error
	notes []Note
	err   error
}

// Note is something that has happened and that no condition tells, because it is over when the run ends.
type Note struct {
	Warning         bool
	Reason, Message string
}

// View is what the loop shows a scope. Objects come from the cache and must not be changed.
type View interface {
	// Referenced returns the objects of a reference in the order of its keys; missing ones are nil.
	Referenced(ref string) []client.Object
	// Content returns the content of a referenced Secret or ConfigMap, restricted to its declared fields; nil if absent.
	Content(ref string) map[string][]byte
	// Contents is Content of each object of a reference, in the order of its keys; nil for those that are absent.
	Contents(ref string) []map[string][]byte
	// Child returns the cached record of an object that a step made, or nil.
	Child(step, kind, name string) client.Object
}

// NewScope is for the loop and for tests of render functions.
func NewScope[T owner.Object](o T, s *Step[T], v View, log logr.Logger, now time.Time) *Scope[T] {
	return &Scope[T]{owner: o, step: s, view: v, log: log, now: now}
}

// Owner returns the object that is reconciled. It must not be changed.
func (s *Scope[T]) Owner() T { return s.owner }

// Log returns the logger of the step.
func (s *Scope[T]) Log() logr.Logger { return s.log }

// Now returns the time of the reconcile. An Objects or Job step that depends on it declares Every: nothing else looks
// at it again. Others say when in what they return.
func (s *Scope[T]) Now() time.Time {
	if k := s.step.Kind; (k == KindObjects || k == KindJob) && s.step.Every == 0 && s.err == nil {
		s.err = fmt.Errorf("step %s asks for the time without saying how often; add step.Every", s.step.Name)
	}
	return s.now
}

// Get returns the first object of a reference, or nil.
func (s *Scope[T]) Get(ref string) client.Object {
	for _, o := range s.All(ref) {
		return o
	}
	return nil
}

// All returns the objects of a reference in the order of its keys; missing optional ones are nil.
func (s *Scope[T]) All(ref string) []client.Object {
	if !s.declared(s.step.Reads, ref, "Reads") {
		return nil
	}
	return s.view.Referenced(ref)
}

// Value returns one key of a referenced Secret or ConfigMap. A key that is not there makes the step wait and names it.
func (s *Scope[T]) Value(ref, key string) string {
	if !s.declared(s.step.Reads, ref, "Reads") {
		return ""
	}
	v, ok := s.view.Content(ref)[key]
	if !ok && s.err == nil {
		what := "reference " + ref
		if objs := s.view.Referenced(ref); len(objs) > 0 && objs[0] != nil {
			what = fmt.Sprintf("object %s of reference %s", objs[0].GetName(), ref)
		}
		s.err = &outcome.Missing{On: "reference " + ref, Message: fmt.Sprintf("%s has no key %q; add it", what, key)}
	}
	return string(v)
}

// Content returns the declared keys of a referenced Secret or ConfigMap; nil when an optional one is missing. Of
// several objects it has the keys of all, those of the last where they are the same.
func (s *Scope[T]) Content(ref string) map[string][]byte {
	if !s.declared(s.step.Reads, ref, "Reads") {
		return nil
	}
	return s.view.Content(ref)
}

// Contents returns the declared keys of each Secret or ConfigMap of a reference in the order of its keys; nil for
// optional ones that are missing.
func (s *Scope[T]) Contents(ref string) []map[string][]byte {
	if !s.declared(s.step.Reads, ref, "Reads") {
		return nil
	}
	return s.view.Contents(ref)
}

// Digest returns a hash, 16 hex digits, of the named keys of a referenced Secret or ConfigMap (all declared keys when
// none is named), to be put into a pod template: pods restart when one of these keys changes and not otherwise.
func (s *Scope[T]) Digest(ref string, keys ...string) string {
	c := s.Content(ref)
	if len(keys) == 0 {
		for k := range c {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	h := sha256.New()
	for _, k := range keys {
		fmt.Fprintf(h, "%s\x00%d\x00%s", k, len(c[k]), c[k])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Child returns the cached record of an object that a step declared in Sees made, or nil. Kinds with a gate carry their
// status and what the gate looks at in spec; others carry metadata only.
func (s *Scope[T]) Child(step, kind, name string) client.Object {
	if !s.declared(s.step.Sees, step, "Sees") {
		return nil
	}
	return s.view.Child(step, kind, name)
}

// Tell makes an event of a note when the run ends. One of the same reason is not repeated within minutes.
func (s *Scope[T]) Tell(n Note) { s.notes = append(s.notes, n) }

// Notes returns what the step has told.
func (s *Scope[T]) Notes() []Note { return s.notes }

// Err returns the first wrong use of the scope, or the first missing key.
func (s *Scope[T]) Err() error { return s.err }

func (s *Scope[T]) declared(list []string, name, option string) bool {
	if slices.Contains(list, name) {
		return true
	}
	if s.err == nil {
		s.err = fmt.Errorf("step %s uses %q without declaring it; add it to step.%s", s.step.Name, name, option)
	}
	return false
}

// WithExternal gives the scope of an External step its record; save writes the record to the owner's status.
func (s *Scope[T]) WithExternal(cell *owner.External, save func() error) *Scope[T] {
	s.cell, s.save = cell, save
	return s
}

// Cell returns the record that a Check or External step keeps in the owner's status: ID, marker, operation in flight.
// What the step changes in it is written with the status of the run, or at once by Save. It is nil in other steps.
func (s *Scope[T]) Cell() *owner.External { return s.cell }

// Save writes the cell to the owner's status now: an intent must be on the books before its act.
func (s *Scope[T]) Save() error {
	if s.save == nil {
		return fmt.Errorf("step %s has no cell; only Check and External steps do", s.step.Name)
	}
	return s.save()
}
