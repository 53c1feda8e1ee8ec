package openstack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// flood is a service whose answers are long, and counts the bytes that were read and not let go yet.
type flood struct {
	body []byte
	// said tells how long the body is beforehand.
	said bool

	flying, most, sent atomic.Int64
}

func (f *flood) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if f.said {
		w.Header().Set("Content-Length", strconv.Itoa(len(f.body)))
	}
	for part := range slices.Chunk(f.body, 1<<18) {
		n, err := w.Write(part)
		f.sent.Add(int64(n))
		f.note(f.flying.Add(int64(n)))
		if err != nil {
			return
		}
	}
}

// note keeps the most that was ever held.
func (f *flood) note(now int64) {
	for {
		most := f.most.Load()
		if now <= most || f.most.CompareAndSwap(most, now) {
			return
		}
	}
}

// let notes that an answer is done with.
func (f *flood) let(n int) { f.flying.Add(-int64(n)) }

// text is JSON with so many bytes and hardly any values.
func text(size int) []byte {
	return []byte(`{"x":"` + strings.Repeat("y", size-8) + `"}`)
}

// taken takes an answer, which lasts a second.
func (f *flood) taken(t *testing.T, s *Session, size int) {
	t.Helper()
	got := 0
	_, err := s.Do(t.Context(), Request{Service: "network", Path: "networks", Take: func(body []byte) {
		<-time.After(time.Second)
		got = len(body)
		f.let(got)
	}})
	if err != nil || got != size {
		t.Errorf("%d bytes, %v", got, err)
	}
}

// However many clouds answer at the same time, and however much: the operator holds no more than the memory that there
// is for answers, besides a little of each, and all get theirs in the end.
func TestLongAnswersShareMemory(t *testing.T) {
	for name, c := range map[string]struct {
		size, clouds int
		said         bool
		memory       int64
	}{
		"longest":       {longestBody, 6, true, 128 << 20},
		"longest, less": {longestBody - 1<<10, 3, true, 64 << 20},
		"pages":         {3 << 19, 60, true, 64 << 20},
		"pages, unsaid": {3 << 19, 60, false, 64 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &flood{body: text(c.size), said: c.said}
				cloud := newCloud("cloud.test")
				cloud.answer(f.ServeHTTP)
				p := newPool(t, Options{Memory: c.memory}, cloud)
				var all sync.WaitGroup
				for i := range c.clouds {
					all.Go(func() {
						s, err := p.Open(t.Context(), "ns/"+strconv.Itoa(i%20), cloud.config("alice"))
						if err != nil {
							t.Error(err)
							return
						}
						f.taken(t, s, c.size)
					})
				}
				all.Wait()
				beside := int64(min(c.clouds, 10) * 2 * small)
				if most := f.most.Load(); most > c.memory+beside || most < int64(c.size) {
					t.Errorf("%d MiB were held at a time, want at most %d", most>>20, (c.memory+beside)>>20)
				}
				if p.memory.used != 0 {
					t.Errorf("%d bytes are held in the end", p.memory.used)
				}
			})
		})
	}
}

// What is longer than an answer may be is refused before it is there, and so is what would take more memory once
// decoded than any service's answer does. The service itself works.
func TestAnswersThatAreRefused(t *testing.T) {
	dense := []byte("[" + strings.Repeat(`{"":0},`, 1<<16) + "0]")
	const none = "more than 1 MiB, which none of its kind has"
	for name, c := range map[string]struct {
		flood *flood
		taken bool
		want  string
	}{
		"too long":        {&flood{body: text(longestBody + 1), said: true}, true, "more than 64 MiB; ask for smaller pages"},
		"too long later":  {&flood{body: text(longestBody + 1)}, true, "more than 64 MiB; ask for smaller pages"},
		"no list":         {&flood{body: text(longestPlain + 1), said: true}, false, none},
		"no list, unsaid": {&flood{body: text(longestPlain + 1)}, false, none},
		"dense":           {&flood{body: dense, said: true}, true, "once decoded the answer takes more than the 4 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cloud := newCloud("cloud.test")
				cloud.answer(c.flood.ServeHTTP)
				p := newPool(t, Options{Memory: 64 << 20}, cloud)
				s := open(t, p, cloud.config("alice"))
				r := Request{Service: "network", Path: "networks"}
				if c.taken {
					r.Take = func([]byte) { t.Error("the answer was taken") }
				}
				for range 2 * breakAfter {
					_, err := s.Do(t.Context(), r)
					wants(t, err, Unknown, c.want)
				}
				if c.flood.said && len(c.flood.body) > longestPlain && c.flood.sent.Load() > int64(2*breakAfter*small) {
					t.Errorf("%d bytes were read", c.flood.sent.Load())
				}
				if p.memory.used != 0 {
					t.Errorf("%d bytes are held", p.memory.used)
				}
			})
		})
	}
}

// An error of any length is told by its beginning.
func TestLongErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := newCloud("cloud.test")
		cloud.answer(status(http.StatusConflict, `{"NeutronError": {"message": "It is in use."}}`+strings.Repeat(" ", 8<<20)))
		s := open(t, newPool(t, Options{}, cloud), cloud.config("alice"))
		_, err := s.Do(t.Context(), Request{Service: "network", Path: "networks"})
		wants(t, err, Conflict)
	})
}

// Who drips a long answer loses it, and holds up others no longer than that.
func TestDrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := newCloud("cloud.test")
		page := text(2 << 20)
		cloud.answer(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(page)))
			if strings.HasSuffix(r.URL.Path, "drip") {
				_, _ = w.Write(page[:1<<20])
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return
			}
			_, _ = w.Write(page)
		})
		p := newPool(t, Options{Memory: 16 << 20}, cloud)
		s := open(t, p, cloud.config("alice"))
		take := func([]byte) {}
		dripped := make(chan error)
		go func() {
			_, err := s.Do(t.Context(), Request{Service: "network", Path: "drip", Take: take})
			dripped <- err
		}()
		synctest.Wait()
		begin := time.Now()
		if _, err := s.Do(t.Context(), Request{Service: "compute", Path: "servers", Take: take}); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != haste {
			t.Errorf("another answer has waited for %s, want %s", took, haste)
		}
		wants(t, <-dripped, Unavailable, "longer than 256 KiB and did not come within 20s")
	})
}

// Who gets no memory in time says so, and nothing against the service.
func TestNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := newCloud("cloud.test")
		f := &flood{body: text(1 << 20), said: true}
		cloud.answer(f.ServeHTTP)
		p := newPool(t, Options{Memory: 8 << 20}, cloud)
		s := open(t, p, cloud.config("alice"))
		release := make(chan bool)
		var all sync.WaitGroup
		all.Go(func() {
			_, err := s.Do(t.Context(), Request{Service: "network", Path: "networks", Take: func([]byte) { <-release }})
			if err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		r := Request{Service: "compute", Path: "servers", Take: func([]byte) {}}
		for range breakAfter {
			_, err := s.Do(t.Context(), r)
			wants(t, err, Unknown, "there was no memory for the answer, which is longer than 256 KiB")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := s.Do(ctx, r); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who gave up is told %v", err)
		}
		close(release)
		all.Wait()
		if _, err := s.Do(t.Context(), r); err != nil {
			t.Error(err)
		}
	})
}

// A scope that wants much waits for others, too, and a large part gets its turn.
func TestBudgetTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &budget{size: 10}
		var mu sync.Mutex
		var order []string
		if err := b.take(t.Context(), "first", 10); err != nil {
			t.Fatal(err)
		}
		want := func(scope string, size int64) {
			go func() {
				if err := b.take(t.Context(), scope, size); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, scope)
				mu.Unlock()
				<-time.After(time.Second)
				b.give(size)
			}()
			synctest.Wait()
		}
		for range 5 {
			want("greedy", 6)
		}
		want("modest", 10)
		b.give(10)
		<-time.After(time.Minute)
		synctest.Wait()
		if len(order) != 6 || slices.Index(order, "modest") > 2 {
			t.Errorf("the order is %v", order)
		}
		if b.used != 0 || b.more(11) || !b.more(10) {
			t.Errorf("%d are used in the end", b.used)
		}
	})
}

// What services answer is let pass, and the estimate of what it takes is none too low, also for what nobody would send.
func TestWeight(t *testing.T) {
	const id = `"0c8e7f0e-5ba5-4a2c-9f6e-2f6f3a1f0b7d"`
	list := func(entry string) string { return `{"all": [` + strings.Repeat(entry+", ", 20_000) + entry + `]}` }
	for name, c := range map[string]struct {
		text string
		fits bool
	}{
		"ports": {list(`{"id": ` + id + `, "name": "", "network_id": ` + id + `,
			"tenant_id": "0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d", "mac_address": "fa:16:3e:00:00:01",
			"admin_state_up": true, "status": "ACTIVE", "device_id": ` + id + `,
			"device_owner": "compute:nova", "fixed_ips": [{"subnet_id": ` + id + `, "ip_address": "10.0.0.1"}],
			"security_groups": [` + id + `], "binding:vif_details": {"port_filter": true}, "tags": [],
			"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "revision_number": 4}`), true},
		"servers of hosts": {list(`{"uuid": ` + id + `, "name": "instance-00000001"}`), true},
		"assignments": {list(`{"scope": {"project": {"id": "0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d"}}, "role": {"id":
			"0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d"}, "user": {"id": "0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d"}, "links": {"assignment":
			"https://keystone.example.org/v3/projects/0c8e7f0e5ba54a2c9f6e2f6f3a1f0b7d/users/x/roles/y"}}`), true},
		"names":         {list(`"node-0001"`), true},
		"nothing":       {list(`{}`), false},
		"empty lists":   {list(`[]`), false},
		"single fields": {list(`{"":0}`), false},
		"numbers":       {list(`7`), false},
	} {
		t.Run(name, func(t *testing.T) {
			raw := []byte(c.text)
			estimate := weight(raw)
			if fits := estimate <= growth*int64(len(raw)); fits != c.fits {
				t.Errorf("%d bytes take %d, let pass: %t", len(raw), estimate, fits)
			}
			before := heap()
			var out any
			if err := json.Unmarshal(raw, &out); err != nil {
				t.Fatal(err)
			}
			took := heap() - before
			runtime.KeepAlive(out)
			if took > estimate*5/4 {
				t.Errorf("%d bytes took %d decoded, and %d were expected", len(raw), took, estimate)
			}
		})
	}
}
