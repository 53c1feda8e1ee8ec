package fake

import (
	"cmp"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"stackwright.dev/stackwright/internal/resources/body"
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
	if path = strings.TrimPrefix(path, "/"+Project); path == "" || path == "/" {
		return c.versions(service)
	}
	q := &question{Request: r, path: path, query: r.URL.Query(), version: microversion(r)}
	if err := q.read(); err != nil {
		return failure(http.StatusBadRequest, "the body is no JSON: "+err.Error())
	}
	if most := c.Microversions[service]; q.version != "" && above(q.version, most) {
		return failure(http.StatusNotAcceptable, "Version "+q.version+" is not supported by the API. Maximum is "+most+".")
	}
	if service == "image" {
		if a, ok := c.importing(q); ok {
			return a
		}
	}
	if service == "identity" && path == "/auth/catalog" {
		return answer{http.StatusOK, map[string]any{"catalog": c.catalog()}}
	}
	if service == "block-storage" && path == "/messages" {
		return c.messages(q.query.Get("resource_uuid"))
	}
	for _, serve := range []func(*d.Kind, *question) (answer, bool){c.listing, c.acting, c.serve} {
		for _, k := range c.ofService(service) {
			if a, ok := serve(k, q); ok {
				return a
			}
		}
	}
	if a, ok := c.survey(service, q); ok {
		return a
	}
	return failure(http.StatusNotFound, "there is nothing at "+r.URL.Path)
}

// messages tells users of a resource.
func (c *Cloud) messages(id string) answer {
	list := []any{}
	if text := c.says[id]; text != "" {
		list = append(list, map[string]any{"resource_uuid": id, "user_message": text})
	}
	return answer{http.StatusOK, map[string]any{"messages": list}}
}

// question is a request that was read.
type question struct {
	*http.Request
	path    string
	query   url.Values
	version string
	// doc is the body.
	doc any
}

func (q *question) read() error {
	err := json.NewDecoder(q.Body).Decode(&q.doc)
	if err != nil && err.Error() == "EOF" {
		return nil
	}
	return err
}

// ofService are the kinds of a service, those that list with a query first: it tells them from others at the same path.
func (c *Cloud) ofService(service string) []*d.Kind {
	var out []*d.Kind
	for _, k := range c.kinds {
		if k.Service == service {
			out = append(out, k)
		}
	}
	slices.SortStableFunc(out, func(a, b *d.Kind) int { return len(b.List.Query) - len(a.List.Query) })
	return out
}

// versions is how a service describes itself.
func (c *Cloud) versions(service string) answer {
	doc := map[string]any{"id": "v2.1", "status": "CURRENT"}
	if service == "block-storage" {
		doc["id"] = "v3.0"
	}
	if most := c.Microversions[service]; most != "" {
		major, _, _ := strings.Cut(most, ".")
		doc["version"], doc["max_version"], doc["min_version"] = most, most, major+".1"
	}
	return answer{http.StatusOK, map[string]any{"version": doc, "versions": []any{doc}}}
}

// microversion is the one that a request asks for.
func microversion(r *http.Request) string {
	text := r.Header.Get("OpenStack-API-Version")
	return text[strings.LastIndex(text, " ")+1:]
}

// above tells whether a microversion is higher than another.
func above(a, b string) bool {
	split := func(v string) (string, string) {
		major, minor, _ := strings.Cut(v, ".")
		return major, minor
	}
	aMajor, aMinor := split(a)
	bMajor, bMinor := split(b)
	if aMajor != bMajor {
		return aMajor > bMajor
	}
	return cmp.Or(len(aMinor)-len(bMinor), strings.Compare(aMinor, bMinor)) > 0
}

// listing answers to lists of a kind.
func (c *Cloud) listing(k *d.Kind, q *question) (answer, bool) {
	values, ok := fits(cmp.Or(k.List.Path, k.Path), q.path)
	if !ok || q.Method != http.MethodGet || k.Shape == d.Singleton {
		return answer{}, false
	}
	own, err := url.ParseQuery(k.List.Query)
	if err != nil {
		return answer{}, false
	}
	for name, v := range own {
		if !slices.Equal(q.query[name], v) {
			return answer{}, false
		}
	}
	return c.list(k, values, q), true
}

// serve answers to requests about one resource.
func (c *Cloud) serve(k *d.Kind, q *question) (answer, bool) {
	for _, p := range k.Paths {
		if values, ok := fits(p, q.path); ok && k.Shape == d.Relation {
			return c.relation(k, values, q), true
		}
	}
	if k.Shape == d.Singleton {
		values, ok := fits(k.Path, q.path)
		if !ok {
			return answer{}, false
		}
		return c.singleton(k, values, q), true
	}
	values, ok := fits(cmp.Or(k.Create.Path, k.Path), q.path)
	if ok && q.Method == http.MethodPost && k.Create.Body == "" {
		return c.create(k, values, c.id(), q), true
	}
	return c.one(k, q)
}

// one answers to requests about a resource with an id.
func (c *Cloud) one(k *d.Kind, q *question) (answer, bool) {
	pattern := k.Path + "/{the id}"
	if len(k.Paths) > 0 {
		pattern = strings.ReplaceAll(k.Paths[0], "{"+k.IDField()+"}", "{the id}")
	}
	values, ok := fits(pattern, q.path)
	if !ok || k.Shape == d.Relation {
		return answer{}, false
	}
	id, _ := values["the id"].(string)
	delete(values, "the id")
	// Designate finds no zone of another project without the header; Nova and Cinder show an administrator any resource
	// whose id he knows, with or without the switch of their lists.
	if r := c.stores[k.Name].rows[id]; r != nil && byHeader(k) && !q.sees(k, r.project) {
		return missing(k, id), true
	}
	switch q.Method {
	case http.MethodGet:
		return c.show(k, id), true
	case http.MethodDelete:
		return c.delete(k, id), true
	case http.MethodPut, http.MethodPatch:
		if k.Create.Method == http.MethodPut && c.stores[k.Name].rows[id] == nil {
			return c.create(k, values, id, q), true
		}
		return c.update(k, id, q), true
	}
	return failure(http.StatusMethodNotAllowed, q.Method+" is not allowed here"), true
}

// fits returns what the holes of a pattern stand for in a path.
func fits(pattern, path string) (map[string]any, bool) {
	pattern, _, _ = strings.Cut(pattern, "?")
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
func input(k *d.Kind, q *question, many bool) (map[string]any, string) {
	doc, ok := q.doc.(map[string]any)
	switch {
	case !ok:
		return nil, "the body is no JSON object"
	case many:
		list, _ := doc[k.Items].([]any)
		if len(list) != 1 {
			return nil, "the body has no list " + k.Items
		}
		m, _ := list[0].(map[string]any)
		return m, ""
	case k.Item == d.None || k.Bare:
		return doc, ""
	}
	m, ok := doc[k.Item].(map[string]any)
	if !ok {
		return nil, "the body has no " + k.Item
	}
	return m, ""
}

// placed puts what a request has into the places where answers show it.
func placed(k *d.Kind, in map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range in {
		f, ok := top(k, name)
		switch {
		case !ok && loose(k) != "" && name != k.Marker.Field:
			below, _ := out[loose(k)].(map[string]any)
			if below == nil {
				below = map[string]any{}
			}
			below[name] = v
			out[loose(k)] = below
		case !ok:
			out[name] = v // the entry of a flat field, or a marker
		default:
			body.Place(out, f, v)
		}
	}
	return out
}

// top is a field that is not an entry of another one.
func top(k *d.Kind, api string) (d.Field, bool) {
	i := slices.IndexFunc(k.Fields, func(f d.Field) bool { return f.API == api })
	if i < 0 {
		return d.Field{}, false
	}
	return k.Fields[i], true
}

// loose is where entries of a flat map are shown that are not shown beside the other fields.
func loose(k *d.Kind) string {
	for _, f := range k.Fields {
		if f.Flat && f.Type == d.Map && f.In != "" {
			return f.In
		}
	}
	return ""
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
			resp, err = nil, cmp.Or(r.Context().Err(), errBroken)
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
