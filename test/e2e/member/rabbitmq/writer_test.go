//go:build e2e

package rabbitmq_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"stackwright.dev/stackwright/test/e2e/story"
)

// dial connects to the first member that answers, over TLS, with the bus's account.
func (l *lab) dial(members ...int) (*amqp.Connection, error) {
	return l.dialAs(testBus.User, testBus.Password, members...)
}

func (l *lab) dialAs(user, password string, members ...int) (*amqp.Connection, error) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(l.CA.Cert)
	var errs []error
	for _, i := range members {
		u := url.URL{Scheme: "amqps", User: url.UserPassword(user, password),
			Host: net.JoinHostPort(l.IP(i), "5671"), Path: "/" + testBus.VHost}
		c, err := amqp.DialConfig(u.String(), amqp.Config{Heartbeat: 5 * time.Second,
			Dial:            amqp.DefaultDial(2 * time.Second),
			TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: l.Pod(i) + "." + domain, MinVersion: tls.VersionTLS12}})
		if err == nil {
			return c, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

const testQueue = "notifications"

// writer publishes numbered messages one after the other and remembers which the broker has confirmed.
type writer struct {
	l    *lab
	stop context.CancelFunc
	done chan struct{}

	mu        sync.Mutex
	confirmed map[int]bool
	last      time.Time
	longest   time.Duration
}

func newWriter(t *testing.T, l *lab) *writer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &writer{l: l, stop: cancel, done: make(chan struct{}), confirmed: map[int]bool{}, last: time.Now()}
	go w.run(ctx)
	t.Cleanup(w.end)
	return w
}

func (w *writer) end() { w.stop(); <-w.done }

func (w *writer) run(ctx context.Context) {
	defer close(w.done)
	n := 0
	for first := 0; ctx.Err() == nil; first++ {
		if err := w.session(ctx, first, &n); err != nil && ctx.Err() == nil {
			story.Pause(ctx, 200*time.Millisecond)
		}
	}
}

// session publishes until something fails. A message that was not confirmed may have arrived or not; the next one has
// another number.
func (w *writer) session(ctx context.Context, first int, n *int) error {
	c, err := w.l.dial(first%3, (first+1)%3, (first+2)%3)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	ch, err := c.Channel()
	if err == nil {
		err = ch.Confirm(false)
	}
	if err == nil {
		_, err = ch.QueueDeclare(testQueue, true, false, false, false, nil)
	}
	for err == nil && ctx.Err() == nil {
		*n++
		err = w.publish(ctx, ch, *n)
		story.Pause(ctx, 5*time.Millisecond)
	}
	return err
}

func (w *writer) publish(ctx context.Context, ch *amqp.Channel, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Second)
	defer cancel()
	d, err := ch.PublishWithDeferredConfirmWithContext(ctx, "", testQueue, true, false,
		amqp.Publishing{DeliveryMode: amqp.Persistent, Body: []byte(strconv.Itoa(n))})
	if err != nil {
		return err
	}
	if ok, err := d.WaitContext(ctx); err != nil || !ok {
		return fmt.Errorf("message %d was not confirmed: %w", n, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.confirmed[n] = true
	w.longest = max(w.longest, time.Since(w.last))
	w.last = time.Now()
	return nil
}

// gap returns the longest time without a confirmed message since the last call.
func (w *writer) gap() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	g := max(w.longest, time.Since(w.last))
	w.longest = 0
	return g
}

func (w *writer) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.confirmed)
}

// settle waits until the queue is old enough that RabbitMQ has noted it on disk, which it does a second after it says
// that the queue is there.
func (w *writer) settle(t *testing.T) {
	t.Helper()
	w.progress(t, 20*time.Second)
	began := time.Now()
	w.l.Until("a queue of some age", 20*time.Second, func() bool { return time.Since(began) > 5*time.Second })
}

// progress waits until more messages are confirmed.
func (w *writer) progress(t *testing.T, limit time.Duration) time.Duration {
	t.Helper()
	before := w.count()
	return w.l.Until("a confirmed message", limit, func() bool { return w.count() > before+5 })
}

// verify ends the writer, reads the whole queue and fails when a confirmed message is not there.
func (w *writer) verify(t *testing.T) {
	t.Helper()
	w.end()
	c, err := w.l.dial(0, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ch, err := c.Channel()
	if err != nil {
		t.Fatal(err)
	}
	there := map[int]bool{}
	for {
		m, ok, err := ch.Get(testQueue, false)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
		n, _ := strconv.Atoi(string(m.Body))
		there[n] = true
	}
	lost := 0
	for n := range w.confirmed {
		if !there[n] {
			lost++
		}
	}
	t.Logf("%d messages confirmed, %d in the queue, %d lost", len(w.confirmed), len(there), lost)
	if lost > 0 {
		t.Errorf("%d confirmed messages are lost", lost)
	}
}
