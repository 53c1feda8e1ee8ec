package apply

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Compact replaces the managed fields of an object by one entry per manager in managers, holding the hash of what that
// manager owns by server-side apply. Other entries go. It is idempotent, so that it may run on an object twice.
//
// The hash covers which fields are owned, not their values: values are covered by the intent hash, and a foreign edit
// of a field we own takes the field out of our entry.
func Compact(obj metav1.Object, managers map[string]bool) {
	fields := obj.GetManagedFields()
	if len(fields) == 0 {
		return
	}
	kept := fields[:0:0]
	for i := range fields {
		f := &fields[i]
		if f.Operation != metav1.ManagedFieldsOperationApply || f.Subresource != "" || !managers[f.Manager] {
			continue
		}
		e := metav1.ManagedFieldsEntry{Manager: f.Manager, Operation: f.Operation, FieldsV1: f.FieldsV1}
		if f.FieldsType != "" && f.FieldsV1 != nil {
			e.FieldsV1 = &metav1.FieldsV1{}
			e.FieldsV1.SetRawBytes(fingerprint(f.FieldsV1.GetRawBytes()))
		}
		kept = append(kept, e)
	}
	obj.SetManagedFields(slices.Clip(kept))
}

// Owned returns the hash that Compact left for a manager; empty when the manager owns nothing any more.
func Owned(obj metav1.Object, manager string) string {
	fields := obj.GetManagedFields()
	for i := range fields {
		if fields[i].Manager == manager && fields[i].FieldsV1 != nil {
			return fields[i].FieldsV1.GetRawString()
		}
	}
	return ""
}

// Owns tells whether the hash that Compact left for a manager is that one; it allocates nothing.
func Owns(obj metav1.Object, manager, hash string) bool {
	fields := obj.GetManagedFields()
	for i := range fields {
		if fields[i].Manager == manager && fields[i].FieldsV1 != nil {
			return string(fields[i].FieldsV1.GetRawBytes()) == hash
		}
	}
	return hash == ""
}

// fingerprint hashes managed fields independently of the order of keys: the API server orders list keys by value, a
// decoder that goes through maps by their text.
func fingerprint(raw []byte) []byte {
	if canonical := jsontext.Value(slices.Clone(raw)); canonical.Canonicalize() == nil {
		raw = canonical
	}
	return []byte(Hash(raw))
}
