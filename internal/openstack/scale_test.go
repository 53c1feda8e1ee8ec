package openstack

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Two hundred credentials of one cloud, each used every minute by some callers at once, for two lifetimes of a token.
func TestTokensOfManyCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lifetimes = 2
		credentials := 200
		if testing.Short() {
			credentials = 20 // The race detector makes the rest slow.
		}
		c := newCloud("cloud.test")
		c.life = 20 * time.Minute
		p := newPool(t, Options{}, c)
		minutes := lifetimes * int(c.life/time.Minute)
		for range minutes {
			var group sync.WaitGroup
			for i := range credentials {
				for range 2 {
					group.Go(func() { ask(t, p, c, fmt.Sprintf("user-%d", i)) })
				}
			}
			group.Wait()
			<-time.After(time.Minute)
		}
		most := 0
		for i := range credentials {
			most = max(most, c.logins(fmt.Sprintf("user-%d", i)))
		}
		t.Logf("%d requests, at most %d logins of a credential in %d lifetimes; %d sessions; %d connections, %d at once",
			2*credentials*minutes, most, lifetimes, p.Len(), c.opened, c.most)
		if most > 2*lifetimes {
			t.Errorf("a credential was authenticated %d times in %d lifetimes", most, lifetimes)
		}
		// Two services of ten parallel requests each, what is idle, and what is dialled in vain: none for each session.
		if limit := 3 * idlePerHost; c.most > limit {
			t.Errorf("%d connections were open at once, want at most %d", c.most, limit)
		}
	})
}

// ask opens a session and sends one request.
func ask(t *testing.T, p *Pool, c *cloud, user string) {
	t.Helper()
	s, err := p.Open(t.Context(), "ns/"+user, c.config(user))
	if err == nil {
		_, err = s.Do(t.Context(), get)
	}
	if err != nil {
		t.Error(err)
	}
}

// Callers that go over twenty clouds, one of which accepts connections and never answers.
func TestOneCloudThatHangs(t *testing.T) {
	quiet := slowest(t, -1)
	hanging := slowest(t, 7)
	t.Logf("slowest request of the good clouds: %s, with one cloud that hangs %s", quiet, hanging)
	if hanging > quiet+quiet/10 {
		t.Errorf("the slowest request took %s with a cloud that hangs, %s without", hanging, quiet)
	}
}

// slowest returns how long the slowest request took at clouds that do not hang. Services need 100 ms for an answer.
func slowest(t *testing.T, hangs int) (longest time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var clouds []*cloud
		for i := range 20 {
			c := newCloud(fmt.Sprintf("cloud-%d.test", i))
			c.answer(func(w http.ResponseWriter, r *http.Request) {
				if i == hangs {
					hang(w, r)
				}
				<-time.After(100 * time.Millisecond)
			})
			clouds = append(clouds, c)
		}
		p := newPool(t, Options{}, clouds...)
		var mu sync.Mutex
		var group sync.WaitGroup
		for i, c := range clouds {
			for range 5 {
				group.Go(func() {
					d := visits(t, p, c, i == hangs)
					mu.Lock()
					defer mu.Unlock()
					longest = max(longest, d)
				})
			}
		}
		group.Wait()
	})
	return longest
}

// visits sends a hundred requests to a cloud and returns how long the slowest took, zero when the cloud hangs.
func visits(t *testing.T, p *Pool, c *cloud, hangs bool) (longest time.Duration) {
	t.Helper()
	for range 100 {
		start := time.Now()
		_, err := open(t, p, c.config("alice")).Do(t.Context(), get)
		if hangs {
			wants(t, err, Unavailable)
			<-time.After(time.Second)
			continue
		}
		if err != nil {
			t.Error(err)
		}
		longest = max(longest, time.Since(start))
	}
	return longest
}

// Sessions must be small: there is one for each Secret of a cluster.
func TestSizeOfSessions(t *testing.T) {
	c := newCloud("")
	serve(t, c)
	p := NewPool(Options{})
	t.Cleanup(p.Close)
	fast := Limits{"": {Rate: maxRate, Burst: 1000}}
	before := heap()
	const n = 500
	for i := range n {
		config := c.config("alice")
		config.Limits = fast
		if _, err := p.Open(t.Context(), fmt.Sprint(i), config); err != nil {
			t.Fatal(err)
		}
	}
	each := (heap() - before) / n
	t.Logf("a session has %d bytes", each)
	if each > 40<<10 {
		t.Errorf("a session has %d bytes", each)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkOpen(b *testing.B) {
	c := newCloud("")
	serve(b, c)
	p := NewPool(Options{})
	defer p.Close()
	config := c.config("alice")
	for b.Loop() {
		if _, err := p.Open(b.Context(), "ns/secret", config); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDo(b *testing.B) {
	c := newCloud("")
	serve(b, c)
	p := NewPool(Options{})
	defer p.Close()
	config := c.config("alice")
	config.Limits = Limits{"": {Rate: maxRate, Burst: 1e6, Parallel: 100}}
	s, err := p.Open(b.Context(), "ns/secret", config)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Do(b.Context(), get); err != nil {
			b.Fatal(err)
		}
	}
}
