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
		const credentials, lifetimes = 200, 2
		c := newCloud("cloud.test")
		c.life = 20 * time.Minute
		p := newPool(t, Options{}, c)
		calls := 0
		for range lifetimes * int(c.life/time.Minute) {
			var group sync.WaitGroup
			for i := range credentials {
				group.Go(func() {
					user := fmt.Sprintf("user-%d", i)
					s, err := p.Open(t.Context(), "ns/"+user, c.config(user))
					if err != nil {
						t.Error(err)
						return
					}
					for range 2 {
						group.Go(func() {
							if _, err := s.Do(t.Context(), get); err != nil {
								t.Error(err)
							}
						})
					}
				})
			}
			group.Wait()
			calls += 2 * credentials
			<-time.After(time.Minute)
		}
		most := 0
		for i := range credentials {
			most = max(most, c.logins(fmt.Sprintf("user-%d", i)))
		}
		if most > 2*lifetimes {
			t.Errorf("a credential was authenticated %d times in %d lifetimes", most, lifetimes)
		}
		if n := c.conns.Load(); n > int64(calls)/100 {
			t.Errorf("%d connections were opened for %d requests", n, calls)
		}
		t.Logf("%d requests, at most %d authentications of a credential in %d lifetimes, %d connections, %d sessions",
			calls, most, lifetimes, c.conns.Load(), p.Len())
	})
}

// Callers that go over twenty clouds, one of which accepts connections and never answers.
func TestOneCloudThatHangs(t *testing.T) {
	quiet := rounds(t, func(int) bool { return false })
	hanging := rounds(t, func(i int) bool { return i == 7 })
	t.Logf("slowest request of the good clouds: %s, with one cloud that hangs %s", quiet, hanging)
	if hanging > quiet+quiet/10 {
		t.Errorf("the slowest request took %s with a cloud that hangs, %s without", hanging, quiet)
	}
}

// rounds returns how long the slowest request took at clouds that do not hang. Services need 100 ms for an answer.
func rounds(t *testing.T, hangs func(int) bool) (slowest time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var clouds []*cloud
		for i := range 20 {
			c := newCloud(fmt.Sprintf("cloud-%d.test", i))
			c.handle = func(_ http.ResponseWriter, r *http.Request) {
				if hangs(i) {
					<-r.Context().Done()
				}
				<-time.After(100 * time.Millisecond)
			}
			clouds = append(clouds, c)
		}
		p := newPool(t, Options{}, clouds...)
		var mu sync.Mutex
		var group sync.WaitGroup
		for i, c := range clouds {
			for range 5 {
				group.Go(func() {
					for range 100 {
						start := time.Now()
						_, err := open(t, p, c.config("alice")).Do(t.Context(), get)
						if hangs(i) {
							wants(t, err, Unavailable)
							<-time.After(time.Second)
							continue
						}
						if err != nil {
							t.Error(err)
						}
						mu.Lock()
						slowest = max(slowest, time.Since(start))
						mu.Unlock()
					}
				})
			}
		}
		group.Wait()
	})
	return slowest
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
	if each > 20<<10 {
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
