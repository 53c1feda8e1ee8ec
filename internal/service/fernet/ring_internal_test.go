package fernet

import (
	"bytes"
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// at is a ring with keys named by letters, rotated and staged so long ago.
func at(keys map[int]string, rotated, staged time.Duration) Ring {
	r := Ring{keys: map[int][]byte{}, rotated: epoch.Add(-rotated), staged: epoch.Add(-staged)}
	for n, k := range keys {
		r.keys[n] = []byte(k)
	}
	return r
}

func TestTurn(t *testing.T) {
	hourly := Policy{Interval: time.Hour, Keep: 4}
	cases := map[string]struct {
		ring Ring
		p    Policy
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
			Policy{Interval: time.Hour, Keep: 3}, map[int]string{0: "new", 6: "d", 7: "a"}, time.Hour - settle},
		"held": {at(map[int]string{0: "a", 1: "b", 2: "a"}, 3*time.Hour, 4*time.Hour),
			Policy{Interval: time.Hour, Keep: 3, Held: true}, map[int]string{0: "a", 1: "b", 2: "a"}, 0},
		"held and fresh": {at(map[int]string{0: "a", 1: "b", 2: "a"}, time.Minute, 4*time.Hour),
			Policy{Interval: time.Hour, Keep: 3, Held: true}, map[int]string{0: "a", 1: "b", 2: "a"}, settle - time.Minute},
		"down for long": {at(map[int]string{0: "a", 1: "b", 2: "a"}, 100*time.Hour, 101*time.Hour), hourly,
			map[int]string{0: "new", 1: "b", 2: "a"}, settle},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := maps.Clone(c.ring.keys)
			next := c.ring.Turn(c.p, epoch)
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
	r := Load(nil, epoch)
	r.Turn(Policy{Interval: time.Hour, Keep: 3}, epoch)
	for _, key := range r.keys {
		if raw, err := base64.URLEncoding.DecodeString(string(key)); err != nil || len(raw) != 32 {
			t.Errorf("key %q is no Fernet key: %d bytes, %v", key, len(raw), err)
		}
	}
	again := Load(r.Data(), epoch.Add(time.Minute))
	if diff := cmp.Diff(r.Data(), again.Data()); diff != "" {
		t.Errorf("read again, it differs (-want +got):\n%s", diff)
	}
	if again.Turn(Policy{Interval: time.Hour, Keep: 3}, epoch.Add(time.Minute)); len(again.keys) != 2 {
		t.Errorf("a ring at rest was changed to %d keys", len(again.keys))
	}
}

// version is what the Secret held from a time on.
type version struct {
	from time.Time
	data map[string][]byte
}

// change is of one policy to another.
type change struct {
	before, after Policy
	at            time.Time
}

// history rotates a ring for so long.
func (c change) history(d time.Duration) []version {
	var versions []version
	r := Load(nil, epoch)
	for now := epoch; now.Before(epoch.Add(d)); {
		p := c.before
		if !now.Before(c.at) {
			p = c.after
		}
		next := r.Turn(p, now)
		if now.Before(c.at) && now.Add(next).After(c.at) {
			next = c.at.Sub(now)
		}
		if n := len(versions); n == 0 || !cmp.Equal(versions[n-1].data, r.Data()) {
			versions = append(versions, version{now, r.Data()})
		}
		r, now = Load(r.Data(), now), now.Add(next)
	}
	return versions
}

// lasts is when the last token ends that was made between two times.
func (c change) lasts(from, to time.Time) time.Time {
	var ends []time.Time
	if from.Before(c.at) {
		made := slices.MinFunc([]time.Time{to, c.at}, time.Time.Compare)
		ends = append(ends, made.Add(c.before.Life+c.after.Window))
	}
	if !to.Before(c.at) {
		ends = append(ends, to.Add(c.after.Life+c.after.Window))
	}
	return slices.MaxFunc(ends, time.Time.Compare)
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
// whose tokens are still good, also of those that were made before somebody changed how keys rotate.
func TestNoReaderLacksAKey(t *testing.T) {
	often := Policy{Interval: 10 * time.Minute, Life: 20 * time.Minute, Window: 5 * time.Minute, Keep: 2 + 3}
	for name, c := range map[string]struct{ before, after Policy }{
		"as ever": {often, often},
		"less often": {Policy{Interval: 10 * time.Minute, Life: 2 * time.Hour, Window: time.Hour, Keep: 2 + 18},
			Policy{Interval: time.Hour, Life: 2 * time.Hour, Window: time.Hour, Keep: 2 + 3}},
		"more often": {often,
			Policy{Interval: 5 * time.Minute, Life: 20 * time.Minute, Window: 5 * time.Minute, Keep: 2 + 5}},
		"shorter lives": {Policy{Interval: 10 * time.Minute, Life: 2 * time.Hour, Window: 5 * time.Minute, Keep: 2 + 13},
			often},
		"longer lives": {often, Policy{Interval: 10 * time.Minute, Life: 2 * time.Hour, Keep: 2 + 12}},
		"rarer, shorter": {Policy{Interval: 10 * time.Minute, Life: 2 * time.Hour, Keep: 2 + 12},
			Policy{Interval: time.Hour, Life: time.Minute, Keep: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			c := change{c.before, c.after, epoch.Add(3*time.Hour + 7*time.Minute)}
			versions := c.history(9 * time.Hour)
			if len(versions) < 20 {
				t.Fatalf("there were %d versions; nothing rotated", len(versions))
			}
			for j, used := range versions[:len(versions)-1] {
				// A pod uses a version from when it was written until settle after the next one was.
				lasts := c.lasts(used.from, versions[j+1].from.Add(settle))
				r := Load(used.data, epoch)
				for i, after := range versions[1:] {
					at := after.from.Add(settle)
					if !used.from.After(at) && !lasts.Before(at) && !mixed(versions[i], after)[string(r.keys[r.Primary()])] {
						t.Errorf("a pod that goes from version %d to %d lacks the key of version %d", i, i+1, j)
					}
				}
			}
			if last := len(Load(versions[len(versions)-1].data, epoch).keys); last > c.after.Keep+1 {
				t.Errorf("in the end there are %d keys, at most %d are needed", last, c.after.Keep)
			}
		})
	}
}

func TestKeyNamesAreNumbers(t *testing.T) {
	r := Load(map[string][]byte{"0": []byte("a"), "7": []byte("b"), "x": []byte("c"), "-1": []byte("d"), "9": nil}, epoch)
	names := slices.Sorted(maps.Keys(r.keys))
	if diff := cmp.Diff([]int{0, 7}, names); diff != "" {
		t.Errorf("the names differ (-want +got):\n%s", diff)
	}
	for name := range r.Data() {
		if _, err := strconv.Atoi(name); err != nil && name != keyRotated && name != keyStaged {
			t.Errorf("the Secret has the key %q", name)
		}
	}
}

// What Python's decoder takes is a key: with white space around it, as a file has it, and in either alphabet.
func TestCheckTakesWhatFernetTakes(t *testing.T) {
	key := []byte(strings.Repeat("-_", 21) + "8=")
	for what, c := range map[string]struct {
		key   []byte
		right bool
	}{
		"made":             {NewKey(), true},
		"URL-safe":         {key, true},
		"with a line end":  {append(bytes.Clone(key), '\n'), true},
		"standard":         {[]byte(strings.Repeat("+/", 21) + "8="), true},
		"without its end":  {key[:43], false},
		"31 bytes":         {[]byte(base64.URLEncoding.EncodeToString(make([]byte, 31))), false},
		"33 bytes":         {[]byte(base64.URLEncoding.EncodeToString(make([]byte, 33))), false},
		"a password":       {[]byte("correct horse"), false},
		"nothing, by hand": {nil, false},
	} {
		err := Check("ring", map[string][]byte{"0": NewKey(), "7": c.key, keyStaged: []byte("x")})
		if (err == nil) != c.right || err != nil && !strings.Contains(err.Error(), "key 7 of Secret ring") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
