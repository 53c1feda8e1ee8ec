// Package endpoint is a small REST service in memory, as an http.RoundTripper, that loses, doubles and delays like real
// ones: the outside world in tests of External steps.
//
// Every first path segment is a collection. POST /things makes a resource and gives it an id, GET /things lists the
// resources whose top-level fields equal the query's, GET, PUT, PATCH and DELETE /things/ID do what their names say.
// Deeper paths work alike: the last segment but the id is the collection, what is before it a prefix of its name.
package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Point is where in a request something breaks.
type Point string

// The points of failure.
const (
	// Before: the request does not arrive.
	Before Point = "before"
	// Failed: the request takes effect and is answered with 500.
	Failed Point = "failed"
	// Dropped: the request takes effect and the connection breaks. With Endpoint.Kill the client dies of it.
	Dropped Point = "dropped"
)

// ErrBroken is what a client sees of a broken connection.
var ErrBroken = errors.New("endpoint: connection reset")

// Resource is a stored object; "id" is set by the endpoint.
type Resource map[string]any

// Request is one request as it arrived.
type Request struct {
	Method, Path string
	Time         time.Time
	// Code of the answer, 0 for none.
	Code int
}

// Endpoint is the service. Its exported fields may be set before use.
type Endpoint struct {
	// Lag is how long a new resource is missing from lists, and a deleted one is still in them.
	Lag time.Duration
	// Kill is called after a request at which Dropped was set, to end the client.
	Kill func()

	mu       sync.Mutex
	next     int
	things   map[string]map[string]*thing
	breaks   map[int]Point
	answers  []answer
	requests []Request
}

type thing struct {
	Resource
	made, gone time.Time
}

type answer struct {
	code  int
	after time.Duration
}

// New returns an empty endpoint.
func New() *Endpoint {
	return &Endpoint{things: map[string]map[string]*thing{}, breaks: map[int]Point{}}
}

// Break lets something go wrong at the nth request from now, counted from 1.
func (e *Endpoint) Break(n int, p Point) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.breaks[len(e.requests)+n] = p
}

// Answer answers the next n requests with a status and, unless it is zero, a Retry-After; they take no effect.
func (e *Endpoint) Answer(n, code int, after time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for range n {
		e.answers = append(e.answers, answer{code, after})
	}
}

// Requests returns what has arrived so far.
func (e *Endpoint) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.requests)
}

// All returns copies of the resources of a collection, in the order in which they were made.
func (e *Endpoint) All(collection string) []Resource {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Resource
	for _, t := range e.sorted(collection) {
		if t.gone.IsZero() {
			out = append(out, maps.Clone(t.Resource))
		}
	}
	return out
}

// Put stores a resource as somebody else would, and returns its id.
func (e *Endpoint) Put(collection string, r Resource) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.add(collection, maps.Clone(r)).id()
}

// Snapshot describes all resources without their ids, one a line; it is empty when there is none.
func (e *Endpoint) Snapshot() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var lines []string
	for name := range e.things {
		for _, t := range e.sorted(name) {
			r := maps.Clone(t.Resource)
			delete(r, "id")
			raw, err := json.Marshal(r)
			if err == nil && t.gone.IsZero() {
				lines = append(lines, "  "+name+" "+string(raw)+"\n")
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// RoundTrip serves a request in the caller's goroutine.
func (e *Endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer r.Body.Close()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, fmt.Errorf("reading the request: %w", err)
		}
	}
	resp, kill, err := e.serve(r, body)
	if kill && e.Kill != nil {
		e.Kill()
	}
	return resp, err
}

func (e *Endpoint) serve(r *http.Request, body []byte) (resp *http.Response, kill bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, Request{Method: r.Method, Path: r.URL.RequestURI(), Time: time.Now()})
	mine := &e.requests[len(e.requests)-1]
	at := e.breaks[len(e.requests)]
	if at == Before {
		return nil, false, ErrBroken
	}
	if len(e.answers) > 0 {
		a := e.answers[0]
		e.answers = e.answers[1:]
		mine.Code = a.code
		return respond(r, a.code, map[string]string{"error": http.StatusText(a.code)}, a.after), false, nil
	}
	code, out := e.handle(r, body)
	switch at {
	case Dropped:
		return nil, true, ErrBroken
	case Failed:
		code, out = http.StatusInternalServerError, map[string]string{"error": "injected after the fact"}
	}
	mine.Code = code
	return respond(r, code, out, 0), false, nil
}

func respond(r *http.Request, code int, v any, after time.Duration) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	if after > 0 {
		h.Set("Retry-After", strconv.Itoa(int(after.Seconds())))
	}
	raw, err := json.Marshal(v)
	if err != nil || v == nil {
		raw = nil
	}
	return &http.Response{
		StatusCode: code, Status: strconv.Itoa(code) + " " + http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: h, Body: io.NopCloser(bytes.NewReader(raw)), ContentLength: int64(len(raw)), Request: r,
	}
}

func (e *Endpoint) handle(r *http.Request, body []byte) (int, any) {
	collection, id := e.split(r.URL.Path)
	in := Resource{}
	if len(body) > 0 {
		if err := json.Unmarshal(body, &in); err != nil {
			return http.StatusBadRequest, map[string]string{"error": err.Error()}
		}
	}
	if id == "" {
		switch r.Method {
		case http.MethodGet:
			return http.StatusOK, e.list(collection, r.URL.Query())
		case http.MethodPost:
			return http.StatusCreated, e.add(collection, in).Resource
		}
		return http.StatusMethodNotAllowed, nil
	}
	t := e.things[collection][id]
	if t == nil || !t.gone.IsZero() {
		if r.Method == http.MethodPut {
			in["id"] = id
			return http.StatusCreated, e.add(collection, in).Resource
		}
		return http.StatusNotFound, map[string]string{"error": "there is no " + id}
	}
	switch r.Method {
	case http.MethodGet:
	case http.MethodPut, http.MethodPatch:
		maps.Copy(t.Resource, in)
		t.Resource["id"] = id
	case http.MethodDelete:
		t.gone = time.Now()
		return http.StatusNoContent, nil
	default:
		return http.StatusMethodNotAllowed, nil
	}
	return http.StatusOK, t.Resource
}

// split finds collection and id: a path whose last segment is no id names a collection.
func (e *Endpoint) split(path string) (collection, id string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts)%2 == 0 {
		return strings.Join(parts[:len(parts)-1], "/"), parts[len(parts)-1]
	}
	return strings.Join(parts, "/"), ""
}

func (e *Endpoint) add(collection string, r Resource) *thing {
	e.next++
	if _, ok := r["id"].(string); !ok || r["id"] == "" {
		r["id"] = fmt.Sprintf("%s-%d", strings.ReplaceAll(collection, "/", "-"), e.next)
	}
	t := &thing{Resource: r, made: time.Now()}
	if e.things[collection] == nil {
		e.things[collection] = map[string]*thing{}
	}
	e.things[collection][t.id()] = t
	return t
}

func (t *thing) id() string { s, _ := t.Resource["id"].(string); return s }

func (e *Endpoint) sorted(collection string) []*thing {
	return slices.SortedFunc(maps.Values(e.things[collection]), func(a, b *thing) int {
		if c := a.made.Compare(b.made); c != 0 {
			return c
		}
		return strings.Compare(a.id(), b.id())
	})
}

// list shows what a client may see by now.
func (e *Endpoint) list(collection string, query map[string][]string) []Resource {
	out := []Resource{}
	for _, t := range e.sorted(collection) {
		hidden := time.Since(t.made) < e.Lag || !t.gone.IsZero() && time.Since(t.gone) >= e.Lag
		if !hidden && t.has(query) {
			out = append(out, t.Resource)
		}
	}
	return out
}

func (t *thing) has(query map[string][]string) bool {
	for k, vs := range query {
		if len(vs) > 0 && fmt.Sprint(t.Resource[k]) != vs[0] {
			return false
		}
	}
	return true
}
