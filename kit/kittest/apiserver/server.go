package apiserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdapply "k8s.io/apiextensions-apiserver/pkg/client/applyconfiguration"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// Server is an API server with storage of its own. It is an http.RoundTripper and an http.Handler, safe for concurrent
// use.
type Server struct {
	mu      sync.Mutex
	rv      uint64
	shelves map[schema.GroupResource]*shelf
	kinds   map[schema.GroupKind]*shelf
	logs    map[types.NamespacedName]string

	seed    seed
	tour    *tour
	catalog *catalog
	codecs  serializer.CodecFactory
}

// seed is what a fresh server starts with: its kinds, and their definitions as objects.
type seed struct {
	shelves map[schema.GroupResource]*shelf
	tour    *tour
}

// New returns a server with the built-in kinds and the custom kinds of the given definitions.
func New(crds ...*apiextensionsv1.CustomResourceDefinition) (*Server, error) {
	defs := make([]*Definition, 0, len(crds))
	for _, crd := range crds {
		d, err := Compile(crd)
		if err != nil {
			return nil, err
		}
		defs = append(defs, d)
	}
	return With(defs...)
}

// With is New with definitions that were compiled before.
func With(defs ...*Definition) (*Server, error) {
	s := bare().Fresh()
	for _, d := range defs {
		if err := s.include(d); err != nil {
			return nil, err
		}
	}
	s.seed = seed{s.shelves, s.tour}
	return s.Fresh(), nil
}

// bare is a server with the built-in kinds only. Their schemas take long to read, and all servers share them.
var bare = sync.OnceValue(func() *Server {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	own := builtins(scheme, applyconfigurations.NewTypeConverter(scheme))
	crdScheme := runtime.NewScheme()
	utilruntime.Must(apiextensionsv1.AddToScheme(crdScheme))
	own = append(own, builtins(crdScheme, crdapply.NewTypeConverter(crdScheme))...)
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	s := &Server{catalog: &catalog{map[string]*kind{}}, codecs: serializer.NewCodecFactory(scheme)}
	s.clear()
	for _, k := range own {
		s.serve(k)
	}
	s.seed = seed{s.shelves, s.tour}
	return s
})

// Fresh returns an empty server with the same kinds. It is cheap: definitions are not checked and compiled again.
func (s *Server) Fresh() *Server {
	f := &Server{seed: s.seed, catalog: s.catalog.clone(), codecs: s.codecs}
	f.clear()
	for _, sh := range s.seed.shelves {
		own := newShelf(sh.kind)
		own.objects, own.events = maps.Clone(sh.objects), slices.Clone(sh.events)
		f.shelve(own)
		for _, e := range sh.events {
			f.rv = max(f.rv, e.rv)
		}
	}
	f.tour = s.seed.tour
	return f
}

func (s *Server) clear() {
	s.shelves, s.kinds = map[schema.GroupResource]*shelf{}, map[schema.GroupKind]*shelf{}
	s.logs, s.tour = map[types.NamespacedName]string{}, &tour{}
}

func (s *Server) serve(k *kind) {
	sh := s.kinds[k.gvk.GroupKind()]
	if sh == nil {
		sh = newShelf(k)
	}
	sh.kind, s.tour = k, &tour{}
	s.shelve(sh)
}

func (s *Server) shelve(sh *shelf) {
	s.kinds[sh.kind.gvk.GroupKind()], s.shelves[sh.kind.group()] = sh, sh
}

// Config returns a client configuration for the server. Wrap its Transport to count requests or to inject faults.
func (s *Server) Config() *rest.Config {
	return &rest.Config{Host: "http://apiserver.test", Transport: s, QPS: -1}
}

// SetLog sets what the log of a pod is.
func (s *Server) SetLog(pod types.NamespacedName, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[pod] = text
}

// RoundTrip answers a request in the caller's goroutine. The body of a watch blocks in Read until something happens.
func (s *Server) RoundTrip(h *http.Request) (*http.Response, error) {
	if h.Body != nil {
		defer h.Body.Close()
	}
	if err := h.Context().Err(); err != nil {
		return nil, err
	}
	a := s.answer(h)
	header := http.Header{"Content-Type": {a.media}}
	length := int64(-1)
	if b, ok := a.body.(*bytes.Reader); ok {
		length = b.Size()
	}
	body, ok := a.body.(io.ReadCloser)
	if !ok {
		body = io.NopCloser(a.body)
	}
	return &http.Response{
		Status: strconv.Itoa(a.code) + " " + http.StatusText(a.code), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: header, Body: body, ContentLength: length, Request: h,
	}, nil
}

// ServeHTTP makes the server usable behind a socket.
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	a := s.answer(h)
	w.Header().Set("Content-Type", a.media)
	w.WriteHeader(a.code)
	if stream, ok := a.body.(*watcher); ok {
		stream.copy(w)
		stream.shut()
		return
	}
	if _, err := io.Copy(w, a.body); err != nil {
		return // the client is gone
	}
}

// answer is a response before it gets its HTTP form.
type answer struct {
	code  int
	media string
	body  io.Reader
}

func (s *Server) answer(h *http.Request) answer {
	a, err := s.handle(h)
	if err == nil {
		return a
	}
	return failure(err)
}

// failure is the answer for an error.
func failure(err error) answer {
	// What is no API error becomes a bare 500, as on the real server.
	st := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	if e := apierrors.APIStatus(nil); errors.As(err, &e) {
		st = e.Status()
	}
	st.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return encoded(int(st.Code), st)
}

func encoded(code int, v any) answer {
	raw, err := json.Marshal(v)
	if err != nil {
		return answer{http.StatusInternalServerError, "text/plain", bytes.NewReader([]byte(err.Error()))}
	}
	return plain(code, raw)
}

func plain(code int, raw []byte) answer {
	return answer{code, runtime.ContentTypeJSON, bytes.NewReader(raw)}
}

func (s *Server) handle(h *http.Request) (answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a, ok := s.tour.guide(s, h.URL.Path); ok {
		return a, nil
	}
	r, err := s.parse(h)
	if err != nil {
		return answer{}, err
	}
	switch {
	case r.sub == "log":
		return s.log(r)
	case r.Method == http.MethodGet && r.watching():
		return s.watch(r)
	case r.Method == http.MethodGet && r.name == "":
		return s.list(r)
	case r.Method == http.MethodGet:
		return s.get(r)
	case r.Method == http.MethodPost && r.name == "":
		return s.create(r)
	case r.Method == http.MethodPut && r.name != "":
		return s.update(r)
	case r.Method == http.MethodPatch && r.name != "":
		return s.patch(r)
	case r.Method == http.MethodDelete && r.name != "":
		return s.delete(r)
	case r.Method == http.MethodDelete:
		return s.deleteCollection(r)
	default:
		return answer{}, apierrors.NewMethodNotSupported(r.kind().group(), r.Method)
	}
}

func (s *Server) log(r *request) (answer, error) {
	text, ok := s.logs[r.key()]
	if r.shelf.objects[r.key()] == nil && !ok {
		return answer{}, apierrors.NewNotFound(r.kind().group(), r.name)
	}
	return answer{http.StatusOK, "text/plain", bytes.NewReader([]byte(text))}, nil
}

// install stores a definition and serves its kind.
func (s *Server) install(crd *apiextensionsv1.CustomResourceDefinition) error {
	raw, err := json.Marshal(crd)
	if err != nil {
		return fmt.Errorf("encoding CustomResourceDefinition %s: %w", crd.Name, err)
	}
	h, err := http.NewRequestWithContext(context.Background(), http.MethodPost,
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("making the request for CustomResourceDefinition %s: %w", crd.Name, err)
	}
	h.Header.Set("User-Agent", "kittest")
	if _, err = s.handle(h); err != nil {
		return fmt.Errorf("installing CustomResourceDefinition %s: %w", crd.Name, err)
	}
	return nil
}

// Version returns the resourceVersion of the last change.
func (s *Server) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rv
}
