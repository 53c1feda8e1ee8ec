package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// RenewalEvery is how often mounted certificates need to be compared with those in use.
const RenewalEvery = 10 * time.Second

// Renewed is what is logged when a daemon has read its certificates again.
const Renewed = "certificates are read again"

// Renewal makes a daemon read its certificates again when those that are mounted have changed.
type Renewal struct {
	// Files are certificates and keys; without any there is nothing to do.
	Files []string
	// Every is the pause between two looks at the files; zero is none.
	Every time.Duration
	// Reload makes the daemon read them. It is asked again after an error.
	Reload func(context.Context) error

	inUse []byte
	next  time.Time
}

// Within are the paths of files in a folder; there are none without a folder.
func Within(folder string, names ...string) []string {
	if folder == "" {
		return nil
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(folder, name)
	}
	return paths
}

// Begin takes the files as they are now for those in use; called as the daemon starts.
func (r *Renewal) Begin() *Renewal {
	r.inUse = r.sum()
	return r
}

// Look reloads the files if they have changed.
func (r *Renewal) Look(ctx context.Context) {
	if time.Now().Before(r.next) {
		return
	}
	r.next = time.Now().Add(r.Every)
	now := r.sum()
	if now == nil || bytes.Equal(now, r.inUse) {
		return
	}
	if err := r.Reload(ctx); err != nil {
		slog.Warn("certificates are not read again", "error", err)
		return
	}
	slog.Info(Renewed)
	r.inUse = now
}

// sum stands for the files; it is nil while they are being changed.
func (r *Renewal) sum() []byte {
	h := sha256.New()
	for _, file := range r.Files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil
		}
		_, _ = h.Write(content)
	}
	return h.Sum(nil)
}
