package schema_test

import (
	"os"
	"strings"
	"testing"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/resources/schema"
)

const report = "testdata/epoxy.txt"

// because is between a difference and the reason why it is meant.
const because = " -- "

// The differences that are known and meant are in testdata, each with its reason. -update writes new ones there, to
// which a reason has to be added by hand.
func TestDescriptorsAreWhatTheAPIsTake(t *testing.T) {
	schemas, err := schema.Load(os.DirFS("../../../releases/epoxy/schemas"))
	if err != nil {
		t.Fatal(err)
	}
	known, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(known)) {
		difference, reason, _ := strings.Cut(strings.TrimSpace(line), because)
		reasons[difference] = reason
	}
	var now strings.Builder
	for _, k := range kinds.All() {
		for _, difference := range schemas.Compare(k) {
			difference = k.Name + " " + difference
			if reasons[difference] == "" {
				t.Errorf("%s: there is no reason why it is so; correct the descriptor, or write the reason into %s",
					difference, report)
			}
			now.WriteString(difference + because + reasons[difference] + "\n")
		}
	}
	kittest.Golden(t, report, now.String())
}
