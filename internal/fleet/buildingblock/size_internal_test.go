package buildingblock

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// There is room in the status of a block for all objects of its hosts, and for 18 of its own.
func TestTheStatusHasRoom(t *testing.T) {
	text, err := os.ReadFile("../../../charts/stackwright-operator/crds/fleet.stackwright.dev_buildingblocks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	// The fields of a schema are in the order of the alphabet.
	inventory := regexp.MustCompile(`(?s)\n              inventory:\n.*?\n                maxItems: (\d+)\n`)
	found := inventory.FindSubmatch(text)
	if found == nil {
		t.Fatal("the definition says nothing of an inventory")
	}
	if most, err := strconv.Atoi(string(found[1])); err != nil || mostObjects+18 > most {
		t.Errorf("the status has room for %s objects (%v), and hosts have %d", found[1], err, mostObjects)
	}
}
