// Package ref declares what a controller reads besides its own object. One declaration gives the index, the watch, the
// wake-up, the wait reason and the digest.
package ref

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/owner"
)

// Ref is a reference from owners of type T to objects of one kind.
type Ref[T owner.Object] struct {
	// Name by which steps and Scope name the reference.
	Name string
	// Kind is a prototype of the referenced kind, such as &corev1.Secret{}.
	Kind client.Object
	// Keys returns what an owner refers to; none when the owner leaves the reference empty. A key without a name stands
	// for all objects of the kind in its namespace, one without anything for those of all namespaces, however many there
	// are.
	Keys func(T) []types.NamespacedName
	// Fields are the keys of a Secret or ConfigMap that steps read. Only these enter fingerprints; empty means all.
	Fields []string
	// Optional references do not make a step wait when the object is missing.
	Optional bool
	// Held objects that are deleted stay, by a finalizer, until no owner refers to them: with their content, owners can
	// still be deleted.
	Held bool
	// Gate that the object must pass before a step that reads the reference runs. Nil means existence is enough.
	Gate gate.Gate
	// Digest of the object for fingerprints. Nil means content for Secrets and ConfigMaps, and uid, generation and
	// gate result for other kinds.
	Digest func(client.Object) string
}

// To declares a reference to objects of kind R by keys.
func To[T owner.Object](name string, kind client.Object, keys func(T) []types.NamespacedName, o ...Option[T]) Ref[T] {
	r := Ref[T]{Name: name, Kind: kind, Keys: keys}
	for _, f := range o {
		f(&r)
	}
	return r
}

// Local declares a reference to one object in the owner's namespace; an empty name is no reference.
func Local[T owner.Object](name string, kind client.Object, key func(T) string, o ...Option[T]) Ref[T] {
	return To(name, kind, func(t T) []types.NamespacedName {
		if k := key(t); k != "" {
			return []types.NamespacedName{{Namespace: t.GetNamespace(), Name: k}}
		}
		return nil
	}, o...)
}

// Option changes a reference.
type Option[T owner.Object] func(*Ref[T])

// Fields names the keys of a Secret or ConfigMap that are read: a change of another key wakes nobody's render.
func Fields[T owner.Object](keys ...string) Option[T] { return func(r *Ref[T]) { r.Fields = keys } }

// Optional lets steps run when the object is missing.
func Optional[T owner.Object]() Option[T] { return func(r *Ref[T]) { r.Optional = true } }

// Hold keeps the object for as long as an owner refers to it.
func Hold[T owner.Object]() Option[T] { return func(r *Ref[T]) { r.Held = true } }

// WaitFor lets steps wait until the object passes g.
func WaitFor[T owner.Object](g gate.Gate) Option[T] { return func(r *Ref[T]) { r.Gate = g } }

// DigestOf sets which part of the object enters fingerprints.
func DigestOf[T owner.Object](f func(client.Object) string) Option[T] {
	return func(r *Ref[T]) { r.Digest = f }
}
