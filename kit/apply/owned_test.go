package apply_test

import (
	"bytes"
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/apply"
)

// TestOwnedInAnyOrder reads the same fields as an API server and as a decoder of maps write them: keys of lists by the
// value, keys by the text. The hash is in inventories of running clusters, so that it may not become another one.
func TestOwnedInAnyOrder(t *testing.T) {
	t.Parallel()
	const ports = `{"f:spec":{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}},` +
		`"k:{\"port\":8080,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}},"f:type":{}},"f:metadata":{"f:labels":{"f:a":{}}}}`
	var tree any
	if err := json.Unmarshal([]byte(ports), &tree); err != nil {
		t.Fatal(err)
	}
	byText, err := json.Marshal(tree)
	if err != nil || bytes.Equal(byText, []byte(ports)) {
		t.Fatalf("both orders are %s (error %v)", byText, err)
	}
	for _, raw := range [][]byte{[]byte(ports), byText} {
		if got := owned(raw); got != apply.Hash(byText) {
			t.Errorf("fields %s have the hash %s, want %s", raw, got, apply.Hash(byText))
		}
	}
	if owned([]byte(`{"f:spec":{}}`)) == owned([]byte(`{"f:spec":{"f:type":{}}}`)) {
		t.Error("a field that is not owned any more leaves the hash as it was")
	}
}

func owned(raw []byte) string {
	fields := &metav1.FieldsV1{}
	fields.SetRawBytes(raw)
	o := &metav1.PartialObjectMetadata{}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "m", Operation: metav1.ManagedFieldsOperationApply,
		FieldsType: "FieldsV1", FieldsV1: fields}})
	apply.Compact(o, map[string]bool{"m": true})
	return apply.Owned(o, "m")
}
