package ovnchassis

import (
	"bytes"
	"testing"

	wire "stackwright.dev/stackwright/internal/agent/chassis"
	"stackwright.dev/stackwright/internal/image/catalogue"
)

// The list is in the form of other catalogues, one option a line.
func TestListOfOptions(t *testing.T) {
	known, err := catalogue.Parse(options)
	if err != nil {
		t.Fatal(err)
	}
	written, err := known.Encode()
	if err != nil || !bytes.Equal(written, options) {
		t.Errorf("options.json is not as catalogues are written: %v\n%s", err, written)
	}
	free := 0
	for column, group := range known.Groups {
		if column != wire.OtherConfig && column != wire.ExternalIDs {
			t.Errorf("there is no column %s", column)
		}
		for key := range group.Options {
			if wire.Own(column, key) == "" {
				free++
			}
		}
	}
	if free < 40 {
		t.Errorf("%d options can be asked for", free)
	}
}
