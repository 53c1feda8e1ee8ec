//go:build e2e

package rabbitmq_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	wire "stackwright.dev/stackwright/internal/agent/member"
	operator "stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/test/e2e/story"
)

// A volume that fills up stops publishers and nobody else: its member stays in service, because only consumers make
// room. What was confirmed before is there afterwards, and publishers go on by themselves.
func TestVolumeFillsUp(t *testing.T) {
	story.Slow(t)
	const full = 2
	l, d := begin(t, func(l *lab) { l.Bound(full, 512) })
	w := newWriter(t, l)
	w.settle(t)
	alarmed := func() bool {
		world, _ := d.see()
		return slices.Contains(world.Reports[l.Pod(full)].Service.Alarms, wire.Disk)
	}
	if alarmed() {
		t.Fatal("there is an alarm before anything is full")
	}
	ballast := l.fill(full, 20<<20)
	took := l.Until("an alarm", time.Minute, alarmed)
	t.Logf("the agent tells of the full volume after %s", took.Round(100*time.Millisecond))
	// What was under way is let through.
	l.Until("publishers to stop", time.Minute, func() bool {
		before := w.count()
		story.Pause(t.Context(), 6*time.Second)
		return w.count() == before
	})
	if !d.serving(operator.Pods(broker, 3)...) {
		t.Error("a member with a full volume does not serve, so nobody can empty its queues")
	}
	w.reads(t)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	took = w.progress(t, time.Minute)
	t.Logf("publishers go on %s after there is room", took.Round(100*time.Millisecond))
	l.Until("the end of the alarm", time.Minute, func() bool { return !alarmed() })
	w.verify(t)
}

// fill leaves so many bytes of a member's volume free, and returns the file that has the others.
func (l *lab) fill(i int, free uint64) string {
	l.Helper()
	var has syscall.Statfs_t
	if err := syscall.Statfs(l.Volume(i), &has); err != nil {
		l.Fatal(err)
	}
	room := has.Bavail * uint64(has.Bsize)
	if room <= free {
		l.Fatalf("only %d bytes are free, want more than %d", room, free)
	}
	ballast := filepath.Join(l.Volume(i), "ballast")
	l.Exec("fallocate", "-l", strconv.FormatUint(room-free, 10), ballast)
	return ballast
}

// reads takes a message from the queue and gives it back.
func (w *writer) reads(t *testing.T) {
	t.Helper()
	c, err := w.l.dial(0, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, ok, err := channel(t, c).Get(testQueue, false); err != nil || !ok {
		t.Errorf("a consumer gets nothing while publishers are stopped: %v", err)
	}
}
