//go:build e2e

package rabbitmq_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	wire "stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/agent/rabbitmq"
	infra "stackwright.dev/stackwright/internal/infra/member"
	operator "stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/test/e2e/story"
)

// begin returns a cluster of three with a bus. Members may be prepared before they are started.
func begin(t *testing.T, prepare ...func(*lab)) (*lab, *driver) {
	t.Helper()
	l := newLab(t)
	for _, p := range prepare {
		p(l)
	}
	d := newDriver(t, l)
	began := time.Now()
	l.Start(2, 1)
	l.Until("the report of a member without data", 20*time.Second, func() bool {
		w, _ := d.see()
		return w.Reports["mq-1"].Phase == wire.Blank && w.Reports["mq-2"].Phase == wire.Blank
	})
	if _, decision := d.see(); len(decision.Orders) > 0 {
		t.Fatalf("orders were given before all members answered: %v", decision.Orders)
	}
	l.Start(0)
	d.awaitAll(90 * time.Second)
	t.Logf("formed in %s", time.Since(began).Round(100*time.Millisecond))
	if err := d.order("mq-0", "PUT /v1/bus", testBus, nil); err != nil {
		t.Fatal(err)
	}
	return l, d
}

// rounds is how often something is done: ROUNDS says, or whether it is to take long.
func rounds(n int) int {
	if r, err := strconv.Atoi(os.Getenv("ROUNDS")); err == nil {
		return r
	}
	if testing.Short() {
		return 1
	}
	return n
}

func TestAllKilledAtOnce(t *testing.T) {
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	for i := range rounds(5) {
		w.gap()
		l.Signal(syscall.SIGKILL, 0, 1, 2)
		killed := time.Now()
		order := rand.Perm(3)
		for _, k := range order {
			l.Start(k)
			later := time.Duration(rand.IntN(3000)) * time.Millisecond
			l.Until("a pause", 10*time.Second, func() bool { return time.Since(killed) > later })
		}
		w.progress(t, 60*time.Second)
		written := time.Since(killed)
		d.awaitAll(90 * time.Second)
		t.Logf("round %d, order %v: written after %s, all serve after %s", i, order,
			written.Round(100*time.Millisecond), time.Since(killed).Round(100*time.Millisecond))
	}
	w.verify(t)
}

func TestMembersStopInTurn(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	for i := range 3 {
		w.gap()
		began := time.Now()
		l.Signal(syscall.SIGTERM, i)
		stopped := time.Since(began)
		l.Start(i)
		d.awaitAll(90 * time.Second)
		t.Logf("mq-%d: stopped in %s, all serve after %s, longest gap between confirmed messages %s", i,
			stopped.Round(100*time.Millisecond), time.Since(began).Round(100*time.Millisecond),
			w.gap().Round(10*time.Millisecond))
	}
	began := time.Now()
	l.Signal(syscall.SIGTERM, 0, 1, 2)
	t.Logf("all stopped together in %s", time.Since(began).Round(100*time.Millisecond))
	l.Start(0, 1, 2)
	d.awaitAll(90 * time.Second)
	w.progress(t, 20*time.Second)
	w.verify(t)
}

func TestOneKilled(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	for i := range 3 {
		w.gap()
		l.Signal(syscall.SIGKILL, i)
		w.progress(t, 30*time.Second)
		l.Start(i)
		d.awaitAll(90 * time.Second)
		t.Logf("mq-%d killed: longest gap between confirmed messages %s", i, w.gap().Round(10*time.Millisecond))
	}
	w.verify(t)
}

// The others go on without a member that has no network, and it comes back when it has one again.
func TestOneCutOff(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	w.gap()
	l.Cut(2, "down")
	w.progress(t, 60*time.Second)
	l.Until("the operator to miss the member", 60*time.Second, func() bool {
		world, decision := d.see()
		_, answers := world.Reports["mq-2"]
		return !answers && decision.Serving
	})
	t.Logf("mq-2 cut off: longest gap between confirmed messages %s", w.gap().Round(10*time.Millisecond))
	l.Cut(2, "up")
	healed := d.awaitAll(90 * time.Second)
	t.Logf("all serve %s after the network is back", healed.Round(100*time.Millisecond))
	w.verify(t)
}

func TestVolumeLostWithAllDown(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	for i := range 3 {
		l.Signal(syscall.SIGKILL, 0, 1, 2)
		began := time.Now()
		l.Lose(i)
		l.Start(0, 1, 2)
		w.progress(t, 60*time.Second)
		written := time.Since(began)
		d.awaitAll(120 * time.Second)
		t.Logf("volume of mq-%d lost: written after %s, all serve after %s", i,
			written.Round(100*time.Millisecond), time.Since(began).Round(100*time.Millisecond))
	}
	w.verify(t)
}

func TestMajorityLost(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	l.Signal(syscall.SIGKILL, 0, 1, 2)
	l.Lose(0, 2)
	l.Start(0, 1, 2)
	l.Until("the operator to stop", 60*time.Second, func() bool { _, decision := d.see(); return decision.Stopped })
	if _, decision := d.see(); !strings.Contains(decision.Message, "forceBoot: mq-1, epoch: 2") {
		t.Errorf("the message does not tell what to do: %s", decision.Message)
	}
	began := time.Now()
	d.change(func(w *infra.World) { w.Recovery = recovery("mq-1", 2) })
	d.awaitAll(120 * time.Second)
	t.Logf("all serve %s after the decision", time.Since(began).Round(100*time.Millisecond))
	w.progress(t, 20*time.Second)
	if world, _ := d.see(); world.Record.Epoch != 2 {
		t.Errorf("epoch is %d, want 2", world.Record.Epoch)
	}
	w.verify(t)
}

// A member whose data belongs to a formation that a person has given up must not come back with it.
func TestOutdatedMemberJoinsAnew(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	l.Signal(syscall.SIGKILL, 0, 1, 2)
	l.Start(1)
	l.Until("the message about a missing majority", 60*time.Second, func() bool {
		_, decision := d.see()
		return decision.Reason == "MajorityMissing"
	})
	d.change(func(w *infra.World) { w.Recovery = recovery("mq-1", 2) })
	l.Until("the member to go on alone", 60*time.Second, func() bool { return d.serving("mq-1") })
	l.Start(0, 2)
	d.awaitAll(120 * time.Second)
	w.progress(t, 20*time.Second)
	w.verify(t)
}

func TestShrinkAndGrow(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	d.change(func(w *infra.World) { w.Pods = operator.Pods(broker, 1) })
	began := time.Now()
	last := ""
	l.Until("two members to leave", 120*time.Second, func() bool {
		why, err := d.members.Shrink(t.Context(), operator.Pods(broker, 3), 1)
		if err != nil {
			t.Logf("shrinking: %v", err)
			return false
		}
		if why != last {
			t.Log(why)
			last = why
		}
		return why == ""
	})
	t.Logf("two members left in %s, longest gap between confirmed messages %s",
		time.Since(began).Round(100*time.Millisecond), w.gap().Round(10*time.Millisecond))
	l.Signal(syscall.SIGTERM, 1, 2)
	w.progress(t, 20*time.Second)
	l.Until("one member to serve", 30*time.Second, func() bool { return d.serving("mq-0") })
	l.Start(1, 2)
	d.change(func(w *infra.World) { w.Pods = operator.Pods(broker, 3) })
	d.awaitAll(120 * time.Second)
	l.Signal(syscall.SIGKILL, 0)
	w.progress(t, 30*time.Second)
	l.Start(0)
	d.awaitAll(90 * time.Second)
	w.verify(t)
}

func TestCertificatesAreRenewed(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	w := newWriter(t, l)
	w.settle(t)
	serial := func(i int) string {
		c, err := l.dial(i)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	old := []string{serial(0), serial(1), serial(2)}
	w.gap()
	l.Certify()
	took := l.Until("new certificates", 60*time.Second, func() bool {
		return !slices.ContainsFunc([]int{0, 1, 2}, func(i int) bool { return serial(i) == old[i] })
	})
	t.Logf("new certificates are served after %s, longest gap between confirmed messages %s",
		took.Round(100*time.Millisecond), w.gap().Round(10*time.Millisecond))
	l.Signal(syscall.SIGKILL, 2)
	l.Start(2)
	d.awaitAll(90 * time.Second)
	w.verify(t)
}

func TestBus(t *testing.T) {
	story.Slow(t)
	l, d := begin(t)
	var s rabbitmq.BusState
	ask := func(b rabbitmq.Bus) rabbitmq.BusState {
		if err := d.order("mq-1", "POST /v1/bus/state", b, &s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := ask(testBus); !s.Exists || s.Owner != testBus.Owner || len(s.Diff) > 0 {
		t.Errorf("bus is %+v, want it as ordered", s)
	}
	changed := testBus
	changed.Password = "another password of the test"
	s = rabbitmq.BusState{}
	if s := ask(changed); !slices.Equal(s.Diff, []string{"password"}) {
		t.Errorf("difference is %v, want the password", s.Diff)
	}
	listens := testBus
	listens.ListenerPassword = "a listener of the test"
	s = rabbitmq.BusState{}
	if s := ask(listens); !slices.Equal(s.Diff, []string{"listener user", "listener permissions"}) {
		t.Errorf("difference is %v, want the listener", s.Diff)
	}
	if err := d.order("mq-1", "PUT /v1/bus", listens, nil); err != nil {
		t.Fatal(err)
	}
	s = rabbitmq.BusState{}
	if s := ask(listens); len(s.Diff) > 0 {
		t.Errorf("difference is %v after the listener was made", s.Diff)
	}
	l.listen(t, listens)
	if err := d.order("mq-1", "PUT /v1/bus", testBus, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.dialAs(listens.Listener(), listens.ListenerPassword, 0); err == nil {
		t.Error("the account of a listener that nobody wants any more still works")
	}
	foreign := testBus
	foreign.Owner = "test/other"
	err := d.order("mq-1", "PUT /v1/bus", foreign, nil)
	if err == nil || !strings.Contains(err.Error(), `belongs to "test/nova"`) {
		t.Errorf("taking another bus's virtual host: %v", err)
	}
	foreign.VHost = "other"
	err = d.order("mq-1", "PUT /v1/bus", foreign, nil)
	if err == nil || !strings.Contains(err.Error(), "user nova belongs to") {
		t.Errorf("taking another bus's user: %v", err)
	}
	if err := d.order("mq-2", "DELETE /v1/bus", testBus, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.dial(0); err == nil {
		t.Error("the account of a removed bus still works")
	}
}

// listen checks what a listener may do: hear what a service sends, and nothing else. What nobody reads is bounded.
func (l *lab) listen(t *testing.T, b rabbitmq.Bus) {
	t.Helper()
	service, err := l.dial(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = service.Close() }()
	listener, err := l.dialAs(b.Listener(), b.ListenerPassword, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	sends := channel(t, service)
	if err := sends.ExchangeDeclare("keystone", "topic", false, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := sends.QueueDeclare("conductor", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	hears := channel(t, listener)
	const own = "stackwright.notifications.test"
	if _, err := hears.QueueDeclare(own, false, true, true, false, amqp.Table{"x-queue-type": "classic"}); err != nil {
		t.Fatal(err)
	}
	if err := hears.QueueBind(own, "notifications.*", "keystone", false, nil); err != nil {
		t.Fatal(err)
	}
	heard, err := hears.Consume(own, "", true, true, false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	news := amqp.Publishing{Body: []byte("a user")}
	if err := sends.Publish("keystone", "notifications.info", false, false, news); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-heard:
		if string(m.Body) != "a user" {
			t.Errorf("heard %q", m.Body)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was heard")
	}
	refused(t, listener)
	l.bounded(t, sends)
}

// refused tries what a listener may not do.
func refused(t *testing.T, listener *amqp.Connection) {
	t.Helper()
	for what, try := range map[string]func(*amqp.Channel) error{
		"read a service's queue": func(c *amqp.Channel) error {
			_, err := c.Consume("conductor", "", true, false, false, false, nil)
			return err
		},
		"make a queue": func(c *amqp.Channel) error {
			_, err := c.QueueDeclare("mine", true, false, false, false, nil)
			return err
		},
		"empty a queue":      func(c *amqp.Channel) error { _, err := c.QueuePurge("conductor", false); return err },
		"delete an exchange": func(c *amqp.Channel) error { return c.ExchangeDelete("keystone", false, false) },
	} {
		var answer *amqp.Error
		if err := try(channel(t, listener)); !errors.As(err, &answer) || answer.Code != amqp.AccessRefused {
			t.Errorf("a listener may %s: %v", what, err)
		}
	}
}

// bounded fills a queue that nobody reads.
func (l *lab) bounded(t *testing.T, sends *amqp.Channel) {
	t.Helper()
	if _, err := sends.QueueDeclare("notifications.info", true, false, false, false, nil); err != nil {
		t.Fatal(err)
	}
	for range 48 {
		much := amqp.Publishing{Body: make([]byte, 1<<20)}
		if err := sends.Publish("", "notifications.info", false, false, much); err != nil {
			t.Fatal(err)
		}
	}
	left := 0
	l.Until("a queue that nobody reads to be bounded", 20*time.Second, func() bool {
		q, err := sends.QueueDeclarePassive("notifications.info", true, false, false, false, nil)
		left = q.Messages
		return err == nil && left > 0 && left <= 16
	})
	t.Logf("of 48 MiB that nobody reads %d are left", left)
}

func channel(t *testing.T, c *amqp.Connection) *amqp.Channel {
	t.Helper()
	ch, err := c.Channel()
	if err != nil {
		t.Fatal(err)
	}
	return ch
}
