package keystone

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Keys of a Secret with a ring beside the keys themselves, whose names are numbers. Keystone passes over what is none.
const (
	keyRotated = "rotated"
	keyStaged  = "staged"
)

// settle is how long a change of a ring needs to reach every pod: a kubelet looks at its Secrets every 60 to 90
// seconds.
const settle = 2 * time.Minute

// ring is a key repository as Keystone reads it: key 0 is staged, to be the next primary; the highest is the primary,
// which makes tokens; all of them are tried on tokens that come in.
//
// keystone-manage renames key 0 to the highest number and makes a new key 0 in one go. Here that is two changes, settle
// apart: first key 0 is put at the highest number as well, then a new key 0 takes its place and the oldest goes. So at
// no time a pod lacks a key that another pod already uses, not even while the kubelet swaps the files under a process
// that has listed the old ones.
type ring struct {
	keys map[int][]byte
	// rotated is when the primary was made primary, staged when key 0 was made.
	rotated, staged time.Time
}

// policy says how a ring is rotated.
type policy struct {
	interval time.Duration
	// keep is the number of keys in a ring at rest.
	keep int
	// held keeps the ring from making room: what the oldest key encrypted is still in use.
	held bool
}

// load reads a ring from a Secret. Without times, as after a restore, everything counts from now.
func load(have map[string][]byte, now time.Time) ring {
	r := ring{keys: map[int][]byte{}, rotated: now, staged: now}
	for name, key := range have {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && len(key) > 0 {
			r.keys[n] = key
		}
	}
	if t, err := time.Parse(time.RFC3339, string(have[keyRotated])); err == nil {
		r.rotated = t
	}
	if t, err := time.Parse(time.RFC3339, string(have[keyStaged])); err == nil {
		r.staged = t
	}
	return r
}

func (r ring) data() map[string][]byte {
	data := map[string][]byte{
		keyRotated: []byte(r.rotated.UTC().Format(time.RFC3339)),
		keyStaged:  []byte(r.staged.UTC().Format(time.RFC3339)),
	}
	for n, key := range r.keys {
		data[strconv.Itoa(n)] = key
	}
	return data
}

func (r ring) primary() int { return slices.Max(slices.Collect(maps.Keys(r.keys))) }

// promoted tells that the staged key is the primary already.
func (r ring) promoted() bool { return bytes.Equal(r.keys[0], r.keys[r.primary()]) }

// turn makes the change that is due, if any, and returns when to look again; 0 is not before something else changes.
func (r *ring) turn(p policy, now time.Time) time.Duration {
	switch {
	case len(r.keys) < 2 || r.keys[0] == nil:
		r.begin(now)
	case r.promoted() && !now.Before(r.rotated.Add(settle)) && !p.held:
		r.stage(p.keep, now)
	case !r.promoted() && !now.Before(r.due(p)):
		r.keys[r.primary()+1], r.rotated = r.keys[0], now
	}
	switch settled := r.rotated.Add(settle); {
	case r.promoted() && now.Before(settled):
		return settled.Sub(now)
	case r.promoted():
		return 0
	}
	return max(r.due(p).Sub(now), time.Second)
}

// due is when the staged key becomes the primary.
func (r *ring) due(p policy) time.Time {
	due := r.rotated.Add(p.interval)
	if settled := r.staged.Add(settle); settled.After(due) {
		return settled
	}
	return due
}

// begin completes a ring that has no staged key or no primary, and keeps what is there.
func (r *ring) begin(now time.Time) {
	if len(r.keys) == 0 || (len(r.keys) == 1 && r.keys[0] != nil) {
		r.keys[1] = newKey()
	}
	if r.keys[0] == nil {
		r.keys[0] = newKey()
	}
	r.rotated, r.staged = now, now
}

// stage makes a new staged key and lets the oldest go.
func (r *ring) stage(keep int, now time.Time) {
	r.keys[0], r.staged = newKey(), now
	for _, n := range slices.Sorted(maps.Keys(r.keys)) {
		if len(r.keys) > keep && n != 0 && n != r.primary() {
			delete(r.keys, n)
		}
	}
}

// newKey is 32 random bytes in the URL-safe alphabet, as Fernet wants them.
func newKey() []byte {
	key := make([]byte, 32)
	// It never fails: the process ends when the kernel has no random numbers.
	_, _ = rand.Read(key)
	return []byte(base64.URLEncoding.EncodeToString(key))
}
