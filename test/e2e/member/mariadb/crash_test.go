//go:build e2e

// Package mariadb_test runs three agents with real MariaDB in network namespaces, without Kubernetes.
package mariadb_test

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/test/e2e/story"
)

func TestMain(m *testing.M) { os.Exit(story.Inside(m, fabric, "10.77.0.254/24")) }

func agentSecret(t *testing.T, now time.Time) map[string][]byte {
	t.Helper()
	ca, err := pki.NewCA("agent", now)
	if err != nil {
		t.Fatal(err)
	}
	server, err := pki.Issue(ca, pki.Request{CommonName: pki.RoleMember, Names: []string{"*." + domain}}, now)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pki.Issue(ca, pki.Request{CommonName: pki.RoleOperator}, now)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"ca.crt": ca.Cert, "server.crt": server.Cert, "server.key": server.Key,
		"client.crt": client.Cert, "client.key": client.Key}
}

// scene is a running cluster with an operator and a writer.
type scene struct {
	*lab
	op     *operator
	writer *writer
	stop   context.CancelFunc
}

func play(t *testing.T) *scene {
	t.Helper()
	g := &infrav1.Galera{}
	g.Name = "galera"
	g.Spec.Replicas = 3
	l := newLab(t, 3, galera.ConfigFile(g))
	o := newOperator(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	begin := time.Now()
	for i := range l.members {
		l.start(i)
	}
	go o.run(ctx)
	until(t, "the first member serving", time.Minute, func() bool { _, w := o.serving(); return w })
	t.Logf("fresh cluster: first member serves after %s", time.Since(begin).Round(100*time.Millisecond))
	until(t, "all members serving", 2*time.Minute, func() bool { n, w := o.serving(); return n == 3 && w })
	t.Logf("fresh cluster: all members serve after %s", time.Since(begin).Round(100*time.Millisecond))
	if err := o.agents.Ensure(ctx, o.writerIs(), mariadb.Database{Name: "app", CharacterSet: "utf8mb4", User: "app",
		Password: password, RequireTLS: true}); err != nil {
		t.Fatal(err)
	}
	s := &scene{lab: l, op: o, writer: newWriter(t, l, o), stop: cancel}
	db := s.writer.open(0)
	if _, err := db.Exec("CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR(200)) ENGINE=InnoDB"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	wctx, end := context.WithCancel(ctx)
	s.stop = end
	go s.writer.run(wctx)
	return s
}

// grown waits until the writer has had n more rows acknowledged.
func (s *scene) grown(n int64) {
	from := s.writer.last.Load()
	until(s.t, "rows being written", time.Minute, func() bool { return s.writer.last.Load() >= from+n })
}

func (s *scene) finish() {
	s.stop()
	<-s.writer.done
	for i := range s.members {
		have, lost := s.writer.check(s.t, i)
		s.t.Logf("%s: %d acknowledged, %d there, %d lost", podName(i), len(s.writer.acknowledged), have, lost)
		if lost > 0 {
			s.t.Errorf("%s lost %d acknowledged rows", podName(i), lost)
		}
	}
}

// recover restarts members and waits until writes work and all serve.
func (s *scene) recover(members ...int) (writes, all time.Duration) {
	begin := time.Now()
	last := s.writer.last.Load()
	for _, i := range members {
		s.start(i)
	}
	until(s.t, "writes being taken again", 3*time.Minute, func() bool { return s.writer.last.Load() > last })
	writes = time.Since(begin)
	until(s.t, "all members serving", 3*time.Minute, func() bool { n, _ := s.op.serving(); return n == len(s.members) })
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
		s.signal(syscall.SIGKILL, 0, 1, 2)
		writes, all := s.recover(0, 1, 2)
		t.Logf("round %d: writes after %s, all members after %s", round+1, writes.Round(100*time.Millisecond),
			all.Round(100*time.Millisecond))
	}
	s.grown(300)
	s.finish()
}
