package libvirt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// lookEvery is how often the mounted certificates are compared with those in use.
const lookEvery = 10 * time.Second

// renew has libvirtd read its certificates again when they change, as it does so by itself only when it starts. Those
// who call read theirs for each call, and so does QEMU.
func (c Config) renew(ctx context.Context) {
	r := renewal{folder: c.PKI, tell: reread}
	r.used = r.sum()
	for ticks := time.Tick(lookEvery); ; {
		select {
		case <-ctx.Done():
			return
		case <-ticks:
			r.look(ctx)
		}
	}
}

type renewal struct {
	folder string
	used   []byte
	// tell makes libvirtd read them.
	tell func(context.Context) ([]byte, error)
}

// sum stands for the certificates; it is nil while they are being changed.
func (r *renewal) sum() []byte {
	h := sha256.New()
	for _, name := range []string{"CA/cacert.pem", "libvirt/servercert.pem", "libvirt/private/serverkey.pem"} {
		content, err := os.ReadFile(filepath.Join(r.folder, name))
		if err != nil {
			return nil
		}
		_, _ = h.Write(content)
	}
	return h.Sum(nil)
}

func (r *renewal) look(ctx context.Context) {
	now := r.sum()
	if now == nil || bytes.Equal(now, r.used) {
		return
	}
	if said, err := r.tell(ctx); err != nil {
		// libvirtd may be about to start; it is asked again.
		slog.Warn("libvirtd does not read its certificates again", "error", err, "said", strings.TrimSpace(string(said)))
		return
	}
	slog.Info("libvirtd has read its certificates again")
	r.used = now
}

func reread(ctx context.Context) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, lookEvery)
	defer stop()
	return exec.CommandContext(ctx, "virt-admin", "--connect", "libvirtd:///system", "server-update-tls",
		"libvirtd").CombinedOutput()
}
