package openstack

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Request is one request to a service.
type Request struct {
	// Service is a type of service: compute, network, volumev3.
	Service string
	// Lane says how urgent it is; within a lane, owners (namespaces, say) take turns.
	Lane  Lane
	Owner string

	Method string
	// Path is below the versioned address of the service: servers/ID. Whoever puts names of others in escapes them.
	Path   string
	Query  url.Values
	Header http.Header
	// Body is nil, a []byte, an io.Reader, or anything that is sent as JSON.
	Body any
	// ContentType is application/json by default.
	ContentType string
	// Microversion of the service, when the request needs one.
	Microversion string
	// RequestID is the global request id in the logs of all services, `req-` and a UUID; by default a new one.
	RequestID string
	// Timeout is the time from sending to the whole answer, a minute by default.
	Timeout time.Duration
	// Take is called with the body of an answer, which the Response does not have then, and must not keep it: what many
	// long answers take at a time is limited, and theirs ends with the call. Only answers that are taken may be longer
	// than 1 MiB.
	Take func(body []byte)
}

// Response is an answer with a status below 400.
type Response struct {
	Code      int
	Header    http.Header
	Body      []byte
	RequestID string

	// held is the part of the memory for answers that the body has.
	memory *budget
	held   int64
}

// call is a request that is ready to be sent.
type call struct {
	cloud, service, method, path string
	url                          *url.URL
	lane                         Lane
	owner                        string
	header                       http.Header
	body                         []byte
	stream                       io.Reader
	timeout                      time.Duration
	// longest is how many bytes the answer may have, memory what long ones share, by scopes.
	longest int
	memory  *budget
	scope   string
	// secrets are kept out of faults, besides those of the body.
	secrets []string
}

const defaultTimeout = time.Minute

// call makes a request ready for the address of its service.
func (r Request) call(service string, base *url.URL) (*call, error) {
	u, err := below(base, r.Path, r.Query)
	if err != nil {
		return nil, err
	}
	c := &call{service: service, method: r.Method, path: strings.Trim(r.Path, "/"), url: u, lane: r.Lane, owner: r.Owner,
		timeout: r.Timeout, header: r.Header.Clone(), longest: longestPlain}
	if r.Take != nil {
		c.longest = longestBody
	}
	if c.header == nil {
		c.header = http.Header{}
	}
	if c.method == "" {
		c.method = http.MethodGet
	}
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	c.number(r.RequestID)
	if r.Microversion != "" {
		for k, v := range versionHeaders(service, r.Microversion) {
			c.header.Set(k, v)
		}
	}
	return c, c.setBody(r)
}

// number gives the request an id and the headers that all requests have.
func (c *call) number(id string) {
	if id == "" {
		id = "req-" + uuid.NewString()
	}
	c.header.Set("X-Openstack-Request-Id", id)
	c.header.Set("User-Agent", "stackwright")
	if c.header.Get("Accept") == "" {
		c.header.Set("Accept", "application/json")
	}
}

func (c *call) setBody(r Request) error {
	switch b := r.Body.(type) {
	case nil:
		return nil
	case []byte:
		c.body = b
	case io.Reader:
		c.stream = b
	default:
		data, err := json.Marshal(b)
		if err != nil {
			return refuse("the body of %s %s cannot be written as JSON: %v; please report it", c.method, c.path, err)
		}
		c.body = data
	}
	kind := r.ContentType
	if kind == "" {
		kind = "application/json"
	}
	c.header.Set("Content-Type", kind)
	return nil
}

// reader returns the body for one try.
func (c *call) reader() io.Reader {
	switch {
	case c.stream != nil:
		return c.stream
	case c.body != nil:
		return bytes.NewReader(c.body)
	}
	return nil
}

// below adds a path to an address. Paths have names that tenants chose: they must not lead out of the collection.
func below(base *url.URL, path string, query url.Values) (*url.URL, error) {
	path = strings.TrimPrefix(path, "/")
	for segment := range strings.SplitSeq(path, "/") {
		name, err := url.PathUnescape(segment)
		climbs := name == "." || name == ".." || strings.Contains(name, "/..")
		if err != nil || climbs || strings.ContainsAny(segment, `?#\`) {
			return nil, refuse("the path %q is not one below a service; escape the names in it", path)
		}
	}
	u, err := url.Parse(strings.TrimRight(base.String(), "/") + "/" + path)
	if err != nil {
		return nil, refuse("the path %q is not one below a service; escape the names in it", path)
	}
	u.RawQuery = query.Encode()
	return u, nil
}
