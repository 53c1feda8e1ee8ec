package cli

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// On a terminal the line of what is waited for is written over by the next; a log has only what was reached.
func TestProgress(t *testing.T) {
	const wipe = "\r\033[K"
	for name, c := range map[string]struct {
		terminal bool
		want     string
	}{
		"a terminal": {terminal: true, want: wipe + "devcluster: waiting for node-1 ... 0s" +
			wipe + "devcluster: waiting for node-1 ... 2s" +
			wipe + "devcluster: node-1 Ready                   4.2s\n" +
			wipe + "devcluster: waiting for node-2 ... 12s" +
			wipe + "devcluster: a name that is longer than its column  12.0s\n"},
		"a log": {want: "devcluster: node-1 Ready                   4.2s\n" +
			"devcluster: a name that is longer than its column  12.0s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &bytes.Buffer{}
				p := &progress{out: out, terminal: c.terminal, began: time.Now()}
				p.waiting("waiting for node-1")
				<-time.After(2 * time.Second)
				p.waiting("waiting for node-1")
				p.reached("node-1 Ready", 4.2)
				<-time.After(10 * time.Second)
				p.waiting("waiting for node-2")
				p.reached("a name that is longer than its column", p.seconds())
				if got := out.String(); got != c.want {
					t.Errorf("progress is %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestProgressKnowsTerminals(t *testing.T) {
	for path, want := range map[string]bool{"/dev/ptmx": true, os.DevNull: false} {
		file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if got := newProgress(file).terminal; got != want {
			t.Errorf("%s counts as a terminal: %t, want %t", path, got, want)
		}
	}
}
