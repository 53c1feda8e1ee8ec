package cache_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/cache"
)

// shelf has Secrets of 6 MiB of every name, and counts how often each is read.
type shelf struct {
	version string
	reads   map[string]int
}

// Get reads a Secret.
func (s *shelf) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	s.reads[key.Name]++
	sec := o.(*corev1.Secret)
	sec.Name, sec.UID, sec.ResourceVersion = key.Name, types.UID(key.Name), s.version
	sec.Data = map[string][]byte{"key": make([]byte, 6<<20)}
	return nil
}

// TestContent: content is read again when its version has moved, and when it is the one of three that was not asked for
// longest, for there is room for 16 MiB.
func TestContent(t *testing.T) {
	store, s := cache.NewStore(nil, nil), &shelf{version: "1", reads: map[string]int{}}
	ask := func(name string, reads int) {
		t.Helper()
		rec := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name),
			ResourceVersion: s.version}}
		data, err := store.Content(t.Context(), s, "Secret", rec)
		if err != nil || len(data["key"]) != 6<<20 {
			t.Errorf("%s has %d bytes, and error %v", name, len(data["key"]), err)
		}
		if s.reads[name] != reads {
			t.Errorf("%s was read %d times, want %d", name, s.reads[name], reads)
		}
	}
	ask("a", 1)
	ask("b", 1)
	ask("a", 1)
	ask("c", 1) // b goes
	ask("a", 1)
	ask("c", 1)
	ask("b", 2) // a goes
	ask("c", 1)
	ask("a", 2)
	s.version = "2"
	ask("a", 3)
	ask("a", 3)
}
