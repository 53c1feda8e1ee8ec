package bus

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"sync/atomic"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"stackwright.dev/stackwright/internal/reach"
)

const (
	// dialTimeout is for one host: to connect, to shake hands and to get the queue.
	dialTimeout = 10 * time.Second
	heartbeat   = 10 * time.Second
	// prefetch is how many messages may wait here; the queue has room for backlog and forgets the oldest beyond that.
	prefetch = 16
	backlog  = 10_000
	// stale messages, in milliseconds, tell nothing that a list has not shown by then.
	stale = 60_000
)

// line is a Line over AMQP 0-9-1.
type line struct {
	only    []string
	conn    *amqp.Connection
	channel *amqp.Channel
	queue   string
	in      <-chan amqp.Delivery
	held    *atomic.Int64
	lost    chan *amqp.Error
}

// Connect is the Dial of the real world. It tries each host of a URL.
func Connect(ctx context.Context, c Config) (Line, error) { return joined(over(&net.Dialer{}))(ctx, c) }

// Outside is Connect for a bus that people name who may not reach what the operator's own machine does: it refuses
// loopback and link-local addresses, by a reach.Own.
func Outside(ctx context.Context, c Config) (Line, error) {
	return joined(over(&net.Dialer{Control: reach.Control}))(ctx, c)
}

func over(d *net.Dialer) Dial {
	return func(ctx context.Context, c Config) (Line, error) { return connect(ctx, d, c) }
}

func connect(ctx context.Context, d *net.Dialer, c Config) (Line, error) {
	a, err := c.parse()
	if err != nil {
		return nil, err
	}
	first, err := rand.Int(rand.Reader, big.NewInt(int64(len(a.hosts))))
	if err != nil {
		return nil, fmt.Errorf("choosing a host of the bus: %w", err)
	}
	var own *reach.Own
	for i := range a.hosts {
		h := a.hosts[(int(first.Int64())+i)%len(a.hosts)]
		var l *line
		if l, err = open(ctx, d, h, a); err == nil {
			return l, nil
		}
		if o, ok := errors.AsType[*reach.Own](err); ok {
			own = o.Of("the bus at " + h.address)
		}
		err = fmt.Errorf("the bus at %s does not let us into virtual host %s: %w", h.address, a.vhost, plain(err))
	}
	if own != nil {
		return nil, own
	}
	return nil, err
}

// plain takes out of an error what differs from one attempt to the next, such as the port of our side.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return fmt.Errorf("%s: %w", op.Op, op.Err)
	}
	if refused, ok := errors.AsType[*amqp.Error](err); ok {
		return errors.New(refused.Reason)
	}
	return err
}

// open gets a connection with a queue.
func open(ctx context.Context, d *net.Dialer, h host, a *address) (*line, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	raw, err := d.DialContext(ctx, "tcp", h.address)
	if err != nil {
		return nil, err
	}
	// The library ends handshakes by this deadline and takes it away afterwards.
	if err := raw.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		raw.Close()
		return nil, err
	}
	if a.tls != nil {
		config := a.tls.Clone()
		config.ServerName = h.name
		secured := tls.Client(raw, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			raw.Close()
			return nil, err
		}
		raw = secured
	}
	l := &line{held: &atomic.Int64{}, only: a.only}
	l.conn, err = amqp.Open(newGuard(raw, l.held), amqp.Config{
		SASL:  []amqp.Authentication{&amqp.PlainAuth{Username: h.user, Password: h.password}},
		Vhost: a.vhost, Heartbeat: heartbeat, FrameSize: 128 << 10, ChannelMax: 8, Locale: "en_US",
		Properties: amqp.Table{"product": "stackwright", "connection_name": "stackwright"},
	})
	if err != nil {
		raw.Close()
		return nil, err
	}
	if err := l.consume(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// consume makes the queue. It is a classic one: it is not worth to be kept by several members.
func (l *line) consume() error {
	l.lost = l.conn.NotifyClose(make(chan *amqp.Error, 1))
	var err error
	if l.channel, err = l.conn.Channel(); err != nil {
		return err
	}
	if err := l.channel.Qos(prefetch, 0, false); err != nil {
		return err
	}
	q, err := l.channel.QueueDeclare("stackwright.notifications."+rand.Text(), false, true, true, false, amqp.Table{
		"x-queue-type": "classic", "x-max-length": backlog, "x-overflow": "drop-head", "x-message-ttl": stale})
	if err != nil {
		return err
	}
	l.queue = q.Name
	l.in, err = l.channel.Consume(q.Name, "", false, true, false, false, nil)
	return err
}

// Bind implements Line. A channel ends when it asks for an exchange that is not there, so the question has its own.
func (l *line) Bind(exchange string, keys []string) (bool, error) {
	if len(l.only) > 0 && !slices.Contains(l.only, exchange) {
		return false, nil
	}
	ch, err := l.conn.Channel()
	if err != nil {
		return false, err
	}
	defer func() { _ = ch.Close() }() // it may be closed already
	for _, key := range keys {
		err := ch.QueueBind(l.queue, key, exchange, false, nil)
		if refused, ok := errors.AsType[*amqp.Error](err); ok &&
			(refused.Code == amqp.NotFound || refused.Code == amqp.AccessRefused) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("binding the queue to exchange %s: %w", exchange, plain(err))
		}
	}
	return true, nil
}

// Next implements Line.
func (l *line) Next(ctx context.Context) ([]byte, error) {
	select {
	case d, ok := <-l.in:
		if !ok {
			return nil, l.end()
		}
		l.held.Add(-int64(len(d.Body)))
		if err := d.Ack(false); err != nil {
			return nil, fmt.Errorf("the connection with the bus is lost: %w", plain(err))
		}
		return d.Body, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// end says why no more messages come. The queue may have been deleted, which leaves the connection as it is.
func (l *line) end() error {
	select {
	case err := <-l.lost:
		if err != nil {
			return fmt.Errorf("the connection with the bus is lost: %w", plain(err))
		}
	case <-time.After(time.Second):
	}
	return errors.New("the connection with the bus is lost: the broker took the queue away")
}

// Close implements Line.
func (l *line) Close() {
	// The deadline is for a broker that does not answer; the queue goes with the connection however it ends.
	_ = l.conn.CloseDeadline(time.Now().Add(time.Second))
}
