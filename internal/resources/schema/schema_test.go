package schema_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/resources/schema"
)

// The differences that are known and meant are in testdata; -update writes them.
func TestDescriptorsAreWhatTheAPIsTake(t *testing.T) {
	schemas, err := schema.Load(os.DirFS("../../../releases/epoxy/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	for _, k := range kinds.All() {
		for _, difference := range schemas.Compare(k) {
			fmt.Fprintf(&report, "%s %s\n", k.Name, difference)
		}
	}
	kittest.Golden(t, "testdata/epoxy.txt", report.String())
}
