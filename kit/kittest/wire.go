package kittest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// errKilled is what a process that was killed sees of its connections.
var errKilled = errors.New("kittest: the process was killed")

// Exchange is one request of the operator.
type Exchange struct {
	// N counts the requests of a play from 1; requests that only look (watches, lists, discovery)
	// and Events have no number.
	N int
	// Method and Path of the request; Outside tells that it did not go to Kubernetes.
	Method, Path string
	Outside      bool
	// Accept says in which form the answer is wanted.
	Accept string
	Body   []byte
	// Code of the answer, 0 when there was none.
	Code int
	kill func()
}

// String names the request as `PATCH /api/v1/namespaces/...`.
func (x *Exchange) String() string {
	if x.Outside {
		return x.Method + " " + x.Path + " (outside)"
	}
	return x.Method + " " + x.Path
}

// Write tells whether the request may change something.
func (x *Exchange) Write() bool { return x.Method != http.MethodGet && x.Method != http.MethodHead }

// Watch tells whether the request opens a watch.
func (x *Exchange) Watch() bool { return x.N == 0 && strings.Contains(x.Path, "watch=") }

// Fault stands between the operator and its servers. It calls send to let the request through, at most once.
type Fault func(x *Exchange, send func() (*http.Response, error)) (*http.Response, error)

// wire is the only connection of one operator process.
type wire struct {
	play    *Play
	next    http.RoundTripper
	outside bool
	process *process
}

// RoundTrip passes the request through the play's fault and writes it down.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	x := &Exchange{Method: req.Method, Path: req.URL.RequestURI(), Outside: w.outside,
		Accept: req.Header.Get("Accept"), kill: w.process.kill}
	streams := w.outside && req.Body != nil && req.Header.Get("Content-Type") == "application/octet-stream"
	if req.Body != nil && !streams {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, fmt.Errorf("reading the request: %w", err)
		}
		x.Body = body
	}
	if w.process.dead() {
		return nil, errKilled
	}
	w.play.note(x)
	send := func() (*http.Response, error) {
		r := req.Clone(req.Context())
		switch {
		case streams:
			r.Body = &mortal{ReadCloser: req.Body, process: w.process}
		case req.Body != nil:
			r.Body = io.NopCloser(bytes.NewReader(x.Body))
		}
		resp, err := w.next.RoundTrip(r)
		if err == nil {
			w.play.journal.answered(x, resp.StatusCode)
		}
		return resp, err
	}
	if fault := w.play.fault.Load(); fault != nil && *fault != nil {
		return (*fault)(x, send)
	}
	return send()
}

// mortal is the body of a request that is sent while it is made: it breaks off when its process is killed.
type mortal struct {
	io.ReadCloser
	process *process
}

// Read implements io.Reader.
func (m *mortal) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	if m.process.dead() {
		return 0, errKilled
	}
	return n, err
}

// single tells whether a request is about one thing, rather than looking around. Events do not count either: nothing
// follows from them.
func (x *Exchange) single() bool {
	path, query, _ := strings.Cut(x.Path, "?")
	if x.Outside || x.Write() {
		return x.Outside || !strings.HasSuffix(path, "/events")
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if strings.Contains(query, "watch=") || len(parts) < 4 {
		return false
	}
	if parts[0] == "apis" {
		parts = parts[1:]
	}
	// version/namespaces/ns/resource/name, or version/resource/name.
	if len(parts) > 2 && parts[2] == "namespaces" {
		return len(parts) > 5
	}
	return len(parts) > 3
}

// journal is what the operator asked for in a play.
type journal struct {
	mu  sync.Mutex
	all []*Exchange
	n   int
}

func (j *journal) add(x *Exchange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if x.single() {
		j.n++
		x.N = j.n
	}
	j.all = append(j.all, x)
}

func (j *journal) answered(x *Exchange, code int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	x.Code = code
}

// since returns copies: the answers of requests under way are still to come.
func (j *journal) since(i int) []*Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]*Exchange, 0, len(j.all)-i)
	for _, x := range j.all[i:] {
		out = append(out, new(*x))
	}
	return out
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.all)
}

// count returns how many single requests there were.
func (j *journal) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.n
}

func newReader(raw []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(raw)) }
