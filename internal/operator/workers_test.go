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
	for _, address := range []string{":6060", "10.0.0.1:6060", "127.0.0.1"} {
		if _, err := New(nil, Options{Profiles: address}); err == nil || !strings.Contains(err.Error(), "give a loopback") {
			t.Errorf("profiles at %q are answered with %v", address, err)
		}
	}
	for _, address := range []string{"", "127.0.0.1:6060", "[::1]:6060", "localhost:6060"} {
		if err := loopback(address); err != nil {
			t.Errorf("profiles at %q are refused: %v", address, err)
		}
	}
	if _, err := New(nil, Options{Workers: -1}); err == nil || !strings.Contains(err.Error(), "--workers is -1; give") {
		t.Errorf("less than one worker is answered with %v", err)
	}
}
