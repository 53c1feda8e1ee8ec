package resources_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/bus"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/reach"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// station is a bus, at the boundary that listeners have.
type station struct {
	mu        sync.Mutex
	down, own bool
	password  string
	exchanges []string
	tuned     map[*receiver]bool
}

func newStation() *station {
	return &station{password: "hunter2", tuned: map[*receiver]bool{}, exchanges: []string{"cinder", "designate", "glance",
		"heat", "keystone", "neutron", "nova", "octavia"}}
}

// receiver is a line of it.
type receiver struct {
	station *station
	bound   []string
	in      chan []byte
	cut     chan struct{}
}

func (s *station) url() string { return "rabbit://nova:" + s.password + "@mq:5672/openstack" }

func (s *station) dial(_ context.Context, c bus.Config) (bus.Line, error) {
	if s == nil {
		return nil, errors.New("there is no bus")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own {
		return nil, reach.Control("tcp", "127.0.0.1:5672", nil)
	}
	if s.down || c.URL != s.url() {
		return nil, errors.New("the bus at mq:5672 does not let us in")
	}
	r := &receiver{station: s, in: make(chan []byte, 1000), cut: make(chan struct{})}
	s.tuned[r] = true
	return r, nil
}

// send is what a cloud notifies with.
func (s *station) send(n fake.Notification) {
	inner, _ := json.Marshal(map[string]any{"event_type": n.Type, "payload": n.Payload})
	body, _ := json.Marshal(map[string]string{"oslo.version": "2.0", "oslo.message": string(inner)})
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.tuned {
		if slices.Contains(r.bound, n.Exchange) {
			r.in <- body
		}
	}
}

// fail takes the bus away, or brings it back.
func (s *station) fail(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
	for r := range s.tuned {
		close(r.cut)
		delete(s.tuned, r)
	}
}

func (r *receiver) Bind(exchange string, _ []string) (bool, error) {
	r.station.mu.Lock()
	defer r.station.mu.Unlock()
	if !slices.Contains(r.station.exchanges, exchange) {
		return false, nil
	}
	r.bound = append(r.bound, exchange)
	return true, nil
}

func (r *receiver) Next(ctx context.Context) ([]byte, error) {
	select {
	case b := <-r.in:
		return b, nil
	case <-r.cut:
		return nil, errors.New("the connection with the bus is lost")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (r *receiver) Close() {
	r.station.mu.Lock()
	defer r.station.mu.Unlock()
	delete(r.station.tuned, r)
}

// soon is less than what a change behind our back may last when the cloud notifies.
const soon = 4 * time.Second

// What is changed or deleted behind our back is put right at once, of every kind.
func TestNotified(t *testing.T) {
	each(t, func(w *world) { w.station = newStation() }, func(w *world, p *kittest.Play) {
		p.Ready()
		if !w.tells() {
			return
		}
		if w.kind.Shape == d.Resource && len(w.mutable()) > 0 {
			f := w.mutable()[0]
			want := w.actual(p, f)
			w.put(p, f, w.other(f, want))
			p.Pass(soon)
			if now := w.actual(p, f); !body.Same(f, want, now) {
				p.T.Errorf("%s is %v and not %v %s after a change", f.API, now, want, soon)
			}
		}
		if w.kind.List.TellsGone {
			return // the fake forgets at once what lists of changes show as deleted
		}
		cloudOf(p).Remove(w.kind.Name, cloudOf(p).IDs(w.kind.Name)[w.seeded(w.kind.Name)])
		p.Pass(soon)
		if n := len(made(w, p)); n != 1 {
			p.T.Errorf("there are %d %s %s after one was deleted", n, w.kind.Plural, soon)
		}
	})
}

// tells says whether services notify about the kind at all.
func (w *world) tells() bool {
	return len(w.kind.Events) > 0 && w.kind.Shape != d.Singleton
}

// A bus that is lost is told, changes are found in the usual period, and all is as before once it is back.
func TestBusIsLost(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.station = newStation()
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		is := func(status metav1.ConditionStatus, reason, text string) {
			t.Helper()
			c := p.Condition("Cloud/default", "Listening")
			if c.Status != status || c.Reason != reason || !strings.Contains(c.Message, text) {
				t.Errorf("the condition is %v", c)
			}
		}
		description := func() any { return made(w, p)[0]["description"] }
		want := description()
		change := func() {
			cloudOf(p).Put("Project", map[string]any{"id": made(w, p)[0]["id"], "description": "changed"})
		}
		is(metav1.ConditionTrue, "Connected", "keystone")
		w.station.fail(true)
		p.Pass(soon)
		is(metav1.ConditionFalse, "Disconnected", "does not let us in; see to the bus")
		change()
		p.Pass(soon)
		if description() == want {
			t.Error("a change was found although the bus was away")
		}
		p.Pass(later)
		if description() != want {
			t.Error("a change was not found within the period")
		}
		w.station.fail(false)
		change()
		p.Pass(time.Minute + soon)
		if description() != want {
			t.Error("a change while the bus was away was not found when it came back")
		}
		is(metav1.ConditionTrue, "Connected", "keystone")
		for _, u := range p.Objects() {
			if u.GetKind() != "Secret" && strings.Contains(fmt.Sprint(u.Object), "hunter2") {
				t.Errorf("%s %s has the password of the bus", u.GetKind(), u.GetName())
			}
		}
	})
}

// A bus at an address of the operator's own machine is told as what is wrong with the Secret.
func TestBusOfTheOperatorItself(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.station = newStation()
	w.station.own = true
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		c := p.Condition("Cloud/default", "Listening")
		if c.Status != metav1.ConditionFalse || c.Reason != "InvalidSecret" ||
			!strings.Contains(c.Message, "is the operator's own; give one that is reachable from the cluster, in transport_") {
			t.Errorf("the condition is %v", c)
		}
	})
}

// Another Secret is taken up at once; one without the key, and a cloud that no longer names a bus, too.
func TestBusIsChanged(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.station = newStation()
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		w.station.mu.Lock()
		w.station.password = "other"
		w.station.mu.Unlock()
		p.Change("Secret/bus", "data.transport_url", "bm9uZQ==")
		p.Settle()
		if c := p.Condition("Cloud/default", "Listening"); c.Reason != "Disconnected" {
			t.Errorf("with another URL the condition is %v", c)
		}
		p.Remove("Secret/bus")
		p.Settle()
		if c := p.Condition("Cloud/default", "Listening"); c.Reason != "InvalidSecret" {
			t.Errorf("without a Secret the condition is %v", c)
		}
		p.Ready()
		p.Change("Cloud/default", "spec.notifications", nil)
		p.Settle()
		conditions := fmt.Sprint(p.Object("Cloud/default").Object["status"])
		if strings.Contains(conditions, "Listening") {
			t.Errorf("without a bus there is a condition: %s", conditions)
		}
	})
}

// However much is told, lists take a share of the time only, and what concerns no kind is not looked at.
func TestNotifiedALot(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.station = newStation()
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		before := len(cloudOf(p).Requests())
		for range 100 {
			w.station.send(fake.Notification{Exchange: "keystone", Type: "identity.authenticate"})
			w.station.send(fake.Notification{Exchange: "keystone", Type: "identity.projects.updated"})
			p.Pass(100 * time.Millisecond)
		}
		if n := len(cloudOf(p).Requests()) - before; n > 0 {
			t.Errorf("%d requests after notifications about nothing", n)
		}
		for range 100 {
			w.station.send(fake.Notification{Exchange: "keystone", Type: "identity.project.updated"})
			p.Pass(100 * time.Millisecond)
		}
		if n := len(cloudOf(p).Requests()) - before; n < 5 || n > 12 {
			t.Errorf("%d requests in ten seconds full of notifications", n)
		}
	})
}
