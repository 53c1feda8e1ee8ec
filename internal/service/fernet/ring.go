// Package fernet keeps rings of Fernet keys in Secrets and rotates them under pods that read them.
package fernet

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"
)

// Keys of a Secret with a ring beside the keys themselves, whose names are numbers. Keystone passes over what is none.
const (
	keyRotated = "rotated"
	keyStaged  = "staged"
	keyLife    = "life"
	keyEnd     = "end-" // and the number of a key
)

// settle is how long a change of a ring needs to reach every pod: a kubelet looks at its Secrets every 60 to 90
// seconds.
const settle = 2 * time.Minute

// Ring is a key repository as Keystone reads it: key 0 is staged, to be the next primary; the highest is the primary,
// which makes tokens; all of them are tried on tokens that come in.
//
// keystone-manage renames key 0 to the highest number and makes a new key 0 in one go. Here that is two changes, settle
// apart: first key 0 is put at the highest number as well, then a new key 0 takes its place and the oldest goes. So at
// no time a pod lacks a key that another pod already uses, not even while the kubelet swaps the files under a process
// that has listed the old ones.
type Ring struct {
	keys map[int][]byte
	// rotated is when the primary was made primary, staged when key 0 was made.
	rotated, staged time.Time
	// life is the longest that any token of the primary lives, ends when the last token of a former primary ends: how
	// tokens are made may have changed since.
	life time.Duration
	ends map[int]time.Time
}

// Policy says how a ring is rotated.
type Policy struct {
	// Interval is how long a key is the primary.
	Interval time.Duration
	// Life is how long what a key makes now is good, and Window how much longer somebody may come with it; without a life
	// nothing ends.
	Life, Window time.Duration
	// Keep is the number of keys in a ring at rest.
	Keep int
	// Held keeps the ring from making room: what the oldest key encrypted is still in use.
	Held bool
}

// Check refuses the data of a Secret in which a key is none that Fernet takes. One such key, be it the staged one,
// fails every token, and a Secret that goes on to its copy takes what the key was with it.
func Check(secret string, have map[string][]byte) error {
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if n, err := strconv.Atoi(name); err != nil || n < 0 || valid(have[name]) {
			continue
		}
		return outcome.Invalidf("key %s of Secret %s is no Fernet key, which is 32 bytes in URL-safe base64; delete that "+
			"Secret, and it comes back as it was", name, secret)
	}
	return nil
}

// valid reads a key as Python's base64.urlsafe_b64decode does, which passes over white space and takes both alphabets.
func valid(key []byte) bool {
	text := strings.NewReplacer("+", "-", "/", "_").Replace(strings.Join(strings.Fields(string(key)), ""))
	raw, err := base64.URLEncoding.DecodeString(text)
	return err == nil && len(raw) == 32
}

// Load reads a ring from a Secret. Without times, as after a restore, everything counts from now.
func Load(have map[string][]byte, now time.Time) Ring {
	r := Ring{keys: map[int][]byte{}, ends: map[int]time.Time{}, rotated: now, staged: now}
	for name, key := range have {
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && len(key) > 0 {
			r.keys[n] = key
			if t, err := time.Parse(time.RFC3339, string(have[keyEnd+name])); err == nil {
				r.ends[n] = t
			}
		}
	}
	if d, err := time.ParseDuration(string(have[keyLife])); err == nil {
		r.life = d
	}
	if t, err := time.Parse(time.RFC3339, string(have[keyRotated])); err == nil {
		r.rotated = t
	}
	if t, err := time.Parse(time.RFC3339, string(have[keyStaged])); err == nil {
		r.staged = t
	}
	return r
}

// Data is what a Secret holds of the ring.
func (r Ring) Data() map[string][]byte {
	data := map[string][]byte{
		keyRotated: []byte(r.rotated.UTC().Format(time.RFC3339)),
		keyStaged:  []byte(r.staged.UTC().Format(time.RFC3339)),
	}
	if r.life > 0 {
		data[keyLife] = []byte(r.life.String())
	}
	for n, key := range r.keys {
		data[strconv.Itoa(n)] = key
		if end, known := r.ends[n]; known {
			data[keyEnd+strconv.Itoa(n)] = []byte(end.UTC().Format(time.RFC3339))
		}
	}
	return data
}

// Empty tells that the ring has no key at all.
func (r Ring) Empty() bool { return len(r.keys) == 0 }

// Primary is the number of the key that encrypts; of an empty ring there is none.
func (r Ring) Primary() int { return slices.Max(slices.Collect(maps.Keys(r.keys))) }

// promoted tells that the staged key is the primary already.
func (r Ring) promoted() bool { return bytes.Equal(r.keys[0], r.keys[r.Primary()]) }

// Turn makes the change that is due, if any, and returns when to look again; 0 is not before something else changes.
func (r *Ring) Turn(p Policy, now time.Time) time.Duration {
	r.life = max(r.life, p.Life)
	switch {
	case len(r.keys) < 2 || r.keys[0] == nil:
		r.begin(now)
	case r.promoted() && !now.Before(r.rotated.Add(settle)) && !p.Held:
		r.stage(p, now)
	case !r.promoted() && !now.Before(r.due(p)):
		r.retire(r.Primary(), now)
		r.keys[r.Primary()+1], r.rotated, r.life = r.keys[0], now, p.Life
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
func (r *Ring) due(p Policy) time.Time {
	due := r.rotated.Add(p.Interval)
	if settled := r.staged.Add(settle); settled.After(due) {
		return settled
	}
	return due
}

// begin completes a ring that has no staged key or no primary, and keeps what is there.
func (r *Ring) begin(now time.Time) {
	if len(r.keys) == 0 || (len(r.keys) == 1 && r.keys[0] != nil) {
		r.keys[1] = NewKey()
	}
	if r.keys[0] == nil {
		r.keys[0] = NewKey()
	}
	r.rotated, r.staged = now, now
}

// retire notes when the last token of a key ends that is not to make any more. Some pods make tokens with it until they
// have settled.
func (r *Ring) retire(n int, now time.Time) {
	if r.life > 0 {
		r.ends[n] = now.Add(settle).Add(r.life)
	}
}

// stage makes a new staged key and lets those go that are more than enough and of which nothing is good any more.
func (r *Ring) stage(p Policy, now time.Time) {
	r.keys[0], r.staged = NewKey(), now
	for _, n := range slices.Sorted(maps.Keys(r.keys)) {
		if n == 0 || n == r.Primary() {
			continue
		}
		if _, known := r.ends[n]; !known {
			r.retire(n, now) // of a ring from before this was noted
		}
		if len(r.keys) > p.Keep && !now.Before(r.ends[n].Add(p.Window)) {
			delete(r.keys, n)
		}
	}
}

// NewKey is 32 random bytes in the URL-safe alphabet, as Fernet wants them.
func NewKey() []byte {
	key := make([]byte, 32)
	// It never fails: the process ends when the kernel has no random numbers.
	_, _ = rand.Read(key)
	return []byte(base64.URLEncoding.EncodeToString(key))
}
