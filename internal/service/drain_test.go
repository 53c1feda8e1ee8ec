package service_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A pod stays for five seconds at least, and then until two went by without a connection, but not for ever.
func TestPodStaysWhileConnectionsComeIn(t *testing.T) {
	for name, c := range map[string]struct {
		last int // second in which the last connection came in
		want int
	}{
		"nobody comes": {0, 5}, "at first": {2, 5}, "until the fourth second": {4, 6}, "until the tenth": {10, 12},
		"always": {99, 20},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drained(t, c.last); got != c.want {
				t.Errorf("it stayed for %d seconds, want %d", got, c.want)
			}
		})
	}
}

// drained runs the script with a clock of its own, whose every second until last brings a connection.
func drained(t *testing.T, last int) (seconds int) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "snmp"), counters(0), 0o644)
	// In each second the clock takes one byte more, and the kernel's counters are those of that second.
	for i := range 120 {
		write(t, filepath.Join(dir, fmt.Sprint("snmp.", i+1)), counters(min(i+1, last)), 0o644)
	}
	write(t, filepath.Join(dir, "sleep"), `#!/bin/sh
cd "${0%/*}" && printf . >> clock && cp "snmp.$(wc -c < clock)" snmp
`, 0o755)
	script, err := filepath.Abs("drain.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", script, filepath.Join(dir, "snmp"))
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v: %s", err, out)
	}
	clock, err := os.ReadFile(filepath.Join(dir, "clock"))
	if err != nil {
		t.Fatal(err)
	}
	return len(clock)
}

// counters are those of a kernel (Linux 6.1) that has seen so many connections; nothing else matters.
func counters(opened int) string {
	return strings.Join([]string{
		"Ip: Forwarding DefaultTTL InReceives", "Ip: 1 64 8821",
		"Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails",
		fmt.Sprintf("Tcp: 1 200 120000 -1 31 %d 4", 700+opened),
		"Udp: InDatagrams NoPorts", "Udp: 12 3", "",
	}, "\n")
}

func write(t *testing.T, name, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}
