package story

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Guest is what a node forwards packets for: a network namespace of this machine with a link to the node's.
type Guest struct {
	// Name of its network namespace, Link the node's end of its link.
	Name, Link string
	// MAC and Address of its own end.
	MAC, Address string
}

// Network is the network namespace of a node.
func (c Cluster) Network(node string) string { return "dc-" + c.Name + "." + node }

// Guest makes a guest beside a node, with an address such as 10.0.0.1/24 and a way to everywhere by a gateway. It
// goes when the test ends.
func (w *World) Guest(node, name, address, gateway string) Guest {
	w.Helper()
	ip, _, err := net.ParseCIDR(address)
	if err != nil {
		w.Fatal(err)
	}
	v4 := ip.To4()
	g := Guest{Name: "guest-" + name, Link: "to-" + name, Address: ip.String(),
		MAC: fmt.Sprintf("02:00:%02x:%02x:%02x:%02x", v4[0], v4[1], v4[2], v4[3])}
	w.ip("netns", "add", g.Name)
	w.Cleanup(func() { w.ip("netns", "delete", g.Name) })
	w.ip("link", "add", "eth0", "netns", g.Name, "address", g.MAC, "type", "veth",
		"peer", "name", g.Link, "netns", w.Cluster.Network(node))
	// What Neutron tells guests on links of 1500 bytes: a tunnel takes 58.
	w.ip("-n", w.Cluster.Network(node), "link", "set", g.Link, "mtu", "1442", "up")
	w.ip("-n", g.Name, "address", "add", address, "dev", "eth0")
	w.ip("-n", g.Name, "link", "set", "eth0", "mtu", "1442", "up")
	w.ip("-n", g.Name, "route", "add", "default", "via", gateway)
	return g
}

func (w *World) ip(args ...string) {
	w.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		w.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// Pings are echo requests and their answers.
type Pings struct {
	Sent, Answered int
	// Gap is the longest time between two answers.
	Gap time.Duration
}

// String tells what became of them.
func (p Pings) String() string {
	return fmt.Sprintf("%d of %d answered, longest gap %s", p.Answered, p.Sent, p.Gap.Round(10*time.Millisecond))
}

// Ping sends echo requests from a network namespace, or from this machine's own with no name, every 100 ms, until ctx
// ends, and a moment longer for answers.
func Ping(ctx context.Context, network, to string) (Pings, error) {
	c, err := in(network, func() (net.PacketConn, error) { return net.ListenPacket("ip4:icmp", "0.0.0.0") })
	if err != nil {
		return Pings{}, err
	}
	defer func() { _ = c.Close() }()
	var p Pings
	began := time.Now()
	last := began
	buffer := make([]byte, 1500)
	for ended := false; !ended; {
		if ended = ctx.Err() != nil; !ended {
			p.Sent++
			// One that cannot be sent is one that is not answered.
			_, _ = c.WriteTo(echo(uint16(p.Sent)), &net.IPAddr{IP: net.ParseIP(to)})
		}
		_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		for {
			n, from, err := c.ReadFrom(buffer)
			if err != nil {
				break
			}
			if from.String() == to && n >= 8 && buffer[0] == 0 && binary.BigEndian.Uint16(buffer[4:]) == identity() {
				p.Answered++
				p.Gap, last = max(p.Gap, time.Since(last)), time.Now()
			}
		}
	}
	p.Gap = max(p.Gap, time.Since(last))
	return p, nil
}

// Send sends so many bytes over TCP from one network namespace to an address of another, and returns how long it took.
func Send(ctx context.Context, from, to, address string, bytes int64) (time.Duration, error) {
	l, err := in(to, func() (net.Listener, error) {
		return (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(address, "5001"))
	})
	if err != nil {
		return 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	defer l.Close()
	began := time.Now()
	sent := make(chan error, 1)
	go func() { sent <- send(ctx, from, l.Addr().String(), bytes) }()
	c, err := l.Accept()
	if err != nil {
		return 0, errors.Join(fmt.Errorf("taking the connection: %w", err), <-sent)
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	_ = c.SetDeadline(deadline)
	n, err := io.Copy(io.Discard, c)
	if err = errors.Join(err, <-sent); err == nil && n != bytes {
		err = fmt.Errorf("%d bytes of %d arrived", n, bytes)
	}
	return time.Since(began), err
}

func send(ctx context.Context, from, to string, bytes int64) error {
	c, err := in(from, func() (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, "tcp", to) })
	if err != nil {
		return fmt.Errorf("connecting to %s: %w", to, err)
	}
	deadline, _ := ctx.Deadline()
	_ = c.SetDeadline(deadline)
	_, err = io.CopyN(c, zeros{}, bytes)
	return errors.Join(err, c.Close())
}

// zeros is a stream of zeros.
type zeros struct{}

// Read fills b.
func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Listen listens on an address of TCP in a network namespace; the one without a name is this machine's own.
func Listen(network, address string) (net.Listener, error) {
	return in(network, func() (net.Listener, error) {
		return (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	})
}

// in opens a socket in a network namespace, in which it stays. The one without a name is this machine's own.
func in[T any](network string, open func() (T, error)) (T, error) {
	if network == "" {
		return open()
	}
	var none T
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	here, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return none, fmt.Errorf("opening this thread's network: %w", err)
	}
	defer here.Close()
	there, err := os.Open("/run/netns/" + network)
	if err != nil {
		return none, fmt.Errorf("opening network %s: %w", network, err)
	}
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		return none, fmt.Errorf("entering network %s: %w", network, err)
	}
	c, err := open()
	if back := unix.Setns(int(here.Fd()), unix.CLONE_NEWNET); back != nil {
		panic("a thread is lost in network " + network + ": " + back.Error())
	}
	return c, err
}

// Page fetches a page, as somebody in a network namespace does.
func Page(ctx context.Context, network, url string) (string, error) {
	dial := func(ctx context.Context, family, address string) (net.Conn, error) {
		return in(network, func() (net.Conn, error) { return (&net.Dialer{}).DialContext(ctx, family, address) })
	}
	c := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", fmt.Errorf("asking for %s: %w", url, err)
	}
	response, err := c.Do(request)
	if err != nil {
		return "", fmt.Errorf("asking for %s: %w", url, err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return string(page), err
}

// Answers is a check that something answers a ping from a network namespace within a time.
func Answers(network, address string, within time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, stop := context.WithTimeout(ctx, within)
		defer stop()
		p, err := Ping(ctx, network, address)
		if err == nil && p.Answered == 0 {
			err = errors.New(p.String())
		}
		return err
	}
}

func identity() uint16 { return uint16(os.Getpid()) }

// echo is a request of ICMP.
func echo(sequence uint16) []byte {
	b := make([]byte, 64)
	b[0] = 8
	binary.BigEndian.PutUint16(b[4:], identity())
	binary.BigEndian.PutUint16(b[6:], sequence)
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	sum = sum>>16 + sum&0xffff
	binary.BigEndian.PutUint16(b[2:], ^uint16(sum+sum>>16))
	return b
}
