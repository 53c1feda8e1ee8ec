package openstack

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
)

// key names a session. It covers everything that decides what the session may do, so that nobody gets the session of
// another by a choice of names: parts have their length before them, and the hash is cryptographic because tenants
// choose what goes into it.
type key [sha256.Size]byte

func (e *entry) key(scope string) key {
	limits := fmt.Appendf(nil, "%#v", e.limits)
	return sum([]byte(scope), []byte(e.authURL), e.body, e.ca, []byte(e.region), []byte(e.face),
		flag(e.insecure), limits)
}

// key names a configuration as it was given.
func (c Config) key() key {
	return sum(c.Clouds, []byte(c.Entry), c.CA, []byte(c.Region), []byte(c.Interface), fmt.Appendf(nil, "%#v", c.Limits))
}

func sum(parts ...[]byte) key {
	h := sha256.New()
	for _, p := range parts {
		prefix(h, len(p))
		h.Write(p)
	}
	return key(h.Sum(nil))
}

func prefix(h hash.Hash, n int) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(n))
	h.Write(length[:])
}

func flag(b bool) []byte {
	if b {
		return []byte{1}
	}
	return []byte{0}
}
