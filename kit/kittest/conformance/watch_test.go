package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// watching is an open watch.
type watching struct {
	talk   *talk
	name   string
	events *json.Decoder
	last   int
}

// watch opens a watch.
func (c *talk) watch(kind, query string) *watching {
	c.t.Helper()
	resp := c.send(http.MethodGet, path(kind)+"?watch=true&timeoutSeconds=20&"+query, "", "")
	c.t.Cleanup(func() { resp.Body.Close() })
	name, _, _ := strings.Cut(query, "&resourceVersion=")
	fmt.Fprintf(&c.log, "watch %s %s -> %d\n", kind, name, resp.StatusCode)
	return &watching{talk: c, name: name, events: json.NewDecoder(resp.Body)}
}

// event is one of a watch, as it is sent.
type event struct {
	Type   string
	Object map[string]any
}

// read returns the next event. A bookmark that ends nothing tells only how far the watch is, and the real server sends
// one when it likes; those are passed over.
func (w *watching) read() (event, *unstructured.Unstructured) {
	w.talk.t.Helper()
	for {
		var e event
		if err := w.events.Decode(&e); err != nil {
			w.talk.t.Fatalf("reading an event: %v", err)
		}
		u := &unstructured.Unstructured{Object: e.Object}
		if e.Type != string(watch.Bookmark) || u.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "" {
			return e, u
		}
	}
}

// next writes down the next n events.
func (w *watching) next(n int) {
	w.talk.t.Helper()
	for range n {
		e, u := w.read()
		rv, err := strconv.Atoi(u.GetResourceVersion())
		if err != nil {
			w.talk.t.Fatalf("reading the version of an event: %v", err)
		}
		line := []string{"event", e.Type, u.GetKind(), u.GetName()}
		if rv <= w.last && e.Type != string(watch.Bookmark) {
			line = append(line, "out of order")
		}
		w.last = rv
		if v := u.GetAnnotations()[metav1.InitialEventsAnnotationKey]; v != "" {
			line = append(line, "initial events end")
		}
		if data, ok := e.Object["data"]; ok {
			line = append(line, fmt.Sprint(data))
		}
		if u.GetDeletionTimestamp() != nil {
			line = append(line, "deleting", fmt.Sprint(u.GetFinalizers()))
		}
		fmt.Fprintln(&w.talk.log, strings.Join(line, " "))
	}
}
