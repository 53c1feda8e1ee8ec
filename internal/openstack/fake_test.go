package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const password = "correct-horse-battery"

// cloud is a small Keystone with services behind it, all on one host. It keeps no time of its own, so it works in a
// bubble.
type cloud struct {
	host string
	life time.Duration
	// handle answers for all services; the first part of the path is the type.
	handle http.HandlerFunc
	// keystone, when set, answers in the place of Keystone unless it returns false.
	keystone func(http.ResponseWriter, *http.Request) bool
	// catalog, when set, replaces one with a few services.
	catalog func() any

	mu     sync.Mutex
	auths  map[string]int
	tokens map[string]time.Time
	number int
	seen   []*http.Request
	// opened and most count connections, those ever and those at once.
	opened, flying, most int
}

// counted is a connection that tells its cloud when it ends.
type counted struct {
	net.Conn
	cloud *cloud
	once  sync.Once
}

// Close closes the connection.
func (c *counted) Close() error {
	c.once.Do(func() { c.cloud.count(-1) })
	return c.Conn.Close()
}

func (c *cloud) count(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened += max(0, n)
	c.flying += n
	c.most = max(c.most, c.flying)
}

func newCloud(host string) *cloud {
	c := &cloud{host: host, life: time.Hour, auths: map[string]int{}, tokens: map[string]time.Time{}}
	c.answer(status(http.StatusOK, "{}"))
	return c
}

func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/auth/tokens") {
		c.mu.Lock()
		guard := c.keystone
		c.mu.Unlock()
		if guard == nil || !guard(w, r) {
			c.authenticate(w, r)
		}
		return
	}
	c.mu.Lock()
	until := c.tokens[r.Header.Get("X-Auth-Token")]
	c.seen = append(c.seen, r)
	handle := c.handle
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Openstack-Request-Id", "req-of-service")
	if !time.Now().Before(until) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error": {"code": 401, "message": "The request you have made requires authentication."}}`)
		return
	}
	handle(w, r)
}

// answer changes what services answer.
func (c *cloud) answer(h http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handle = h
}

// guard changes what answers in the place of Keystone, nil for Keystone itself.
func (c *cloud) guard(h func(http.ResponseWriter, *http.Request) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keystone = h
}

func (c *cloud) authenticate(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Auth struct {
			Identity struct {
				Password struct {
					User struct{ Name, Password string }
				}
			}
		}
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	user := body.Auth.Identity.Password.User
	c.mu.Lock()
	defer c.mu.Unlock()
	c.auths[user.Name]++
	w.Header().Set("X-Openstack-Request-Id", "req-of-keystone")
	if err != nil || user.Password != password {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": {"code": 401, "message": "Wrong password %s for %s."}}`, user.Password, user.Name)
		return
	}
	c.number++
	id := fmt.Sprintf("gAAAA-%s-%d", user.Name, c.number)
	now := time.Now()
	c.tokens[id] = now.Add(c.life)
	w.Header().Set("X-Subject-Token", id)
	w.WriteHeader(http.StatusCreated)
	// Keystone's clock is wrong on purpose.
	skew := 17 * time.Hour
	_ = json.NewEncoder(w).Encode(map[string]any{"token": map[string]any{
		"issued_at": now.Add(skew), "expires_at": now.Add(skew + c.life), "catalog": c.services(),
		"user":    map[string]any{"id": "user-" + user.Name},
		"project": map[string]any{"id": "project-1", "domain": map[string]any{"id": "default"}},
	}})
}

func (c *cloud) services() any {
	if c.catalog != nil {
		return c.catalog()
	}
	var list []map[string]any
	for _, typ := range []string{"identity", "compute", "network", "volumev3", "load-balancer", "placement"} {
		list = append(list, offerOf(typ, "RegionOne", "http://"+c.host+"/"+typ))
	}
	return list
}

func offerOf(typ, region, url string) map[string]any {
	return map[string]any{"type": typ, "endpoints": []map[string]any{
		{"interface": "public", "region": region, "region_id": region, "url": url},
		{"interface": "internal", "region": region, "region_id": region, "url": strings.Replace(url, "//", "//in.", 1)},
	}}
}

// logins returns how often users were authenticated.
func (c *cloud) logins(user string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.auths[user]
}

// requests returns what services were asked.
func (c *cloud) requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*http.Request(nil), c.seen...)
}

// revoke makes all tokens bad.
func (c *cloud) revoke() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.tokens)
}

func (c *cloud) config(user string) Config {
	return Config{Clouds: fmt.Appendf(nil, `
clouds:
  test:
    auth:
      auth_url: http://%s
      username: %s
      password: %s
      project_name: demo
      user_domain_name: Default
      project_domain_name: Default
`, c.host, user, password)}
}

// wire connects a pool with clouds through pipes, which do not count as waiting for the world in a bubble.
type wire struct {
	mu    sync.Mutex
	lines map[string]*line
}

type line struct {
	cloud *cloud
	conns chan net.Conn
	done  chan struct{}
}

func (l *line) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *line) Close() error   { return nil }
func (l *line) Addr() net.Addr { return &net.UnixAddr{Name: l.cloud.host} }

// connect serves clouds until the end of the test.
func connect(t *testing.T, clouds ...*cloud) *wire {
	t.Helper()
	w := &wire{lines: map[string]*line{}}
	for _, c := range clouds {
		l := &line{cloud: c, conns: make(chan net.Conn), done: make(chan struct{})}
		s := &http.Server{Handler: c}
		w.lines[c.host] = l
		go func() { _ = s.Serve(l) }()
		t.Cleanup(func() {
			close(l.done)
			_ = s.Close()
		})
	}
	return w
}

func (w *wire) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	w.mu.Lock()
	l, ok := w.lines[host]
	w.mu.Unlock()
	if !ok {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("connection refused")}
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		l.cloud.count(1)
		return &counted{Conn: ours, cloud: l.cloud}, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newPool returns a pool that reaches clouds.
func newPool(t *testing.T, o Options, clouds ...*cloud) *Pool {
	t.Helper()
	o.Dial = connect(t, clouds...).dial
	p := NewPool(o)
	t.Cleanup(p.Close)
	return p
}

// open returns a session that works.
func open(t *testing.T, p *Pool, c Config) *Session {
	t.Helper()
	s, err := p.Open(t.Context(), "ns/secret", c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// serve runs a cloud on a real port until the end of the test.
func serve(tb testing.TB, c *cloud) {
	tb.Helper()
	s := httptest.NewServer(c)
	tb.Cleanup(s.Close)
	c.host = strings.TrimPrefix(s.URL, "http://")
}

// wants fails unless err is a fault of a class with all texts in it.
func wants(t *testing.T, err error, class Class, texts ...string) {
	t.Helper()
	f, ok := errors.AsType[*Fault](err)
	if !ok {
		t.Fatalf("error is %v, want a fault", err)
	}
	if f.Class != class {
		t.Errorf("class is %s, want %s: %v", f.Class, class, f)
	}
	for _, text := range texts {
		if !strings.Contains(f.Error(), text) {
			t.Errorf("error %q does not say %q", f, text)
		}
	}
}

// pauseOf is how long a fault asks to wait.
func pauseOf(err error) time.Duration {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.RetryAfter
	}
	return 0
}

// must is for what cannot fail in a test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// hang answers nothing until the caller is gone. A server notices that only once it has read the body.
func hang(_ http.ResponseWriter, r *http.Request) bool {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	return true
}
