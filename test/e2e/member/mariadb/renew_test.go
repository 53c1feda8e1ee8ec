//go:build e2e

package mariadb_test

import (
	"crypto/tls"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/test/e2e/story"
)

// Members show renewed certificates without a restart, and no write fails meanwhile. One that lost its volume then gets
// its copy from members that run since before.
func TestCertificatesAreRenewed(t *testing.T) {
	story.Slow(t)
	s := play(t)
	s.grown(100)
	var old [members]string
	for i := range members {
		old[i] = s.writer.serial(i)
	}
	failed := s.writer.failed.Load()
	s.Certify()
	took := s.Until("renewed certificates being shown", time.Minute, func() bool {
		for i := range members {
			if s.writer.serial(i) == old[i] {
				return false
			}
		}
		return true
	})
	s.grown(300)
	if n := s.writer.failed.Load() - failed; n > 0 {
		t.Errorf("%d writes failed while certificates were renewed, want none", n)
	}
	lost := members - 1
	if s.Pod(lost) == s.op.writerIs() {
		lost--
	}
	s.Signal(syscall.SIGKILL, lost)
	s.Lose(lost)
	writes, all := s.recover(lost)
	t.Logf("renewed certificates are shown after %s; a volume lost: writes after %s, all members after %s",
		took.Round(100*time.Millisecond), writes.Round(100*time.Millisecond), all.Round(100*time.Millisecond))
	s.grown(100)
	s.finish()
}

// serial is the number of the certificate that a member shows to clients.
func (w *writer) serial(i int) (number string) {
	w.l.Helper()
	c := w.login("app", password, i)
	c.TLS = w.tls.Clone()
	c.TLS.VerifyConnection = func(s tls.ConnectionState) error {
		number = s.PeerCertificates[0].SerialNumber.String()
		return nil
	}
	db := w.by(c)
	defer func() { _ = db.Close() }()
	if err := db.PingContext(w.l.Context()); err != nil {
		w.l.Fatalf("asking %s for its certificate: %v", w.l.Pod(i), err)
	}
	return number
}
