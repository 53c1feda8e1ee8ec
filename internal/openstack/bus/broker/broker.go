// Package broker is as much of a RabbitMQ as tests of listeners need: it speaks AMQP 0-9-1 with consumers that have a
// queue of their own, and is told what to send them.
package broker

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// Broker is the fake. Its exchanges may be changed while nobody is connected, and by Declare.
type Broker struct {
	// User, Password and VHost that clients have to name.
	User, Password, VHost string

	mu        sync.Mutex
	listener  net.Listener
	exchanges map[string]bool
	clients   map[*client]bool
	// Accepted is how many connections there have been.
	accepted int
}

// Listen starts a broker at an address such as 127.0.0.1:0, with exchanges; t may be nil.
func Listen(address string, t *tls.Config, exchanges ...string) (*Broker, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("starting a broker: %w", err)
	}
	if t != nil {
		l = tls.NewListener(l, t)
	}
	b := &Broker{User: "nova", Password: "secret", VHost: "openstack", listener: l, exchanges: map[string]bool{},
		clients: map[*client]bool{}}
	b.Declare(exchanges...)
	go b.accept()
	return b, nil
}

// Address that clients reach it at.
func (b *Broker) Address() string { return b.listener.Addr().String() }

// URL is a transport_url.
func (b *Broker) URL() string {
	return "rabbit://" + b.User + ":" + b.Password + "@" + b.Address() + "/" + b.VHost
}

// Declare makes exchanges.
func (b *Broker) Declare(exchanges ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range exchanges {
		b.exchanges[e] = true
	}
}

// Queues returns how many queues there are: one for each client that consumes.
func (b *Broker) Queues() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for c := range b.clients {
		if c.tag != "" {
			n++
		}
	}
	return n
}

// Accepted returns how many connections there have been.
func (b *Broker) Accepted() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.accepted
}

// Drop breaks all connections.
func (b *Broker) Drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.clients {
		c.conn.Close()
	}
}

// Close stops the broker.
func (b *Broker) Close() {
	b.listener.Close()
	b.Drop()
}

// Notify sends a notification as oslo.messaging does, in an envelope. It returns how many queues got it.
func (b *Broker) Notify(exchange, kind string, payload map[string]any) int {
	inner, err := json.Marshal(map[string]any{"message_id": "1", "publisher_id": "fake.host", "event_type": kind,
		"priority": "INFO", "payload": payload, "timestamp": time.Now().UTC().String(), "_unique_id": "1"})
	if err != nil {
		return 0
	}
	raw, err := json.Marshal(map[string]string{"oslo.version": "2.0", "oslo.message": string(inner)})
	if err != nil {
		return 0
	}
	return b.Publish(exchange, "notifications.info", raw)
}

// Publish sends a message and returns how many queues got it.
func (b *Broker) Publish(exchange, key string, body []byte) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.clients {
		if slices.ContainsFunc(c.bound, func(x binding) bool { return x.exchange == exchange && matches(x.key, key) }) {
			c.deliver(exchange, key, body)
			n++
		}
	}
	return n
}

// matches compares word by word; a star stands for any word.
func matches(pattern, key string) bool {
	p, k := strings.Split(pattern, "."), strings.Split(key, ".")
	return slices.EqualFunc(p, k, func(a, b string) bool { return a == "*" || a == b })
}

func (b *Broker) accept() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return
		}
		c := &client{broker: b, conn: conn, in: bufio.NewReader(conn)}
		b.mu.Lock()
		b.accepted++
		b.clients[c] = true
		b.mu.Unlock()
		go func() {
			defer conn.Close()
			c.serve()
			b.mu.Lock()
			delete(b.clients, c)
			b.mu.Unlock()
		}()
	}
}
