package fetch

import (
	"fmt"
	"net/netip"
	"strings"
)

// Guard says which hosts data may come from. The zero value allows what the internet reaches.
type Guard struct {
	names    []string
	prefixes []netip.Prefix
}

// NewGuard allows private addresses: names of hosts, *.example.org for all names below example.org, addresses and
// CIDRs.
func NewGuard(allowed []string) (Guard, error) {
	var g Guard
	for _, entry := range allowed {
		prefix, ok := prefixOf(entry)
		switch {
		case ok:
			g.prefixes = append(g.prefixes, prefix)
		case entry == "" || strings.ContainsAny(entry, "/: ") || strings.Contains(strings.TrimPrefix(entry, "*."), "*"):
			return Guard{}, fmt.Errorf("%q is no name of a host, no *.suffix and no CIDR", entry)
		default:
			g.names = append(g.names, plain(entry))
		}
	}
	return g, nil
}

func prefixOf(entry string) (netip.Prefix, bool) {
	if p, err := netip.ParsePrefix(entry); err == nil {
		return p.Masked(), true
	}
	if a, err := netip.ParseAddr(entry); err == nil {
		a = a.WithZone("").Unmap()
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	return netip.Prefix{}, false
}

// plain is the form in which names are compared.
func plain(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// named tells whether a host is allowed by its name.
func (g Guard) named(host string) bool {
	host = plain(host)
	for _, name := range g.names {
		if below, ok := strings.CutPrefix(name, "*"); name == host || ok && strings.HasSuffix(host, below) {
			return true
		}
	}
	return false
}

// check refuses an address to which a host has led.
func (g Guard) check(host string, a netip.Addr) error {
	a = a.WithZone("").Unmap()
	for _, form := range []netip.Addr{a, inner(a)} {
		r, private := rangeOf(form)
		switch {
		case !private:
		case r.never:
			return refused("SourceNotAllowed", "%s leads to a %s address, from which no data is taken. Name another host.",
				host, r.word)
		case !g.named(host) && !g.contains(form):
			return refused("SourceNotAllowed",
				"%s leads to a %s address. Name another host, or allow this one in spec.imageSources of a ClusterCloud.",
				host, r.word)
		}
	}
	return nil
}

func (g Guard) contains(a netip.Addr) bool {
	for _, p := range g.prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
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

// special is a range of addresses that the internet does not reach.
type special struct {
	prefix netip.Prefix
	word   string
	// never is what belongs to the machine itself or its link, such as the metadata service of a cloud: nobody can
	// allow it.
	never bool
}

// rangeOf finds the special range of an address.
func rangeOf(a netip.Addr) (special, bool) {
	for _, s := range specials() {
		if s.prefix.Contains(a) {
			return s, true
		}
	}
	return special{}, false
}

// specials are the ranges of RFC 6890 that something may answer in.
func specials() []special {
	never := func(word string, prefixes ...string) (out []special) {
		for _, p := range prefixes {
			out = append(out, special{netip.MustParsePrefix(p), word, true})
		}
		return out
	}
	out := never("loopback", "127.0.0.0/8", "::1/128")
	out = append(out, never("link-local", "169.254.0.0/16", "fe80::/10")...)
	out = append(out, never("multicast", "224.0.0.0/4", "ff00::/8")...)
	out = append(out, never("reserved", "0.0.0.0/8", "240.0.0.0/4", "::/128", "2001::/32")...)
	for _, p := range []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24",
		"198.18.0.0/15", "fc00::/7", "fec0::/10", "64:ff9b:1::/48"} {
		out = append(out, special{netip.MustParsePrefix(p), "private", false})
	}
	return out
}
