//go:build e2e

package mariadb_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

// slowly makes the copy of an empty database take minutes, as one of hundreds of gigabytes takes hours.
const slowly = "\n[sst]\nrlimit = 96k\n"

// TestCopiesAreWaitedFor: however long a copy takes, neither the member that gets it nor the one whose turn comes after
// it gives up. MariaDB's own limit is five minutes until the first byte.
func TestCopiesAreWaitedFor(t *testing.T) {
	story.Slow(t)
	l := newLab(t, slowly)
	o := newOperator(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l.Start(0, 1, 2)
	go o.run(ctx)
	l.Until("the first member serving", time.Minute, func() bool { _, w := o.serving(); return w })
	first := l.Until("a copy being there", 30*time.Minute, func() bool { n, _ := o.serving(); return n > 1 })
	second := l.Until("the other copy being there", 30*time.Minute, o.whole)
	t.Logf("the first copy took %s, the other %s more", first.Round(time.Second), second.Round(time.Second))
	if first < 6*time.Minute {
		t.Errorf("the first copy took %s, less than what a member would wait for: this shows nothing, lower the rate", first)
	}
	for i := range members {
		said, err := os.ReadFile(filepath.Join(l.Dir, l.Pod(i)+".log"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(said), "starting mariadbd"); n != 1 {
			t.Errorf("%s was started %d times, want once", l.Pod(i), n)
		}
	}
}
