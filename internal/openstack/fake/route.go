package fake

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

var (
	version = regexp.MustCompile(`^/v[0-9.]+`)
	hole    = regexp.MustCompile(`\{([^}]+)\}`)
)

// answer finds the kind that a request is about. The caller holds the lock.
func (c *Cloud) answer(r *http.Request) answer {
	if !c.known(r) {
		return failure(http.StatusUnauthorized, "The request you have made requires authentication.")
	}
	service, path, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), "/"), "/")
	path = version.ReplaceAllString("/"+path, "")
	if path == "" || path == "/" {
		return answer{http.StatusOK, map[string]any{"versions": []any{}}}
	}
	for _, k := range c.kinds {
		if k.Service != service {
			continue
		}
		if a, ok := c.serve(k, path, r); ok {
			return a
		}
	}
	return failure(http.StatusNotFound, "there is nothing at "+r.URL.Path)
}

func (c *Cloud) serve(k *d.Kind, path string, r *http.Request) (answer, bool) {
	for _, p := range k.Paths {
		if values, ok := fits(p, path); ok {
			return c.relation(k, values, r), true
		}
	}
	list := k.List.Path
	if list == "" {
		list = k.Path
	}
	if values, ok := fits(list, path); ok && r.Method == http.MethodGet {
		return c.list(k, values, r.URL.Query()), true
	}
	if values, ok := fits(k.Path, path); ok && r.Method == http.MethodPost {
		return c.create(k, values, c.id(), r), true
	}
	values, ok := fits(k.Path+"/{the id}", path)
	if !ok || k.Shape == d.Relation {
		return answer{}, false
	}
	id, _ := values["the id"].(string)
	delete(values, "the id")
	switch r.Method {
	case http.MethodGet:
		return c.show(k, id), true
	case http.MethodDelete:
		return c.delete(k, id), true
	case http.MethodPut, http.MethodPatch:
		if k.Create.Method == http.MethodPut && c.stores[k.Name].rows[id] == nil {
			return c.create(k, values, id, r), true
		}
		return c.update(k, id, r), true
	}
	return failure(http.StatusMethodNotAllowed, r.Method+" is not allowed here"), true
}

// fits returns what the holes of a pattern stand for in a path.
func fits(pattern, path string) (map[string]any, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	values := map[string]any{}
	for i := range want {
		m := hole.FindStringSubmatch(want[i])
		switch {
		case m == nil && want[i] != have[i]:
			return nil, false
		case m != nil:
			v, err := url.PathUnescape(have[i])
			if err != nil || v == "" {
				return nil, false
			}
			values[m[1]] = v
		}
	}
	return values, true
}

// input takes the resource out of the body of a request.
func input(k *d.Kind, r *http.Request, many bool) (map[string]any, string) {
	var doc map[string]any
	if err := json.NewDecoder(r.Body).Decode(&doc); err != nil {
		return nil, "the body is no JSON object: " + err.Error()
	}
	if many {
		list, _ := doc[k.Items].([]any)
		if len(list) != 1 {
			return nil, "the body has no list " + k.Items
		}
		m, _ := list[0].(map[string]any)
		return m, ""
	}
	if k.Item == d.None {
		return doc, ""
	}
	m, ok := doc[k.Item].(map[string]any)
	if !ok {
		return nil, "the body has no " + k.Item
	}
	return m, ""
}

// RoundTrip implements http.RoundTripper: it answers in the caller's goroutine, without a network.
func (c *Cloud) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if r.URL.Host != c.Host {
		return nil, &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}
	}
	defer func() {
		if p := recover(); p != nil {
			resp, err = nil, errBroken
		}
	}()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w.Result(), nil
}

var errBroken = errors.New("the connection broke")
