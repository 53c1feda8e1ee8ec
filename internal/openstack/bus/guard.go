package bus

import (
	"encoding/binary"
	"errors"
	"net"
	"sync/atomic"
)

// What a broker may send. People of a namespace name the broker of their Cloud, so it may be one that is made to fill
// the memory of the operator; the protocol lets it announce 4 GiB.
const (
	maxFrame = 1 << 20
	maxHeld  = 16 << 20
)

var errTooMuch = errors.New("the bus sent more than a listener takes; is there a RabbitMQ at that address?")

// A frame is a type, a channel, a length, as many bytes, and an end mark. One of type header announces the size of a
// message after its class and weight.
const (
	frameHead    = 7
	typeHeader   = 2
	announcement = frameHead + 12
)

// guard reads along on a connection and ends it when the broker sends too much.
type guard struct {
	net.Conn
	// held is the size of messages that were announced and not yet dealt with.
	held *atomic.Int64

	head       [announcement]byte
	have, want int
	skip       int
}

func newGuard(c net.Conn, held *atomic.Int64) *guard {
	return &guard{Conn: c, held: held, want: frameHead}
}

// Read implements net.Conn.
func (g *guard) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	for b := p[:n]; len(b) > 0; {
		took := min(len(b), g.skip)
		g.skip -= took
		b = b[took:]
		took = copy(g.head[g.have:g.want], b)
		g.have += took
		b = b[took:]
		if g.have == g.want && !g.admit() {
			return 0, errTooMuch
		}
	}
	return n, err
}

// admit judges a frame by its head, and a message by its announcement.
func (g *guard) admit() bool {
	size := int(binary.BigEndian.Uint32(g.head[3:]))
	if size > maxFrame {
		return false
	}
	if g.want == frameHead && g.head[0] == typeHeader && size >= announcement-frameHead {
		g.want = announcement
		return true
	}
	g.skip = size + 1 + frameHead - g.want
	message := uint64(0)
	if g.want == announcement {
		message = binary.BigEndian.Uint64(g.head[announcement-8:])
	}
	g.have, g.want = 0, frameHead
	return message <= maxHeld && g.held.Add(int64(message)) <= maxHeld
}
