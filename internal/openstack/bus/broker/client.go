package broker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"slices"
	"strings"
	"sync"
)

// client is one connection.
type client struct {
	broker *Broker
	conn   net.Conn
	in     *bufio.Reader
	out    sync.Mutex

	// What the lock of the broker guards.
	bound    []binding
	tag      string
	consumes uint16
	sent     int
}

type binding struct{ exchange, key string }

// send writes a method. Errors show when the connection is read next.
func (c *client) send(channel uint16, m method, args ...[]byte) {
	body := binary.BigEndian.AppendUint32(nil, uint32(m))
	c.write(frame{frameMethod, channel, append(body, bytes.Join(args, nil)...)})
}

func (c *client) write(frames ...frame) {
	c.out.Lock()
	defer c.out.Unlock()
	for _, f := range frames {
		_, _ = c.conn.Write(f.bytes())
	}
}

// serve answers a client until it goes.
func (c *client) serve() {
	if _, err := c.in.Discard(len("AMQP\x00\x00\x09\x01")); err != nil {
		return
	}
	c.send(0, connectionStart, []byte{0, 9}, long(""), long("PLAIN"), long("en_US"))
	for {
		f, err := readFrame(c.in)
		if err != nil {
			return
		}
		switch f.kind {
		case frameHeartbeat:
			c.write(frame{kind: frameHeartbeat})
		case frameMethod:
			w := &words{f.body}
			if !c.answer(f.channel, method(w.number(4)), w) {
				return
			}
		}
	}
}

// answer is false when the connection is over.
func (c *client) answer(channel uint16, m method, w *words) bool {
	switch m {
	case connectionStartOK:
		c.login(w)
	case connectionOpen:
		c.enter(w.short())
	case connectionClose:
		c.send(0, connectionCloseOK)
		return false
	case connectionCloseOK:
		return false
	case channelOpen:
		c.send(channel, channelOpenOK, long(""))
	case channelClose:
		c.send(channel, channelCloseOK)
	case basicQos:
		c.send(channel, basicQosOK)
	case queueDeclare:
		w.number(2)
		c.send(channel, queueDeclareOK, short(w.short()), num(4, 0), num(4, 0))
	case queueBind:
		c.bind(channel, w)
	case basicConsume:
		c.consume(channel, w)
	case connectionTuneOK, channelCloseOK, basicAck:
	default:
		c.send(0, connectionClose, num(2, 540), short("NOT_IMPLEMENTED"), num(4, int(m)))
	}
	return true
}

func (c *client) login(w *words) {
	w.long() // properties of the client
	w.short()
	if account := strings.Split(w.long(), "\x00"); !slices.Equal(account[1:], []string{c.broker.User, c.broker.Password}) {
		c.send(0, connectionClose, num(2, 403), short("ACCESS_REFUSED - Login was refused"), num(4, 0))
		return
	}
	c.send(0, connectionTune, num(2, 16), num(4, frameMax), num(2, 60))
}

func (c *client) enter(vhost string) {
	if vhost != c.broker.VHost {
		c.send(0, connectionClose, num(2, 530), short("NOT_ALLOWED - vhost "+vhost+" not found"), num(4, int(connectionOpen)))
		return
	}
	c.send(0, connectionOpenOK, short(""))
}

func (c *client) bind(channel uint16, w *words) {
	w.number(2)
	w.short()
	exchange, key := w.short(), w.short()
	c.broker.mu.Lock()
	there := c.broker.exchanges[exchange]
	if there {
		c.bound = append(c.bound, binding{exchange, key})
	}
	c.broker.mu.Unlock()
	if !there {
		c.send(channel, channelClose, num(2, 404), short("NOT_FOUND - no exchange "+exchange), num(4, int(queueBind)))
		return
	}
	c.send(channel, queueBindOK)
}

func (c *client) consume(channel uint16, w *words) {
	w.number(2)
	w.short()
	tag := w.short()
	c.broker.mu.Lock()
	c.tag, c.consumes = tag, channel
	c.broker.mu.Unlock()
	c.send(channel, basicConsumeOK, short(tag))
}

// deliver sends a message. The caller holds the lock of the broker.
func (c *client) deliver(exchange, key string, body []byte) {
	c.sent++
	head := slices.Concat(num(4, int(basicDeliver)), short(c.tag), num(8, c.sent), []byte{0}, short(exchange), short(key))
	frames := []frame{{frameMethod, c.consumes, head},
		{frameHeader, c.consumes, slices.Concat(num(2, 60), num(2, 0), num(8, len(body)), num(2, 0))}}
	for part := range slices.Chunk(body, frameMax-8) {
		frames = append(frames, frame{frameBody, c.consumes, part})
	}
	c.write(frames...)
}
