package apiserver

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// watcher is the body of a watch response: a queue of encoded events that grows as objects change and that the client
// empties by reading. It needs no goroutine.
type watcher struct {
	ctx    context.Context
	filter filter
	view   view
	stop   func(*watcher)
	late   <-chan time.Time
	wake   chan struct{}

	mu     sync.Mutex
	queue  bytes.Buffer
	closed bool
	// initial is the state that a watch begins with and that is not encoded yet, end the bookmark after it, and after
	// what happened since.
	initial    []*entry
	end, after []byte
}

func (r *request) watching() bool {
	w := r.query.Get("watch")
	return w == "true" || w == "1"
}

func (s *Server) watch(r *request) (answer, error) {
	f, err := r.filter()
	if err != nil {
		return answer{}, err
	}
	since, err := r.number("resourceVersion")
	if err != nil {
		return answer{}, err
	}
	if err := s.reached(r); err != nil {
		return answer{}, err
	}
	if since != 0 && since < r.shelf.dropped {
		return answer{}, apierrors.NewResourceExpired("too old resource version: " + strconv.FormatUint(since, 10))
	}
	seconds, err := r.number("timeoutSeconds")
	if err != nil {
		return answer{}, err
	}
	w := &watcher{ctx: r.Context(), filter: f, view: r.view(), wake: make(chan struct{}, 1)}
	if seconds > 0 {
		w.late = time.After(time.Duration(seconds) * time.Second)
	}
	sh := r.shelf
	w.stop = func(w *watcher) {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(sh.watchers, w)
	}
	s.begin(r, w, since)
	sh.watchers[w] = true
	media := runtime.ContentTypeJSON
	if w.view.proto {
		media = runtime.ContentTypeProtobuf + ";stream=watch"
	}
	return answer{http.StatusOK, media, w}, nil
}

// begin queues what the client has not seen: the whole state, or what happened since a version.
func (s *Server) begin(r *request, w *watcher, since uint64) {
	initial := r.query.Get("sendInitialEvents") == "true"
	if since != 0 && !initial {
		for _, e := range r.shelf.events {
			if e.rv > since {
				w.offer(e)
			}
		}
		return
	}
	w.initial = r.shelf.sorted(w.filter)
	if initial {
		w.end = w.bookmark(r, s.rv)
	}
}

// batch is how many objects of the initial state are encoded at a time.
const batch = 64

// more encodes some more of the initial state, which other requests need not wait for. The caller holds the lock.
func (w *watcher) more() {
	n := min(batch, len(w.initial))
	for _, e := range w.initial[:n] {
		w.queue.Write(w.frame(watch.Added, e))
	}
	if w.initial = w.initial[n:]; len(w.initial) == 0 {
		w.queue.Write(w.end)
		w.queue.Write(w.after)
		w.end, w.after = nil, nil
	}
}

// offer queues an event if the watch sees it.
func (w *watcher) offer(e event) {
	if t, seen := w.filter.see(e); seen != nil {
		w.send(t, seen)
	}
}

func (w *watcher) send(t watch.EventType, e *entry) {
	frame := w.frame(t, e)
	w.mu.Lock()
	if len(w.initial)+len(w.end) > 0 {
		w.after = append(w.after, frame...)
	} else {
		w.queue.Write(frame)
	}
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// bookmark tells that the initial events are complete.
func (w *watcher) bookmark(r *request, rv uint64) []byte {
	u := r.kind().empty(r.version)
	u.SetResourceVersion(strconv.FormatUint(rv, 10))
	u.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	raw, err := json.Marshal(u.Object)
	if err != nil {
		return nil
	}
	return w.frame(watch.Bookmark, &entry{obj: u, rv: rv, raw: raw})
}

// frame encodes an event; what is stored was encoded before, so that it cannot fail.
func (w *watcher) frame(t watch.EventType, e *entry) []byte {
	raw, err := w.view.encode(e)
	if err != nil {
		return nil
	}
	if !w.view.proto {
		return slices.Concat([]byte(`{"type":"`+string(t)+`","object":`), raw, []byte("}\n"))
	}
	event := metav1.WatchEvent{Type: string(t), Object: runtime.RawExtension{Raw: raw}}
	frame, err := event.Marshal()
	if err != nil {
		return nil
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(frame))), frame...) //nolint:gosec // one object
}

// Read returns queued bytes, or waits for some.
func (w *watcher) Read(p []byte) (int, error) {
	for {
		w.mu.Lock()
		if w.closed {
			w.mu.Unlock()
			return 0, io.EOF
		}
		if w.queue.Len() == 0 && len(w.initial)+len(w.end) > 0 {
			w.more()
		}
		if w.queue.Len() > 0 {
			n, err := w.queue.Read(p)
			w.mu.Unlock()
			return n, err
		}
		w.mu.Unlock()
		select {
		case <-w.wake:
		case <-w.late:
			return 0, io.EOF
		case <-w.ctx.Done():
			return 0, io.EOF // an error would be sent as an event, and watch.Filter leaks its goroutine on that
		}
	}
}

// Close ends the watch.
func (w *watcher) Close() error {
	w.shut()
	return nil
}

func (w *watcher) shut() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.stop(w)
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// copy writes the stream to a socket, event by event.
func (w *watcher) copy(to http.ResponseWriter) {
	flush, ok := to.(http.Flusher)
	if !ok {
		return
	}
	flush.Flush()
	buf := make([]byte, 32<<10)
	for {
		n, err := w.Read(buf)
		if _, werr := to.Write(buf[:n]); errors.Join(err, werr) != nil {
			return
		}
		flush.Flush()
	}
}

// DropWatches ends every watch whose resource is one of the plurals, all when none is given, as a server does that
// restarts or forgets its history: clients that come back with an old version are told that it expired.
func (s *Server) DropWatches(plurals ...string) {
	s.mu.Lock()
	var open []*watcher
	for gr, sh := range s.shelves {
		if len(plurals) > 0 && !strings.Contains(" "+strings.Join(plurals, " ")+" ", " "+gr.Resource+" ") {
			continue
		}
		sh.dropped, sh.events = s.rv+1, nil
		for w := range sh.watchers {
			open = append(open, w)
		}
	}
	s.rv++
	s.mu.Unlock()
	for _, w := range open {
		w.shut()
	}
}
