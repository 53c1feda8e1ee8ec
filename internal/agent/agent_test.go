package agent

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/pki"
)

type order struct {
	Text string `json:"text"`
}

// credentials of a role, signed by a CA.
func credentials(t *testing.T, ca pki.Pair, role string, names ...string) Credentials {
	t.Helper()
	p, err := pki.Issue(ca, pki.Request{CommonName: role, Names: names}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return Credentials{CA: p.CA, Cert: p.Cert, Key: p.Key}
}

func newCA(t *testing.T) pki.Pair {
	t.Helper()
	ca, err := pki.NewCA("test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return ca
}

func install(t *testing.T, dir string, c Credentials) {
	t.Helper()
	for f, b := range map[string][]byte{"ca.crt": c.CA, "server.crt": c.Cert, "server.key": c.Key} {
		if err := os.WriteFile(filepath.Join(dir, f), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// freePort asks the kernel for a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	end, tick := time.After(10*time.Second), time.NewTicker(5*time.Millisecond)
	defer tick.Stop()
	for !f() {
		select {
		case <-end:
			t.Fatalf("%s has not happened", what)
		case <-tick.C:
		}
	}
}

// running is a server with one order for the operator and one for everybody.
func running(t *testing.T, ca pki.Pair) (dir string, port, health int, ready *error) {
	t.Helper()
	dir, port, health, ready = t.TempDir(), freePort(t), freePort(t), new(error)
	install(t, dir, credentials(t, ca, Member, "127.0.0.1"))
	mux := http.NewServeMux()
	Handle(mux, "POST /v1/echo", func(_ context.Context, o order) (order, error) { return o, nil }, Operator)
	Handle(mux, "GET /v1/state", func(context.Context, Nothing) (order, error) { return order{"here"}, nil }, Operator,
		Member)
	Handle(mux, "POST /v1/refuse",
		func(context.Context, Nothing) (Nothing, error) { return Nothing{}, Conflict("not now") }, Operator)
	Handle(mux, "POST /v1/break",
		func(context.Context, Nothing) (Nothing, error) { return Nothing{}, errors.New("broken") }, Operator)
	s := &Server{Dir: dir, Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		HealthAddr: net.JoinHostPort("127.0.0.1", strconv.Itoa(health)),
		Handler:    mux, Ready: func() error { return *ready }, Live: func() error { return nil }}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	eventually(t, "listening", func() bool {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return dir, port, health, ready
}

func caller(t *testing.T, c Credentials, port int) *Client {
	t.Helper()
	conf, err := c.Config()
	if err != nil {
		t.Fatal(err)
	}
	client := NewClientAt(conf, port)
	t.Cleanup(client.Close)
	return client
}

func TestOrdersByRole(t *testing.T) {
	ca := newCA(t)
	_, port, _, _ := running(t, ca)
	for name, c := range map[string]struct {
		cred         Credentials
		method, path string
		code         int
		says         string
	}{
		"the operator gives orders": {cred: credentials(t, ca, Operator), method: "POST", path: "/v1/echo"},
		"the operator asks":         {cred: credentials(t, ca, Operator), method: "GET", path: "/v1/state"},
		"a member asks":             {cred: credentials(t, ca, Member), method: "GET", path: "/v1/state"},
		"a member gives no orders": {cred: credentials(t, ca, Member), method: "POST", path: "/v1/echo", code: 403,
			says: "may not"},
		"another role does nothing": {cred: credentials(t, ca, "guest"), method: "GET", path: "/v1/state", code: 403,
			says: "guest"},
		"a refusal tells why": {cred: credentials(t, ca, Operator), method: "POST", path: "/v1/refuse", code: 409,
			says: "not now"},
		"an error is told": {cred: credentials(t, ca, Operator), method: "POST", path: "/v1/break", code: 500,
			says: "broken"},
		"another authority is not heard": {cred: stranger(t, ca), method: "GET", path: "/v1/state", code: -1},
		"an unknown order is not obeyed": {cred: credentials(t, ca, Operator), method: "POST", path: "/v1/nothing",
			code: 404},
	} {
		t.Run(name, func(t *testing.T) {
			var in any
			if c.method == "POST" {
				in = order{"hello"}
			}
			err := caller(t, c.cred, port).Call(t.Context(), "127.0.0.1", c.method+" "+c.path, in, nil)
			r, refused := errors.AsType[*Refusal](err)
			switch {
			case c.code == 0 && err != nil, c.code == -1 && (err == nil || refused):
				t.Errorf("got %v", err)
			case c.code > 0 && (!refused || r.Code != c.code || !strings.Contains(r.Message, c.says)):
				t.Errorf("got %v, want %d with %q", err, c.code, c.says)
			}
		})
	}
}

// stranger trusts the server and is not trusted by it.
func stranger(t *testing.T, ca pki.Pair) Credentials {
	t.Helper()
	c := credentials(t, newCA(t), Operator)
	c.CA = ca.Cert
	return c
}

func TestRenewedCertificateIsServed(t *testing.T) {
	ca := newCA(t)
	dir, port, _, _ := running(t, ca)
	serial := func() string {
		conf, err := credentials(t, ca, Operator).Config()
		if err != nil {
			t.Fatal(err)
		}
		conn, err := tls.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), conf)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	before := serial()
	install(t, dir, credentials(t, ca, Member, "127.0.0.1"))
	if serial() == before {
		t.Error("a new connection still gets the old certificate")
	}
}

func TestProbes(t *testing.T) {
	_, _, health, ready := running(t, newCA(t))
	get := func(path string) int {
		res, err := http.Get("http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(health)) + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if get("/ready") != 200 || get("/live") != 200 {
		t.Error("a healthy agent fails its probes")
	}
	*ready = errors.New("not synced")
	if get("/ready") != 503 || get("/live") != 200 {
		t.Error("an agent that is not ready must say so and stay alive")
	}
	if get("/v1/state") != 404 {
		t.Error("the port of the probes takes orders")
	}
}

func TestProcessKeepsItsLastLines(t *testing.T) {
	p, err := Start("sh", []string{"-c", "for i in $(seq 100); do echo line $i; done; exit 3"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	tail := p.Tail()
	if len(tail) != tailLines || tail[len(tail)-1] != "line 100" {
		t.Errorf("the tail is %q", tail)
	}
	if p.Running() || p.Err() == nil || !strings.Contains(p.Err().Error(), "3") {
		t.Errorf("it ended with %v", p.Err())
	}
}

func TestReapKillsWhatADaemonLeft(t *testing.T) {
	p, err := Start("sh", []string{"-c", "sleep 300 & echo $!; wait"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child's number", func() bool { return len(p.Tail()) == 1 })
	child, _ := strconv.Atoi(p.Tail()[0])
	p.Signal(syscall.SIGKILL)
	<-p.Done()
	if syscall.Kill(child, 0) != nil {
		t.Fatal("the child has died with its parent; the test shows nothing")
	}
	p.Reap()
	eventually(t, "the child's end", func() bool { return syscall.Kill(child, 0) != nil || zombie(child) })
}

func zombie(pid int) bool {
	b, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return strings.Contains(string(b), ") Z ")
}

func TestTailJoinsParts(t *testing.T) {
	tail := &Tail{}
	for _, s := range []string{"a", "b\nc", "\n", "d"} {
		if _, err := tail.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if got := tail.Lines(); !slices.Equal(got, []string{"ab", "c"}) {
		t.Errorf("got %q", got)
	}
}
