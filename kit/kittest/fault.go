package kittest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Trouble is a lasting disturbance of the operator's connections.
type Trouble struct {
	Name string
	// Fault makes it for one play.
	Fault func(*Play) Fault
}

// Faults plays the scenario, and script if it is not nil, under each trouble. The end state must be that of an
// undisturbed play, and nothing may have been created twice.
func (w *World) Faults(t *testing.T, script func(*Play), troubles ...Trouble) {
	t.Helper()
	want := w.calm(t, script)
	for _, trouble := range troubles {
		t.Run(trouble.Name, func(t *testing.T) {
			w.play(t, trouble.Fault, func(p *Play) {
				p.script(script)
				p.same(trouble.Name, want.state)
				if err := twice(p.creations(), want.created); err != nil {
					p.T.Error(err)
				}
			})
		})
	}
}

// Suffer puts a fault between the operator and its servers from now on, in place of the one before; nil ends it.
func (p *Play) Suffer(f Fault) { p.fault.Store(&f) }

// HTTP answers the first try of every request with that status; the request takes no effect.
func HTTP(code int) Trouble {
	return Trouble{fmt.Sprintf("http-%d", code), func(*Play) Fault {
		return firsts(func(_ *Exchange, _ func() (*http.Response, error)) (*http.Response, error) {
			return refusal(code), nil
		})
	}}
}

// Timeout lets the first try of every request take effect, but its answer never arrives.
var Timeout = Trouble{"timeout", func(p *Play) Fault {
	return firsts(func(x *Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		resp, err := send()
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		if p.Server != nil {
			<-time.After(30 * time.Second)
		}
		return nil, fmt.Errorf("%s: %w", x, context.DeadlineExceeded)
	})
}}

// StaleCache delays all that the operator learns from watches.
func StaleCache(d time.Duration) Trouble {
	return Trouble{"stale-cache", func(*Play) Fault {
		return watches(func(body io.ReadCloser) io.ReadCloser {
			return &delayed{ReadCloser: body, by: d, stop: make(chan struct{})}
		})
	}}
}

// DroppedWatch ends watches after d, and tells every other one that comes back that its version has expired.
func DroppedWatch(d time.Duration) Trouble {
	return Trouble{"dropped-watch", func(*Play) Fault {
		var mu sync.Mutex
		seen := map[string]int{}
		cut := watches(func(body io.ReadCloser) io.ReadCloser {
			c := &delayed{ReadCloser: body, stop: make(chan struct{})}
			time.AfterFunc(d, func() { _ = c.Close() })
			return c
		})
		return func(x *Exchange, send func() (*http.Response, error)) (*http.Response, error) {
			path, _, _ := strings.Cut(x.Path, "?")
			mu.Lock()
			if x.Watch() {
				seen[path]++
			}
			expired := x.Watch() && seen[path]%3 == 2
			mu.Unlock()
			if expired {
				return refusal(http.StatusGone), nil
			}
			return cut(x, send)
		}
	}}
}

// firsts lets f disturb the first request of each method and path.
func firsts(f Fault) Fault {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(x *Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		mu.Lock()
		first := x.N > 0 && !seen[x.String()]
		seen[x.String()] = true
		mu.Unlock()
		if !first {
			return send()
		}
		return f(x, send)
	}
}

// watches lets f replace the body of each watch.
func watches(f func(io.ReadCloser) io.ReadCloser) Fault {
	return func(x *Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		resp, err := send()
		if err == nil && x.Watch() && resp.StatusCode == http.StatusOK {
			resp.Body = f(resp.Body)
		}
		return resp, err
	}
}

// refusal is an answer of the API server, or of something before it.
func refusal(code int) *http.Response {
	reasons := map[int]metav1.StatusReason{
		http.StatusForbidden: metav1.StatusReasonForbidden, http.StatusConflict: metav1.StatusReasonConflict,
		http.StatusGone: metav1.StatusReasonExpired, http.StatusTooManyRequests: metav1.StatusReasonTooManyRequests,
		http.StatusInternalServerError: metav1.StatusReasonInternalError,
		http.StatusGatewayTimeout:      metav1.StatusReasonTimeout,
		http.StatusServiceUnavailable:  metav1.StatusReasonServiceUnavailable,
	}
	raw, err := json.Marshal(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure,
		Code:   int32(code),
		Reason: reasons[code], Message: "injected: " + http.StatusText(code),
	})
	if err != nil {
		raw = nil
	}
	h := http.Header{"Content-Type": {"application/json"}}
	if code == http.StatusTooManyRequests {
		h.Set("Retry-After", "1")
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: h, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Body: io.NopCloser(bytes.NewReader(raw)), ContentLength: int64(len(raw))}
}

// delayed is a body whose bytes arrive late.
type delayed struct {
	io.ReadCloser
	by   time.Duration
	once sync.Once
	stop chan struct{}
}

// Read reads, and waits before it tells.
func (d *delayed) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	if d.by > 0 {
		select {
		case <-time.After(d.by):
		case <-d.stop:
			return 0, io.EOF
		}
	}
	return n, err
}

// Close ends the body.
func (d *delayed) Close() error {
	d.once.Do(func() { close(d.stop) })
	return d.ReadCloser.Close()
}
