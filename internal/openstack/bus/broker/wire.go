package broker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The frames of AMQP 0-9-1.
const (
	frameMethod    = 1
	frameHeader    = 2
	frameBody      = 3
	frameHeartbeat = 8
	frameEnd       = 0xCE
	frameMax       = 128 << 10
)

// A method is named by its class and its number in it.
type method uint32

const (
	connectionStart   method = 10<<16 | 10
	connectionStartOK method = 10<<16 | 11
	connectionTune    method = 10<<16 | 30
	connectionTuneOK  method = 10<<16 | 31
	connectionOpen    method = 10<<16 | 40
	connectionOpenOK  method = 10<<16 | 41
	connectionClose   method = 10<<16 | 50
	connectionCloseOK method = 10<<16 | 51
	channelOpen       method = 20<<16 | 10
	channelOpenOK     method = 20<<16 | 11
	channelClose      method = 20<<16 | 40
	channelCloseOK    method = 20<<16 | 41
	queueDeclare      method = 50<<16 | 10
	queueDeclareOK    method = 50<<16 | 11
	queueBind         method = 50<<16 | 20
	queueBindOK       method = 50<<16 | 21
	basicQos          method = 60<<16 | 10
	basicQosOK        method = 60<<16 | 11
	basicConsume      method = 60<<16 | 20
	basicConsumeOK    method = 60<<16 | 21
	basicDeliver      method = 60<<16 | 60
	basicAck          method = 60<<16 | 80
)

// frame is one frame without its head and its end.
type frame struct {
	kind    byte
	channel uint16
	body    []byte
}

func readFrame(r *bufio.Reader) (frame, error) {
	var head [7]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	size := binary.BigEndian.Uint32(head[3:])
	if size > frameMax {
		return frame{}, fmt.Errorf("a frame of %d bytes", size)
	}
	f := frame{kind: head[0], channel: binary.BigEndian.Uint16(head[1:]), body: make([]byte, size)}
	if _, err := io.ReadFull(r, f.body); err != nil {
		return f, err
	}
	if end, err := r.ReadByte(); err != nil || end != frameEnd {
		return f, errors.Join(err, errors.New("a frame without its end"))
	}
	return f, nil
}

func (f frame) bytes() []byte {
	out := make([]byte, 0, len(f.body)+8)
	out = append(out, f.kind)
	out = binary.BigEndian.AppendUint16(out, f.channel)
	out = binary.BigEndian.AppendUint32(out, uint32(len(f.body)))
	return append(append(out, f.body...), frameEnd)
}

// words are the arguments of a method, read one after the other.
type words struct{ b []byte }

func (w *words) take(n int) []byte {
	n = min(n, len(w.b))
	out := w.b[:n]
	w.b = w.b[n:]
	return out
}

func (w *words) number(size int) (n int) {
	for _, b := range w.take(size) {
		n = n<<8 | int(b)
	}
	return n
}

func (w *words) short() string { return string(w.take(w.number(1))) }
func (w *words) long() string  { return string(w.take(w.number(4))) }

// The other direction.
func short(s string) []byte { return append([]byte{byte(len(s))}, s...) }

func long(s string) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...) }

func num(size, n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n))[8-size:] }
