package story

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Browser is a Chromium that nobody sees.
type Browser struct {
	w   *World
	ctx context.Context
	dir string
}

// pageTime is how long a page may take until it has what is waited for.
const pageTime = 90 * time.Second

// Browser starts a Chromium, for the time of the test, that accepts the certificate of a Secret and no other that is
// not public. Its pictures are kept in a folder of the artifacts.
func (w *World) Browser(certificate client.ObjectKey) *Browser {
	w.Helper()
	program := w.chromium()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(w.TempDir()), chromedp.WindowSize(1400, 1000),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("ignore-certificate-errors-spki-list", w.pin(certificate)))
	// Chromium may stop a while after the context of the test is done.
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, end := chromedp.NewContext(allocator)
	w.Cleanup(func() {
		end()
		stop()
	})
	b := &Browser{w: w, ctx: ctx, dir: filepath.Join(Artifacts(), w.Namespace)}
	if err := chromedp.Do(ctx); err != nil {
		w.Fatalf("starting %s: %v", program, err)
	}
	return b
}

// chromium is where the program is. It is installed when it is missing, as nothing else needs it.
func (w *World) chromium() string {
	w.Helper()
	if program, err := exec.LookPath("chromium"); err == nil {
		return program
	}
	w.Log("installing chromium")
	for _, command := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "chromium"}} {
		// Somebody else may be installing.
		args := append([]string{"-qq", "-o", "DPkg::Lock::Timeout=300"}, command...)
		c := exec.CommandContext(w.Context(), "apt-get", args...)
		c.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := c.CombinedOutput(); err != nil {
			w.Fatalf("apt-get %s: %v: %s", command[0], err, out)
		}
	}
	program, err := exec.LookPath("chromium")
	if err != nil {
		w.Fatal(err)
	}
	return program
}

// pin is the hash of a certificate's public key, as Chromium takes it.
func (w *World) pin(secret client.ObjectKey) string {
	w.Helper()
	s := &corev1.Secret{}
	if err := w.Get(w.Context(), secret, s); err != nil {
		w.Fatalf("reading a certificate: %v", err)
	}
	block, _ := pem.Decode(s.Data["tls.crt"])
	if block == nil {
		w.Fatalf("Secret %s has no certificate", secret)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		w.Fatalf("reading the certificate of Secret %s: %v", secret, err)
	}
	sum := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Do has actions done one after another. When one fails, or takes too long, there is a picture of it.
func (b *Browser) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.w.Helper()
	ctx, stop := context.WithTimeout(b.ctx, pageTime)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.fail(err)
	}
}

// Asked is what an action returns that has a result.
func Asked[T any](b *Browser, action chromedp.Action[T]) T {
	b.w.Helper()
	ctx, stop := context.WithTimeout(b.ctx, pageTime)
	defer stop()
	answer, err := chromedp.Run(ctx, action)
	if err != nil {
		b.fail(err)
	}
	return answer
}

// Text is what a page says where a selector points to, once it is there.
func (b *Browser) Text(selector chromedp.CSS) string {
	b.w.Helper()
	b.Do(chromedp.WaitVisible(selector))
	return Asked(b, chromedp.Text(selector))
}

func (b *Browser) fail(err error) {
	b.w.Helper()
	b.Picture("failed")
	b.w.Fatalf("in the browser: %v", err)
}

// Picture keeps what the browser shows, and tells where.
func (b *Browser) Picture(name string) {
	b.w.Helper()
	ctx, stop := context.WithTimeout(b.ctx, pageTime)
	defer stop()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.MkdirAll(b.dir, 0o755)
	}
	file := filepath.Join(b.dir, name+".png")
	if err == nil {
		err = os.WriteFile(file, picture, 0o600)
	}
	if err != nil {
		b.w.Error(fmt.Errorf("taking a picture: %w", err))
		return
	}
	b.w.Logf("picture %s has %d bytes", file, len(picture))
}
