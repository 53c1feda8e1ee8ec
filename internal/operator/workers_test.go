package operator

import (
	"flag"
	"strings"
	"testing"
)

func TestWorkers(t *testing.T) {
	for args, want := range map[string]int{"": 24, "--workers=7": 7} {
		var o Options
		flags := flag.NewFlagSet("stackwright-operator", flag.ContinueOnError)
		o.Flags(flags)
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if o.Workers != want {
			t.Errorf("with %q there are %d workers, want %d", args, o.Workers, want)
		}
	}
	if _, err := New(nil, Options{Workers: -1}); err == nil || !strings.Contains(err.Error(), "--workers is -1; give") {
		t.Errorf("less than one worker is answered with %v", err)
	}
}
