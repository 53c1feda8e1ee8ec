package resources_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

const (
	imageData = "an image\n"
	imageURL  = "http://images.test/image"
	theImage  = "Image/sample"
	publicIP  = "203.0.113.8"
)

// imageWorld declares an image whose data comes from imageURL.
func imageWorld(t *testing.T, site http.Handler, download map[string]any) *world {
	t.Helper()
	w := newWorld(t, kind(t, "Image"))
	declared, _ := w.spec()["resource"].(map[string]any)
	if download["url"] == nil {
		download["url"] = imageURL
	}
	declared["content"] = map[string]any{"diskFormat": "raw", "download": download}
	w.internet.Serve("images.test", publicIP, site)
	return w
}

func sha256Of(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// hashed is a download that only the operator can do.
func hashed(data string) map[string]any {
	return map[string]any{"hash": map[string]any{"algorithm": "sha256", "value": sha256Of(data)}}
}

func serves(data string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, data) })
}

// trickle sends parts of a MiB, one in each pause, and says how long the whole is.
func trickle(parts int, pause time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(parts<<20))
		for range parts {
			if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
			}
		}
	})
}

// only are the ways of imports that a cloud offers.
func (w *world) only(methods ...string) *world {
	w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Imports = methods })
	return w
}

func (w *world) plays(t *testing.T, f func(p *kittest.Play)) {
	t.Helper()
	kittest.New(t, w.scenario()).Run(t, f)
}

// requests are how many there were of a method to a path that ends so.
func requests(p *kittest.Play, method, end string) int {
	n := 0
	for _, r := range cloudOf(p).Requests() {
		if r.Method == method && strings.HasSuffix(r.Path, end) {
			n++
		}
	}
	return n
}

func imports(p *kittest.Play) int { return requests(p, http.MethodPost, "/import") }
func files(p *kittest.Play) int   { return requests(p, http.MethodPut, "/file") }

func statusOf(p *kittest.Play) any {
	p.T.Helper()
	all := cloudOf(p).All("Image")
	if len(all) != 1 {
		p.T.Fatalf("there are %d images, want 1", len(all))
	}
	return all[0]["status"]
}

// uploaded tells that the data came, once and whole.
func uploaded(p *kittest.Play, data string) {
	p.T.Helper()
	all := cloudOf(p).Uploads()
	whole := slices.DeleteFunc(slices.Clone(all), func(u fake.Upload) bool { return !u.Whole })
	if len(whole) != 1 || string(whole[0].Data) != data {
		p.T.Errorf("of %d uploads %d are whole, want one of %d bytes", len(all), len(whole), len(data))
	}
	if s := statusOf(p); s != "active" {
		p.T.Errorf("the image is %v", s)
	}
}

func ready(p *kittest.Play) metav1.Condition {
	p.T.Helper()
	return p.Condition(theImage, "Ready")
}

// told tells that the condition has a reason and words.
func told(p *kittest.Play, reason string, words ...string) {
	p.T.Helper()
	c := ready(p)
	for _, word := range words {
		if !strings.Contains(c.Message, word) {
			p.T.Errorf("the condition does not have %q: %v", word, c)
		}
	}
	if c.Reason != reason || c.Status != metav1.ConditionFalse {
		p.T.Errorf("the condition is %v, want the reason %s", c, reason)
	}
}

// opens plays with the image made within f: a play is not quiet before an upload has ended.
func (w *world) opens(t *testing.T, f func(p *kittest.Play)) {
	t.Helper()
	s := w.scenario()
	s.Files = s.Files[:len(s.Files)-1-len(w.objects)]
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		for _, o := range append(w.objects, w.object) {
			p.Create((&unstructured.Unstructured{Object: o}).DeepCopy())
		}
		f(p)
	})
}
