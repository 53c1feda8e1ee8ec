// Package reach tells where addresses lead that other people name: to the internet, into a private network, or to the
// machine that would connect.
package reach

import (
	"net/netip"
	"syscall"
)

// Range is a range of addresses that the internet does not reach.
type Range struct {
	prefix netip.Prefix
	// Word is what such addresses are: loopback, link-local, multicast, reserved, private.
	Word string
	// Never is what belongs to the machine itself or its link, such as the metadata service of a cloud: nobody can
	// allow it.
	Never bool
}

// Find returns the range that an address is in; it is not ok for one that the internet reaches.
func Find(a netip.Addr) (Range, bool) {
	for _, r := range ranges() {
		if r.prefix.Contains(a) {
			return r, true
		}
	}
	return Range{}, false
}

// Forms are the addresses that may get what is sent to one: itself, without zone and as IPv4 where it stands for that,
// and the one to which a gateway leads it.
func Forms(a netip.Addr) []netip.Addr {
	a = a.WithZone("").Unmap()
	return []netip.Addr{a, inner(a)}
}

// inner is the IPv4 address to which a gateway leads what is sent to an IPv6 address: NAT64, 6to4 and IPv4-compatible
// ones.
func inner(a netip.Addr) netip.Addr {
	if !a.Is6() {
		return a
	}
	b := a.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a), netip.MustParsePrefix("::/96").Contains(a):
		return netip.AddrFrom4([4]byte(b[12:]))
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return a
}

// ranges are those of RFC 6890 that something may answer in.
func ranges() []Range {
	never := func(word string, prefixes ...string) (out []Range) {
		for _, p := range prefixes {
			out = append(out, Range{netip.MustParsePrefix(p), word, true})
		}
		return out
	}
	out := never("loopback", "127.0.0.0/8", "::1/128")
	out = append(out, never("link-local", "169.254.0.0/16", "fe80::/10")...)
	out = append(out, never("multicast", "224.0.0.0/4", "ff00::/8")...)
	out = append(out, never("reserved", "0.0.0.0/8", "240.0.0.0/4", "::/128", "2001::/32")...)
	for _, p := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24",
		"198.18.0.0/15", "fc00::/7", "fec0::/10", "64:ff9b:1::/48"} {
		out = append(out, Range{netip.MustParsePrefix(p), "private", false})
	}
	return out
}

// Own is why an address is not connected to: it is one of the operator's own machine, or of no machine.
type Own struct {
	address    netip.Addr
	word, what string
}

// Of says what was named that has the address.
func (o *Own) Of(what string) *Own { return &Own{o.address, o.word, what} }

// Error says so, and what to do.
func (o *Own) Error() string {
	return "the " + o.word + " address " + o.address.String() + " of " + o.what + " is the operator's own; give one " +
		"that is reachable from the cluster"
}

// Control refuses addresses that no cloud can have, as the Control of a net.Dialer: it is called when a name is
// resolved, before anything is sent, so that no name can lead to another address than the one that was checked.
// Private networks are no reason, for clouds are in them.
func Control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Own{word: "unknown", what: address}
	}
	for _, form := range Forms(at.Addr()) {
		if r, ok := Find(form); ok && r.Never {
			return &Own{form, r.Word, address}
		}
	}
	return nil
}
