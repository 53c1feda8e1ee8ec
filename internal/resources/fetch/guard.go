package fetch

import (
	"fmt"
	"net/netip"
	"strings"

	"stackwright.dev/stackwright/internal/reach"
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
	for _, form := range reach.Forms(a) {
		r, private := reach.Find(form)
		switch {
		case !private:
		case r.Never:
			return refused("SourceNotAllowed", "%s leads to a %s address, from which no data is taken. Name another host.",
				host, r.Word)
		case !g.named(host) && !g.contains(form):
			return refused("SourceNotAllowed",
				"%s leads to a %s address. Name another host, or allow this one in spec.imageSources of a ClusterCloud.",
				host, r.Word)
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
