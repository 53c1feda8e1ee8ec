package resources

import (
	"context"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/condition"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack/bus"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// conditionListening tells whether notifications of a cloud come in; it is there when the cloud names a bus.
const conditionListening = "Listening"

// keyTransport is the key of a bus's Secret with its URL, as Secrets of a MessageBus have it.
const keyTransport = "transport_url"

// ear is what a cloud hears with.
type ear struct {
	mu sync.Mutex
	// wanted says that the cloud names a bus, config which, when its Secret is there.
	wanted bool
	config bus.Config
	stop   context.CancelFunc
	state  bus.State
}

// byEvent lists kinds by the prefixes of their notifications.
func byEvent(kinds []*d.Kind) map[string][]*d.Kind {
	out := map[string][]*d.Kind{}
	for _, k := range kinds {
		for _, prefix := range k.Events {
			out[prefix] = append(out[prefix], k)
		}
	}
	return out
}

// listen begins, goes on or ends listening to the bus of a cloud.
func (e *Engine) listen(c *cloud, n *openstackv1.CloudNotifications, content map[string][]byte, changed func()) {
	var config bus.Config
	if n != nil {
		config = bus.Config{URL: strings.TrimSpace(string(content[keyTransport])), CA: content[keyCA],
			Topics: n.Topics, Exchanges: n.Exchanges}
		if len(config.Exchanges) == 0 {
			config.Exchanges = bus.Exchanges(c.door.Services())
		}
	}
	ctx := c.ear.begin(c.ctx, n != nil, config)
	if ctx == nil {
		return
	}
	l := &bus.Listener{Config: config, Dial: e.Dial,
		Heard:  func(ev bus.Event) { e.heard(c, ev) },
		Missed: func() { c.hint(true, func(*watched) bool { return true }) },
		Changed: func(s bus.State) {
			if c.ear.take(ctx, s) {
				changed()
			}
		}}
	go l.Run(ctx)
}

// begin ends what was listened to, unless it is the same, and returns the context of a new listener, nil for none.
func (r *ear) begin(parent context.Context, wanted bool, c bus.Config) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = wanted
	if c.Same(r.config) {
		return nil
	}
	if r.stop != nil {
		r.stop()
	}
	r.config, r.stop, r.state = c, nil, bus.State{}
	if c.URL == "" {
		return nil
	}
	ctx, stop := context.WithCancel(parent)
	r.stop = stop
	return ctx
}

// take keeps what a listener says, unless it was stopped, and tells whether that is new.
func (r *ear) take(ctx context.Context, s bus.State) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.state.Same(s) {
		return false
	}
	r.state = s
	return true
}

// heard has the mirrors look that a notification concerns.
func (e *Engine) heard(c *cloud, ev bus.Event) {
	ev.Prefixes(func(prefix string) bool {
		for _, k := range e.events[prefix] {
			e.metrics.heard.WithLabelValues(c.name, k.Name).Inc()
			// A list of changes does not show what is gone, unless the API goes on showing it.
			all := ev.Deletion() && !k.List.TellsGone
			of := func(w *watched) bool { return w.lister.kind == k }
			if !c.hint(all, func(w *watched) bool { return of(w) && w.below(ev) }) {
				c.hint(all, of)
			}
		}
		return true
	})
}

// hint asks the chosen mirrors to look, and tells whether there is one.
func (c *cloud) hint(all bool, chosen func(*watched) bool) (some bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.mirrors {
		if chosen(w) {
			w.Hint(all)
			some = true
		}
	}
	return some
}

// below tells whether a notification names what the mirror's resources are parts of: those of others need no look then,
// and no survey is asked whether these have changed.
func (w *watched) below(ev bus.Event) bool {
	for _, v := range w.lister.parent {
		if id, _ := v.(string); ev.Names(id) {
			w.lister.watch.doubt()
			return true
		}
	}
	return false
}

// hears writes into the status of a cloud whether notifications come in.
func (e *Engine) hears(key cloudKey, status *openstackv1.CloudStatus) {
	cl := e.clouds.get(key)
	if cl == nil {
		return
	}
	cl.ear.mu.Lock()
	defer cl.ear.mu.Unlock()
	if !cl.ear.wanted {
		meta.RemoveStatusCondition(&status.Conditions, conditionListening)
		return
	}
	c := metav1.Condition{Type: conditionListening, Status: condition.False, ObservedGeneration: status.ObservedGeneration}
	c.Reason, c.Message = cl.ear.verdict()
	if cl.ear.state.Connected && len(cl.ear.state.Exchanges) > 0 {
		c.Status = condition.True
	}
	condition.Set(&status.Conditions, c)
}

// verdict is the reason and the message of the condition.
func (r *ear) verdict() (reason, message string) {
	const until = " Until then changes are found by lists, once in spec.syncPeriod."
	switch {
	case r.config.URL == "":
		return "InvalidSecret", "The Secret of spec.notifications has no key " + keyTransport +
			". Put the URL of the bus there." + until
	case r.state.Connected && len(r.state.Exchanges) > 0:
		return "Connected", "Listens to the exchanges " + strings.Join(r.state.Exchanges, ", ") + "."
	case r.state.Connected:
		return "NoExchange", "No service has sent notifications yet. Set oslo_messaging_notifications.driver of the " +
			"services to messagingv2, or name their exchanges in spec.notifications.exchanges." + until
	case r.state.Refused:
		return "InvalidSecret", "Notifications do not come in: " + r.state.Problem + ", in " + keyTransport + " of the " +
			"Secret of spec.notifications." + until
	case r.state.Problem != "":
		return "Disconnected", "Notifications do not come in: " + r.state.Problem +
			"; see to the bus, or to its URL in the Secret of spec.notifications; it is tried again." + until
	}
	return "Connecting", "Connects with the bus; wait." + until
}
