package timeline

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
)

// again is how long the recorder waits before it asks for a kind that it could not watch.
const again = time.Second

// Recorder keeps what objects say while it runs.
type Recorder struct {
	mu   sync.Mutex
	rows map[types.UID]*Row
	done sync.WaitGroup
	stop context.CancelFunc
	now  func() time.Time
}

// Record watches the objects of some kinds until Stop. Only those count that nothing but a control plane controls: what
// a service makes for itself is part of the service.
func Record(ctx context.Context, c client.WithWatch, kinds []schema.GroupVersionKind) *Recorder {
	ctx, stop := context.WithCancel(ctx)
	r := &Recorder{rows: map[types.UID]*Row{}, stop: stop, now: time.Now}
	for _, kind := range kinds {
		r.done.Go(func() { r.watch(ctx, c, kind) })
	}
	return r
}

// Stop ends the recording and returns the rows in the order in which the objects were seen.
func (r *Recorder) Stop() []Row {
	r.stop()
	r.done.Wait()
	var out []Row
	for _, row := range r.rows {
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b Row) int {
		if c := a.began().Compare(b.began()); c != 0 {
			return c
		}
		return strings.Compare(a.Kind+a.Name, b.Kind+b.Name)
	})
	return out
}

// watch follows one kind. A watch that ends is begun again, which shows all objects as they are.
func (r *Recorder) watch(ctx context.Context, c client.WithWatch, kind schema.GroupVersionKind) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	for ctx.Err() == nil {
		events, err := c.Watch(ctx, list)
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(again):
			}
			continue
		}
		r.follow(ctx, events)
	}
}

// follow takes events until there are no more.
func (r *Recorder) follow(ctx context.Context, events watch.Interface) {
	defer events.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case e, more := <-events.ResultChan():
			if !more {
				return
			}
			if o, ok := e.Object.(*unstructured.Unstructured); ok {
				r.see(o)
			}
		}
	}
}

func (r *Recorder) see(o *unstructured.Unstructured) {
	if by := metav1.GetControllerOf(o); by != nil && by.Kind != "OpenStackControlPlane" || o.GetUID() == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.rows[o.GetUID()]
	if row == nil {
		kind := o.GroupVersionKind()
		row = &Row{Group: kind.Group, Kind: kind.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		r.rows[o.GetUID()] = row
	}
	row.add(says(o, r.now()))
}

// says is the condition Ready of an object; one without it has not been looked at by its operator.
func says(o *unstructured.Unstructured, now time.Time) Moment {
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		if m["type"] != condition.Ready {
			continue
		}
		status, _ := m["status"].(string)
		reason, _ := m["reason"].(string)
		text, _ := m["message"].(string)
		s := state(status, reason, waited(o, text))
		if s == Ready {
			text = ""
		}
		return Moment{At: now, State: s, Text: text}
	}
	return Moment{At: now, State: Waits, Text: "Its operator has not seen it yet."}
}

// waited is what the step waits for that a message is about.
func waited(o *unstructured.Unstructured, message string) string {
	steps, _, _ := unstructured.NestedSlice(o.Object, "status", "steps")
	for _, s := range steps {
		m, _ := s.(map[string]any)
		name, _ := m["name"].(string)
		if on, _ := m["waitingFor"].(string); strings.HasPrefix(message, "Step "+name+": ") {
			return on
		}
	}
	return ""
}
