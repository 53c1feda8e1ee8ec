package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAServerSaid(t *testing.T) {
	console := "SeaBIOS\r\n### guest 6.12 up=1.2\r\n### web says hello\r\n\r\n" +
		"~ # \x1b[6n### web says its volume has kept\r\n~ # "
	want := []string{"web says hello", "web says its volume has kept"}
	if diff := cmp.Diff(want, spoken(console)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
