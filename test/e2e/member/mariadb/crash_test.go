//go:build e2e

package mariadb_test

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/test/e2e/story"
)

// scene is a running cluster with an operator and a writer.
type scene struct {
	*story.Lab
	op     *operator
	writer *writer
	stop   context.CancelFunc
}

func play(t *testing.T) *scene {
	t.Helper()
	l := newLab(t, "")
	o := newOperator(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	begin := time.Now()
	l.Start(0, 1, 2)
	go o.run(ctx)
	l.Until("the first member serving", time.Minute, func() bool { _, w := o.serving(); return w })
	t.Logf("fresh cluster: first member serves after %s", time.Since(begin).Round(100*time.Millisecond))
	l.Until("all members serving", 2*time.Minute, o.whole)
	t.Logf("fresh cluster: all members serve after %s", time.Since(begin).Round(100*time.Millisecond))
	if err := o.agents.Ensure(ctx, o.writerIs(), mariadb.Database{Name: "app", CharacterSet: "utf8mb4", User: "app",
		Password: password, RequireTLS: true}); err != nil {
		t.Fatal(err)
	}
	s := &scene{Lab: l, op: o, writer: newWriter(t, l, o), stop: cancel}
	for i := range members {
		s.writer.refuses("root", i)
		s.writer.refuses("mysql", i)
	}
	db := s.writer.open(0)
	if _, err := db.Exec("CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR(200)) ENGINE=InnoDB"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	s.guarded()
	wctx, end := context.WithCancel(ctx)
	s.stop = end
	go s.writer.run(wctx)
	return s
}

// grown waits until the writer has had n more rows acknowledged.
func (s *scene) grown(n int64) {
	from := s.writer.last.Load()
	s.Until("rows being written", time.Minute, func() bool { return s.writer.last.Load() >= from+n })
}

func (s *scene) finish() {
	s.stop()
	<-s.writer.done
	for i := range members {
		have, lost := s.writer.check(i)
		s.Logf("%s: %d acknowledged, %d there, %d lost", s.Pod(i), len(s.writer.acknowledged), have, lost)
		if lost > 0 {
			s.Errorf("%s lost %d acknowledged rows", s.Pod(i), lost)
		}
	}
}

// recover restarts members and waits until writes work and all serve.
func (s *scene) recover(killed ...int) (writes, all time.Duration) {
	begin := time.Now()
	last := s.writer.last.Load()
	s.Start(killed...)
	s.Until("writes being taken again", 3*time.Minute, func() bool { return s.writer.last.Load() > last })
	writes = time.Since(begin)
	s.Until("all members serving", 3*time.Minute, func() bool { n, _ := s.op.serving(); return n == members })
	return writes, time.Since(begin)
}

func TestAllKilledUnderAWriter(t *testing.T) {
	story.Slow(t)
	s := play(t)
	rounds := 3
	if n, err := strconv.Atoi(os.Getenv("ROUNDS")); err == nil {
		rounds = n
	}
	for round := range rounds {
		s.grown(300)
		s.Signal(syscall.SIGKILL, 0, 1, 2)
		writes, all := s.recover(0, 1, 2)
		t.Logf("round %d: writes after %s, all members after %s", round+1, writes.Round(100*time.Millisecond),
			all.Round(100*time.Millisecond))
	}
	s.grown(300)
	s.finish()
}
