package apiserver

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// request is a parsed REST request for a resource.
type request struct {
	*http.Request
	shelf     *shelf
	version   string
	namespace string
	name, sub string
	query     url.Values
	body      []byte
}

func (r *request) kind() *kind { return r.shelf.kind }
func (r *request) key() types.NamespacedName {
	return types.NamespacedName{Namespace: r.namespace, Name: r.name}
}
func (r *request) dry() bool { return r.query.Get("dryRun") == "All" }

// manager is the field manager that the request names, or the client's program.
func (r *request) manager() string {
	if m := r.query.Get("fieldManager"); m != "" {
		return m
	}
	agent, _, _ := strings.Cut(r.UserAgent(), "/")
	return agent
}

func (r *request) view() view {
	accept := r.Header.Get("Accept")
	v := view{version: r.version, kind: r.kind(), partial: strings.Contains(accept, "as=PartialObjectMetadata")}
	v.proto = r.watching() && strings.HasPrefix(accept, runtime.ContentTypeProtobuf) && (v.partial || v.kind.typed != nil)
	return v
}

// path is a split URL path of the Kubernetes API.
type path struct {
	schema.GroupVersion
	resource, namespace, name, sub string
}

// split reads /api/v1/... and /apis/group/version/...; ok is false for what does not name a resource.
func split(p string) (out path, ok bool) {
	parts := strings.Split(strings.Trim(p, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		out.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		out.Group, out.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return out, false
	}
	if parts[0] == "namespaces" && len(parts) >= 3 && parts[2] != "status" && parts[2] != "finalize" {
		out.namespace, parts = parts[1], parts[2:]
	}
	out.resource = parts[0]
	if len(parts) > 1 {
		out.name = parts[1]
	}
	if len(parts) > 2 {
		out.sub = strings.Join(parts[2:], "/")
	}
	return out, true
}

// parse finds what a request is about.
func (s *Server) parse(h *http.Request) (*request, error) {
	p, ok := split(h.URL.Path)
	if !ok {
		return nil, notFound(h.URL.Path)
	}
	sh := s.shelves[schema.GroupResource{Group: p.Group, Resource: p.resource}]
	if sh == nil {
		return nil, notFound(h.URL.Path)
	}
	served := sh.kind.strategies[p.Version]
	if served == nil || p.sub != "" && served[p.sub] == nil && p.sub != "log" {
		return nil, notFound(h.URL.Path)
	}
	r := &request{
		Request: h, shelf: sh, version: p.Version, namespace: p.namespace, name: p.name, sub: p.sub, query: h.URL.Query(),
	}
	if h.Body != nil {
		body, err := io.ReadAll(h.Body)
		if err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("reading the request: %v", err))
		}
		r.body = body
	}
	return r, nil
}

func notFound(path string) error {
	e := apierrors.NewGenericServerResponse(http.StatusNotFound, "", schema.GroupResource{}, "", "", 0, true)
	e.ErrStatus.Message = "the server could not find the requested resource"
	e.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: metav1.CauseTypeUnexpectedServerResponse, Message: "no kind is served at " + path,
	}}
	return e
}

// filter selects objects of a kind.
type filter struct {
	namespace string
	labels    labels.Selector
	fields    fields.Selector
}

func (r *request) filter() (filter, error) {
	f := filter{namespace: r.namespace, labels: labels.Everything(), fields: fields.Everything()}
	var err error
	if q := r.query.Get("labelSelector"); q != "" {
		if f.labels, err = labels.Parse(q); err != nil {
			return f, apierrors.NewBadRequest(err.Error())
		}
	}
	if q := r.query.Get("fieldSelector"); q != "" {
		if f.fields, err = fields.ParseSelector(q); err != nil {
			return f, apierrors.NewBadRequest(err.Error())
		}
	}
	if r.name != "" {
		f.fields = fields.AndSelectors(f.fields, fields.OneTermEqualSelector("metadata.name", r.name))
	}
	for _, q := range f.fields.Requirements() {
		if !selectable[q.Field] {
			return f, apierrors.NewBadRequest(fmt.Sprintf("field label not supported: %s", q.Field))
		}
	}
	return f, nil
}

// selectable has the fields by which objects can be selected.
var selectable = set("metadata.name", "metadata.namespace", "spec.nodeName", "status.phase", "type",
	"involvedObject.uid", "involvedObject.name", "involvedObject.kind", "involvedObject.namespace", "regarding.uid",
	"reason", "status.successful")

func (f filter) matches(e *entry) bool {
	if f.namespace != "" && e.obj.GetNamespace() != f.namespace {
		return false
	}
	if !f.labels.Empty() && !f.labels.Matches(labels.Set(e.obj.GetLabels())) {
		return false
	}
	return f.fields.Empty() || f.fields.Matches(fieldSet{e.obj})
}

// fieldSet reads fields of an object for a selector.
type fieldSet struct{ *unstructured.Unstructured }

// Has tells whether the field is there.
func (s fieldSet) Has(field string) bool { return s.Get(field) != "" }

// Get returns the field as a string, empty when it is not there.
func (s fieldSet) Get(field string) string {
	v, _, _ := unstructured.NestedFieldNoCopy(s.Object, strings.Split(field, ".")...)
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// number reads a numeric query parameter; absent is 0.
func (r *request) number(name string) (uint64, error) {
	q := r.query.Get(name)
	if q == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(q, 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("Invalid value: %q: %s: %v", q, name, err))
	}
	return n, nil
}
