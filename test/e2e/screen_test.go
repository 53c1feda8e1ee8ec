//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/test/e2e/story"
)

// rfb is the version that everybody speaks, see RFC 6143.
const rfb = "RFB 003.008\n"

// Ways in which a server of screens may ask who one is.
const (
	askNobody   = 1
	askVeNCrypt = 19
)

// The screen of a server is shown to a browser. The server goes on to show it when its certificate is renewed, although
// the pod that has started it is gone.
func TestScreensAreShown(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	f := hosted(w)
	_, remove := server(f)
	watched(w)
	f.KillAll(2*time.Minute, f.namespace, "rack-a-libvirt-")
	before := shownBy(w)
	old := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "openstack", Name: "rack-a-screens-tls"}}
	if err := w.Delete(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	// The kubelet looks at Secrets that are mounted once a minute or so.
	w.Eventually(4*time.Minute, "the server has the new certificate", func(context.Context) error {
		if now := shownBy(w); now.Cmp(before) == 0 {
			return fmt.Errorf("its certificate is number %s", now)
		}
		return nil
	})
	w.Eventually(time.Minute, "the proxy shows its screen", proxied(w))
	remove()
}

// shownBy is the number of the certificate by which the server shows its screen to who has one of a proxy.
func shownBy(w *story.World) *big.Int {
	w.Helper()
	s := &corev1.Secret{}
	err := w.Get(w.Context(), client.ObjectKey{Namespace: "openstack", Name: "openstack-nova-cell1-console-tls"}, s)
	if err != nil {
		w.Fatal(err)
	}
	own, err := tls.X509KeyPair(s.Data["tls.crt"], s.Data["tls.key"])
	if err != nil {
		w.Fatal(err)
	}
	c := dial(w)
	defer func() { _ = c.Close() }()
	// The way, version 0.2 of it, and certificates at both ends without a password. Each answer is known.
	for _, step := range []struct{ asks, answers []byte }{
		{[]byte{askVeNCrypt}, []byte{0, 2}}, {[]byte{0, 2}, []byte{0, 1, 0, 0, 1, 4}}, {[]byte{0, 0, 1, 4}, []byte{1}}} {
		answers := make([]byte, len(step.answers))
		if _, err := c.Write(step.asks); err != nil {
			w.Fatal(err)
		}
		if _, err := io.ReadFull(c, answers); err != nil || !bytes.Equal(answers, step.answers) {
			w.Fatalf("to %v the answer is %v, %v, want %v", step.asks, answers, err, step.answers)
		}
	}
	secure := tls.Client(c, &tls.Config{Certificates: []tls.Certificate{own}, InsecureSkipVerify: true})
	if err := secure.HandshakeContext(w.Context()); err != nil {
		w.Fatalf("asking for the screen as a proxy does: %v", err)
	}
	return secure.ConnectionState().PeerCertificates[0].SerialNumber
}

// proxied tells through the cell's proxy, as a browser would, which screen the server has. The proxy's name is what its
// certificate says, which is looked at by the browser of TestScreensAreShown.
func proxied(w *story.World) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := w.Cluster.Stackwright(ctx, "openstack", "console", "url", "show", "--novnc", "web", "-f", "value",
			"-c", "url")
		if err != nil {
			return err
		}
		page, err := url.Parse(strings.TrimSpace(out))
		if err != nil {
			return err
		}
		config, err := websocket.NewConfig("wss://"+page.Host+"/"+page.Query().Get("path"), "https://"+page.Host)
		if err != nil {
			return err
		}
		config.Protocol, config.TlsConfig = []string{"binary"}, &tls.Config{InsecureSkipVerify: true}
		config.Dialer = &net.Dialer{Timeout: 5 * time.Second}
		c, err := config.DialContext(ctx)
		if err != nil {
			return fmt.Errorf("opening the screen at %s: %w", page.Host, err)
		}
		defer func() { _ = c.Close() }()
		c.PayloadType = websocket.BinaryFrame
		if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		ways, err := waysOf(c)
		if err != nil || !bytes.Equal(ways, []byte{askNobody}) {
			return errors.Join(err, fmt.Errorf("the proxy asks by the ways %v, and a browser knows %d", ways, askNobody))
		}
		return drawn(w, c)
	}
}

// drawn reads what is told of a screen to whoever was let in.
func drawn(w *story.World, c io.ReadWriter) error {
	if _, err := c.Write([]byte{askNobody}); err != nil {
		return err
	}
	var result uint32
	if err := binary.Read(c, binary.BigEndian, &result); err != nil || result != 0 {
		return errors.Join(err, fmt.Errorf("the proxy was let in with result %d", result))
	}
	if _, err := c.Write([]byte{1}); err != nil {
		return err
	}
	var screen struct {
		Width, Height uint16
		Format        [16]byte
		Name          uint32
	}
	if err := binary.Read(c, binary.BigEndian, &screen); err != nil {
		return err
	}
	name := make([]byte, min(screen.Name, 256))
	if _, err := io.ReadFull(c, name); err != nil {
		return err
	}
	w.Logf("the screen of %s has %d by %d points", name, screen.Width, screen.Height)
	if screen.Width == 0 || !strings.Contains(string(name), "QEMU") {
		return fmt.Errorf("the screen is %+v of %q", screen, name)
	}
	return nil
}

// waysOf reads by which ways a server of screens lets others in.
func waysOf(c io.ReadWriter) ([]byte, error) {
	version := make([]byte, len(rfb))
	if _, err := io.ReadFull(c, version); err != nil || string(version) != rfb {
		return nil, errors.Join(err, fmt.Errorf("it speaks %q", version))
	}
	if _, err := c.Write(version); err != nil {
		return nil, err
	}
	var n [1]byte
	if _, err := io.ReadFull(c, n[:]); err != nil {
		return nil, err
	}
	ways := make([]byte, n[0])
	_, err := io.ReadFull(c, ways)
	return ways, err
}

// guarded checks that the node shows the screen to nobody who has no certificate.
func guarded(w *story.World) {
	w.Helper()
	_ = dial(w).Close()
}

// dial asks the node for the screen, which has one way to let others in.
func dial(w *story.World) net.Conn {
	w.Helper()
	n := &corev1.Node{}
	if err := w.Get(w.Context(), client.ObjectKey{Name: "node-1"}, n); err != nil {
		w.Fatal(err)
	}
	address := ""
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			address = net.JoinHostPort(a.Address, "5900")
		}
	}
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		w.Fatalf("asking the node for the screen: %v", err)
	}
	ways, err := waysOf(c)
	if err != nil || !bytes.Equal(ways, []byte{askVeNCrypt}) {
		w.Fatalf("the node asks by the ways %v, want %d alone: %v", ways, askVeNCrypt, err)
	}
	return c
}

// watched opens the screen in a browser.
func watched(w *story.World) {
	w.Helper()
	b := w.Browser(client.ObjectKey{Namespace: "openstack", Name: "openstack-nova-cell1-tls"})
	b.Do(chromedp.Navigate(w.OpenStack("console", "url", "show", "--novnc", "web", "-f", "value", "-c", "url")))
	w.Eventually(time.Minute, "the browser shows the screen", func(context.Context) error {
		told := story.Asked(b, chromedp.Evaluate[string](`document.getElementById("status").textContent`))
		if !strings.HasPrefix(told, "Connected to QEMU") {
			return fmt.Errorf("the page says %q", told)
		}
		return nil
	})
	b.Picture("screen")
}
