package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificates that change are read again, once, and again until the daemon has done so.
func TestRenewedCertificatesAreRead(t *testing.T) {
	folder, told, fails := t.TempDir(), 0, errors.New("not yet")
	put := func(content string) {
		t.Helper()
		for _, name := range []string{"tls.crt", "tls.key"} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content+name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("one")
	r := &Renewal{Files: Within(folder, "tls.crt", "tls.key"), Reload: func(context.Context) error {
		told++
		return fails
	}}
	r.Begin()
	for step, want := range []int{0, 1, 2, 2} {
		switch step {
		case 1:
			put("two")
		case 2:
			fails = nil
		}
		if r.Look(t.Context()); told != want {
			t.Errorf("in step %d the daemon was told %d times, want %d", step, told, want)
		}
	}
	if err := os.Remove(filepath.Join(folder, "tls.key")); err != nil {
		t.Fatal(err)
	}
	if r.Look(t.Context()); told != 2 {
		t.Error("the daemon was told of certificates that are not all there")
	}
	put("three")
	r.Every = time.Hour
	if r.Look(t.Context()); told != 3 {
		t.Errorf("after a third change the daemon was told %d times, want 3", told)
	}
	put("four")
	if r.Look(t.Context()); told != 3 {
		t.Error("files were looked at again before the pause was over")
	}
}

// Without TLS there are no files, and nothing to tell.
func TestNoCertificatesAreNeverRead(t *testing.T) {
	r := &Renewal{Files: Within("", "tls.crt"), Reload: func(context.Context) error {
		t.Error("the daemon was told")
		return nil
	}}
	r.Begin().Look(t.Context())
}
