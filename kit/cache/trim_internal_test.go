package cache

import (
	"encoding/json"
	"fmt"
	"testing"
	"unsafe"

	"stackwright.dev/kit/owner"
)

// What the kit writes into each owner's status says what it said, takes the room of what there is, and shares names.
func TestStatusIsShared(t *testing.T) {
	decode := func(name string) *owner.Status {
		const text = `{"inventory": [%s, %[1]s, %[1]s, %[1]s, %[1]s], "steps": [{"name": "family", "state": "Done"}]}`
		item := fmt.Sprintf(`{"step": "family", "group": "apps", "kind": "Deployment", "namespace": "here", "name": %q}`,
			name)
		s := &owner.Status{}
		if err := json.Unmarshal(fmt.Appendf(nil, text, item), s); err != nil {
			t.Fatal(err)
		}
		shareStatus(s)
		return s
	}
	one, other := decode("one"), decode("other")
	for i := range one.Inventory {
		a, b := one.Inventory[i], other.Inventory[i]
		if a.Name != "one" || b.Name != "other" || a.Kind != "Deployment" || a.Group != "apps" || a.Namespace != "here" ||
			a.Step != "family" || unsafe.StringData(a.Kind) != unsafe.StringData(b.Kind) {
			t.Errorf("item %d is %v and %v", i, a, b)
		}
	}
	if n := cap(one.Inventory); n > 5 {
		t.Errorf("there is room for %d items, want 5", n)
	}
	if one.Steps[0].Name != "family" || one.Steps[0].State != owner.StepDone {
		t.Errorf("the step is %v", one.Steps[0])
	}
}

// What one record alone has costs no more than a few of them, however many there are.
func TestRareStringsAreNotKept(t *testing.T) {
	w := words{}
	for i := range 3 * commonWords {
		if s := fmt.Sprint("namespace-", i); w.of(s) != s {
			t.Fatalf("%s is %s", s, w.of(s))
		}
	}
	if len(w.known) != commonWords {
		t.Errorf("%d strings are kept, want %d", len(w.known), commonWords)
	}
}
