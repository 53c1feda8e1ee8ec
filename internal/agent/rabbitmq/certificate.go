package rabbitmq

import (
	"bytes"
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// tlsEvery is how often the mounted certificates are compared with those in use.
const tlsEvery = 10 * time.Second

// tlsWatch makes the broker read renewed certificates. Connections that are open go on.
type tlsWatch struct {
	dir   string
	inUse []byte
	next  time.Time
}

func newTLSWatch(dir string) *tlsWatch {
	w := &tlsWatch{dir: dir}
	w.inUse = w.sum()
	return w
}

func (w *tlsWatch) sum() []byte {
	h := sha256.New()
	for _, f := range []string{"tls.crt", "tls.key", "ca.crt"} {
		b, err := os.ReadFile(filepath.Join(w.dir, f))
		if err != nil {
			return nil
		}
		_, _ = h.Write(b)
	}
	return h.Sum(nil)
}

func (w *tlsWatch) look(ctx context.Context, c *Config) {
	if time.Now().Before(w.next) {
		return
	}
	w.next = time.Now().Add(tlsEvery)
	now := w.sum()
	if now == nil || bytes.Equal(now, w.inUse) {
		return
	}
	if err := c.eval(ctx, forgetCertificates); err != nil {
		slog.Error("reloading certificates", "error", err)
		return
	}
	slog.Info("reloaded certificates")
	w.inUse = now
}
