package keystone

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// at is a ring with keys named by letters, rotated and staged so long ago.
func at(keys map[int]string, rotated, staged time.Duration) ring {
	r := ring{keys: map[int][]byte{}, rotated: epoch.Add(-rotated), staged: epoch.Add(-staged)}
	for n, k := range keys {
		r.keys[n] = []byte(k)
	}
	return r
}

func TestTurn(t *testing.T) {
	hourly := policy{interval: time.Hour, keep: 4}
	cases := map[string]struct {
		ring ring
		p    policy
		want map[int]string // "new" is a key that was not there
		next time.Duration
	}{
		"empty":      {at(nil, 0, 0), hourly, map[int]string{0: "new", 1: "new"}, time.Hour},
		"no primary": {at(map[int]string{0: "a"}, 0, 0), hourly, map[int]string{0: "a", 1: "new"}, time.Hour},
		"no staged key": {at(map[int]string{3: "a", 4: "b"}, 0, 0), hourly, map[int]string{0: "new", 3: "a", 4: "b"},
			time.Hour},
		"rests": {at(map[int]string{0: "a", 1: "b"}, 40*time.Minute, 30*time.Minute), hourly,
			map[int]string{0: "a", 1: "b"}, 20 * time.Minute},
		"is due": {at(map[int]string{0: "a", 1: "b"}, time.Hour, 30*time.Minute), hourly,
			map[int]string{0: "a", 1: "b", 2: "a"}, settle},
		"staged too late": {at(map[int]string{0: "a", 1: "b"}, 5*time.Hour, time.Minute), hourly,
			map[int]string{0: "a", 1: "b"}, time.Minute},
		"promoted rests": {at(map[int]string{0: "a", 1: "b", 2: "a"}, time.Minute, time.Hour), hourly,
			map[int]string{0: "a", 1: "b", 2: "a"}, settle - time.Minute},
		"promoted settled": {at(map[int]string{0: "a", 1: "b", 2: "a"}, settle, time.Hour), hourly,
			map[int]string{0: "new", 1: "b", 2: "a"}, time.Hour - settle},
		"the oldest goes": {at(map[int]string{0: "a", 4: "b", 5: "c", 6: "d", 7: "a"}, settle, time.Hour), hourly,
			map[int]string{0: "new", 5: "c", 6: "d", 7: "a"}, time.Hour - settle},
		"fewer are kept": {at(map[int]string{0: "a", 4: "b", 5: "c", 6: "d", 7: "a"}, settle, time.Hour),
			policy{interval: time.Hour, keep: 3}, map[int]string{0: "new", 6: "d", 7: "a"}, time.Hour - settle},
		"held": {at(map[int]string{0: "a", 1: "b", 2: "a"}, 3*time.Hour, 4*time.Hour),
			policy{interval: time.Hour, keep: 3, held: true}, map[int]string{0: "a", 1: "b", 2: "a"}, 0},
		"held and fresh": {at(map[int]string{0: "a", 1: "b", 2: "a"}, time.Minute, 4*time.Hour),
			policy{interval: time.Hour, keep: 3, held: true}, map[int]string{0: "a", 1: "b", 2: "a"}, settle - time.Minute},
		"down for long": {at(map[int]string{0: "a", 1: "b", 2: "a"}, 100*time.Hour, 101*time.Hour), hourly,
			map[int]string{0: "new", 1: "b", 2: "a"}, settle},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(c.ring.keys)
			next := c.ring.turn(c.p, epoch)
			got := map[int]string{}
			for n, k := range c.ring.keys {
				got[n] = "new"
				for _, old := range before {
					if bytes.Equal(k, old) {
						got[n] = string(k)
					}
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the keys differ (-want +got):\n%s", diff)
			}
			if next != c.next {
				t.Errorf("it looks again after %s, want %s", next, c.next)
			}
		})
	}
}

func TestRingSurvivesItsSecret(t *testing.T) {
	r := load(nil, epoch)
	r.turn(policy{interval: time.Hour, keep: 3}, epoch)
	for _, key := range r.keys {
		if raw, err := base64.URLEncoding.DecodeString(string(key)); err != nil || len(raw) != 32 {
			t.Errorf("key %q is no Fernet key: %d bytes, %v", key, len(raw), err)
		}
	}
	again := load(r.data(), epoch.Add(time.Minute))
	if diff := cmp.Diff(r.data(), again.data()); diff != "" {
		t.Errorf("read again, it differs (-want +got):\n%s", diff)
	}
	if again.turn(policy{interval: time.Hour, keep: 3}, epoch.Add(time.Minute)); len(again.keys) != 2 {
		t.Errorf("a ring at rest was changed to %d keys", len(again.keys))
	}
}

// version is what the Secret held from a time on.
type version struct {
	from time.Time
	data map[string][]byte
}

// history rotates a ring for so long.
func history(p policy, d time.Duration) []version {
	var versions []version
	r := load(nil, epoch)
	for now := epoch; now.Before(epoch.Add(d)); {
		next := r.turn(p, now)
		if n := len(versions); n == 0 || !cmp.Equal(versions[n-1].data, r.data()) {
			versions = append(versions, version{now, r.data()})
		}
		r, now = load(r.data(), now), now.Add(next)
	}
	return versions
}

// mixed are the keys that a process gets that listed the files of one version and reads from the next.
func mixed(listed, read version) map[string]bool {
	keys := map[string]bool{}
	for name := range listed.data {
		if key, ok := read.data[name]; ok {
			keys[string(key)] = true
		}
	}
	return keys
}

// The kubelet swaps all files at once, but under a process that has already listed the names. Two pods may be up to
// settle apart. Whatever a process comes to see, it must have the key that any pod makes tokens with, and every key
// whose tokens are still good.
func TestNoReaderLacksAKey(t *testing.T) {
	const interval, life = 10 * time.Minute, 25 * time.Minute
	versions := history(policy{interval: interval, keep: 2 + 3}, 6*time.Hour)
	if len(versions) < 30 {
		t.Fatalf("there were %d versions; nothing rotated", len(versions))
	}
	for i, after := range versions[1:] {
		seen := mixed(versions[i], after)
		// A pod uses a version from when it was written until settle after the next one was.
		for j, used := range versions[:len(versions)-1] {
			end := versions[j+1].from.Add(settle)
			if used.from.After(after.from.Add(settle)) || end.Add(life).Before(after.from.Add(settle)) {
				continue
			}
			if r := load(used.data, epoch); !seen[string(r.keys[r.primary()])] {
				t.Errorf("a pod that goes from version %d to %d lacks the key of version %d", i, i+1, j)
			}
		}
	}
}

func TestKeyNamesAreNumbers(t *testing.T) {
	r := load(map[string][]byte{"0": []byte("a"), "7": []byte("b"), "x": []byte("c"), "-1": []byte("d"), "9": nil}, epoch)
	names := slices.Sorted(maps.Keys(r.keys))
	if diff := cmp.Diff([]int{0, 7}, names); diff != "" {
		t.Errorf("the names differ (-want +got):\n%s", diff)
	}
	for name := range r.data() {
		if _, err := strconv.Atoi(name); err != nil && name != keyRotated && name != keyStaged {
			t.Errorf("the Secret has the key %q", name)
		}
	}
}
