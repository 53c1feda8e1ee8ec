package proof

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
)

// within is how long an answer may take.
const within = time.Second

// Ping sends one echo request and waits for its answer for a second.
func Ping(ctx context.Context, to netip.Addr) error {
	c, err := icmp.ListenPacket("ip4:icmp", "0.0.0.0")
	if err != nil {
		return fmt.Errorf("opening a socket for ping: %w; run as root", err)
	}
	defer func() { _ = c.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Now()) })
	defer stop()
	id := os.Getpid() & 0xffff
	request := icmp.Message{Type: ipv4.ICMPTypeEcho, Body: &icmp.Echo{ID: id, Seq: 1, Data: []byte("stackwright")}}
	raw, err := request.Marshal(nil)
	if err != nil {
		return fmt.Errorf("writing a ping: %w", err)
	}
	if err := c.SetDeadline(time.Now().Add(within)); err != nil {
		return fmt.Errorf("setting a deadline: %w", err)
	}
	if _, err := c.WriteTo(raw, &net.IPAddr{IP: to.AsSlice()}); err != nil {
		return fmt.Errorf("sending a ping to %s: %w", to, err)
	}
	return answer(c, to, id)
}

// answer waits for the echo; the socket gets answers to others, too.
func answer(c net.PacketConn, from netip.Addr, id int) error {
	const protocol = 1 // of ICMP
	buffer := make([]byte, 1500)
	for {
		n, sender, err := c.ReadFrom(buffer)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return fmt.Errorf("%s did not answer a ping within %s", from, within)
		}
		if err != nil {
			return fmt.Errorf("waiting for an answer of %s: %w", from, err)
		}
		m, err := icmp.ParseMessage(protocol, buffer[:n])
		if err != nil || m.Type != ipv4.ICMPTypeEchoReply || sender.String() != from.String() {
			continue
		}
		if echo, ok := m.Body.(*icmp.Echo); ok && echo.ID == id {
			return nil
		}
	}
}
