// Package kittest is the test world of operators written on the kit. A Scenario names the controllers, their
// definitions and the objects that are there; a World plays it, each time from an empty API server, and checks what
// the kit promises: that it becomes ready, that it is silent at rest, that it survives being killed at any request,
// that drift is healed and that deletion leaves nothing.
//
// The API server is package apiserver's, in memory and inside a testing/synctest bubble, so that minutes of backoff
// cost milliseconds. With Scenario.Config the same scenario runs on a real kube-apiserver, see DevCluster.
package kittest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest/apiserver"
)

// Scenario says what a World plays.
type Scenario struct {
	// Scheme has the Go types of owners, of what they make and of what they refer to.
	Scheme *runtime.Scheme
	// Controllers makes the controllers under test, anew for each process that a play starts. Requests to anything but
	// Kubernetes have to go through outside.
	Controllers func(outside http.RoundTripper) ([]kit.Controller, error)
	// Beside makes the controllers of further processes that run beside the one of Controllers, such as one process per
	// component. Each has a manager and a cache of its own, and is killed alone.
	Beside []func(outside http.RoundTripper) ([]kit.Controller, error)
	// CRDs are files, or folders of files, with CustomResourceDefinitions.
	CRDs []string
	// Files have the objects that a play begins with: owners and what they refer to. A status in them is written, too.
	Files []string
	// Outside makes the world beyond Kubernetes for one play, such as an endpoint.Endpoint. It may be nil.
	Outside func() http.RoundTripper
	// Children says how objects that controllers make behave, by `Kind/name` or `Kind`. Workloads, Jobs, claims and load
	// balancers that are not named become ready at once; custom resources that are not named stay as they are.
	Children map[string]Behaviour
	// Stride is how far apart the requests are at which a crash play dies; each is tried when it is zero.
	Stride int
	// Script goes on after the objects of Files are there and all is quiet. It may be nil.
	Script func(*Play)
	// Fault stands between the operator and its servers in plays that bring no other. It may be nil.
	Fault Fault
	// Config connects to a real API server; nil plays in memory.
	Config *rest.Config
	// Accounts are the users, such as system:serviceaccount:NAMESPACE:NAME, whose rights the processes have on a real API
	// server: that of Controllers, then those of Beside. Without them each may do what Config may.
	Accounts []string
}

// World plays a scenario.
type World struct {
	Scenario
	crds    []*definition
	objects []*unstructured.Unstructured
	// owners and kinds of the controllers under test.
	owners []schema.GroupVersionKind
	kinds  []schema.GroupVersionKind
	memory *apiserver.Server
	// mapper of the person's client; nil for one that asks a real server.
	mapper meta.RESTMapper
}

// unpace leaves of the handlers of errors the one that logs. The other one slows down loops of errors by a clock that
// began before the bubble: in the bubble's time the first error, such as that of a watch that ends while its process is
// dead, would last for decades.
var unpace = sync.OnceFunc(func() {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] //nolint:reassign // client-go has no other way to say so
})

// New reads the files of a scenario.
func New(t *testing.T, s Scenario) *World {
	t.Helper()
	w := &World{Scenario: s}
	unpace()
	ctrllog.SetLogger(logr.Discard()) // what a play logs goes to its own logger
	if err := w.load(); err != nil {
		t.Fatalf("loading the scenario: %v", err)
	}
	return w
}

func (w *World) load() error {
	var err error
	if w.crds, err = shared().read(w.CRDs); err != nil {
		return err
	}
	if w.objects, err = read(w.Files); err != nil {
		return err
	}
	for _, controllers := range w.processes() {
		cs, err := controllers(http.DefaultTransport)
		if err != nil {
			return fmt.Errorf("making the controllers: %w", err)
		}
		w.declare(cs)
	}
	if w.Config == nil {
		if w.memory, err = serve(w.crds); err == nil {
			w.mapper = w.memory.Mapper()
		}
	}
	return err
}

// processes makes the controllers of each process.
func (w *World) processes() []func(http.RoundTripper) ([]kit.Controller, error) {
	return append([]func(http.RoundTripper) ([]kit.Controller, error){w.Controllers}, w.Beside...)
}

// declare notes the kinds that the controllers of one process work with.
func (w *World) declare(cs []kit.Controller) {
	add := func(kinds ...schema.GroupVersionKind) {
		for _, k := range kinds {
			if !slices.Contains(w.kinds, k) {
				w.kinds = append(w.kinds, k)
			}
		}
	}
	for _, c := range cs {
		p := c.Plan()
		if !slices.Contains(w.owners, p.Kind) {
			w.owners = append(w.owners, p.Kind)
		}
		add(p.Kind)
		add(p.Makes...)
		add(p.Estate...)
		add(p.Reads...)
	}
	for _, u := range w.objects {
		add(u.GroupVersionKind())
	}
	add(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
}

// owned tells whether the kind is one that a controller under test reconciles.
func (w *World) owned(gvk schema.GroupVersionKind) bool {
	for _, o := range w.owners {
		if o.GroupKind() == gvk.GroupKind() {
			return true
		}
	}
	return false
}

// play runs f in a new play: in a bubble, or on the real server.
func (w *World) play(t *testing.T, fault func(*Play) Fault, f func(*Play)) {
	t.Helper()
	run := func(t *testing.T) {
		t.Helper()
		p := newPlay(t, w)
		p.Suffer(w.Fault)
		if fault != nil {
			p.Suffer(fault(p))
		}
		defer p.end()
		p.begin()
		f(p)
	}
	if w.Config != nil {
		run(t)
		return
	}
	synctest.Test(t, run)
}

// read returns the objects in YAML files; folders stand for the YAML files in them.
func read(paths []string) ([]*unstructured.Unstructured, error) {
	files, err := expand(paths)
	if err != nil {
		return nil, err
	}
	var out []*unstructured.Unstructured
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			return nil, fmt.Errorf("reading the objects of the scenario: %w", err)
		}
		objs, err := decode(f, raw)
		if err != nil {
			return nil, err
		}
		out = append(out, objs...)
	}
	return out, nil
}

// decode returns the objects in the content of a YAML file.
func decode(file string, content []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	docs := utilyaml.NewYAMLReader(newReader(content))
	for {
		doc, err := docs.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		u := &unstructured.Unstructured{}
		raw, err := yaml.YAMLToJSON(doc)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		if raw = bytes.TrimSpace(raw); len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if err := u.UnmarshalJSON(raw); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		out = append(out, u)
	}
}
