package reach_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/reach"
)

// What the machine itself and its link have is refused in each spelling; networks that clouds are in are not.
func TestControl(t *testing.T) {
	for address, word := range map[string]string{
		"127.0.0.1": "loopback", "127.8.8.8": "loopback", "::1": "loopback", "::ffff:127.0.0.1": "loopback",
		"64:ff9b::7f00:1": "loopback", "2002:7f00:1::1": "loopback", "::7f00:1": "loopback",
		"169.254.169.254": "link-local", "::ffff:169.254.169.254": "link-local", "fe80::1": "link-local",
		"fe80::1%eth0": "link-local", "0.0.0.0": "reserved", "::": "reserved", "255.255.255.255": "reserved",
		"224.0.0.1": "multicast", "ff02::1": "multicast",
		"10.1.2.3": "", "172.31.0.1": "", "192.168.1.1": "", "100.64.0.1": "", "fd00::1": "", "64:ff9b::a00:1": "",
		"203.0.113.7": "", "2a01:4f8::1": "",
	} {
		err := reach.Control("tcp", net.JoinHostPort(address, "5000"), nil)
		switch {
		case word == "" && err != nil:
			t.Errorf("%s is refused: %v", address, err)
		case word != "" && (err == nil || !strings.HasPrefix(err.Error(), "the "+word+" address ")):
			t.Errorf("%s: %v, want that it is %s", address, err, word)
		}
	}
	if err := reach.Control("unix", "/run/metadata.sock", nil); err == nil {
		t.Error("a socket is let pass")
	}
}

func TestFind(t *testing.T) {
	for address, want := range map[string]string{"10.0.0.1": "private", "127.0.0.1": "loopback", "203.0.113.7": ""} {
		if r, ok := reach.Find(netip.MustParseAddr(address)); r.Word != want || ok != (want != "") {
			t.Errorf("%s is in %q, want %q", address, r.Word, want)
		}
	}
}
