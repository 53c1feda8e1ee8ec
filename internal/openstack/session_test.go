package openstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var get = Request{Service: "compute", Path: "servers"}

func TestOneSessionForManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		p := newPool(t, Options{}, c)
		var group sync.WaitGroup
		sessions := make([]*Session, 50)
		for i := range sessions {
			group.Go(func() { sessions[i] = open(t, p, c.config("alice")) })
		}
		group.Wait()
		if n := len(slices.Compact(sessions)); n != 1 {
			t.Errorf("one credential in one scope has %d sessions", n)
		}
		if n := c.logins("alice"); n != 1 {
			t.Errorf("%d authentications for 50 callers, want 1", n)
		}
		other, err := p.Open(t.Context(), "ns/other", c.config("alice"))
		if err != nil || other == sessions[0] {
			t.Errorf("another scope has the same session, or %v", err)
		}
	})
}

func TestWhatASessionTells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		if s.ProjectID() != "project-1" || s.UserID() != "user-alice" || s.DomainID() != "default" {
			t.Errorf("session is of project %s, user %s, domain %s", s.ProjectID(), s.UserID(), s.DomainID())
		}
		want := []string{"block-storage", "compute", "identity", "load-balancer", "network", "placement"}
		if diff := cmp.Diff(want, s.Services()); diff != "" {
			t.Errorf("services (-want +got):\n%s", diff)
		}
		_, err := s.Endpoint("volumev2")
		wants(t, err, Unavailable, "no public endpoint of service volumev2")
		if got, err := s.Endpoint("volumev3"); err != nil || got != "http://cloud.test/volumev3/v3/project-1" {
			t.Errorf("block storage is at %s, %v", got, err)
		}
	})
}

// sent is what a service gets of a request.
func sent(t *testing.T, r Request) (got *http.Request, body string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		c.answer(func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			body = string(b)
			status(http.StatusAccepted, `{"server": {"id": "1"}}`)(w, r)
		})
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		res, err := s.Do(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Code != 202 || string(res.Body) != `{"server": {"id": "1"}}` || res.RequestID != "req-of-service" {
			t.Errorf("answer is %+v", res)
		}
		got = c.requests()[0]
	})
	return got, body
}

func TestBodies(t *testing.T) {
	const patch = "application/openstack-images-v2.1-json-patch"
	for name, c := range map[string]struct {
		body             any
		kind, want, send string
	}{
		"none":   {nil, "", "", ""},
		"json":   {map[string]string{"name": "x"}, "application/json", `{"name":"x"}`, ""},
		"bytes":  {[]byte("raw"), "text/plain", "raw", "text/plain"},
		"patch":  {[]string{"op"}, patch, `["op"]`, patch},
		"stream": {strings.NewReader("stream"), "application/octet-stream", "stream", "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			r, body := sent(t, Request{Service: "network", Method: "POST", Path: "x", Body: c.body, ContentType: c.send})
			if body != c.want || r.Header.Get("Content-Type") != c.kind {
				t.Errorf("body is %q of type %s, want %q of %s", body, r.Header.Get("Content-Type"), c.want, c.kind)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	r, _ := sent(t, Request{Service: "compute", Path: "servers", Microversion: "2.96",
		Header: http.Header{"If-Match": {"x"}}, Query: url.Values{"all_tenants": {"1"}}})
	if got := r.Method + " " + r.URL.String(); got != "GET /compute/v2.1/servers?all_tenants=1" {
		t.Errorf("request is %s", got)
	}
	for k, want := range map[string]string{"Accept": "application/json", "X-Openstack-Nova-Api-Version": "2.96",
		"Openstack-Api-Version": "compute 2.96", "User-Agent": "stackwright", "If-Match": "x"} {
		if got := r.Header.Get(k); got != want {
			t.Errorf("%s is %q, want %q", k, got, want)
		}
	}
	if id := r.Header.Get("X-Openstack-Request-Id"); !strings.HasPrefix(id, "req-") || len(id) != 40 {
		t.Errorf("request id is %q", id)
	}
	r, _ = sent(t, Request{Service: "compute", RequestID: "req-mine"})
	if id := r.Header.Get("X-Openstack-Request-Id"); id != "req-mine" {
		t.Errorf("request id is %q", id)
	}
}

func TestTokenIsRenewedBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		p := newPool(t, Options{}, c)
		s := open(t, p, c.config("alice"))
		for at := time.Duration(0); at < 3*time.Hour; at += time.Minute {
			if _, err := s.Do(t.Context(), get); err != nil {
				t.Fatalf("after %s: %v", at, err)
			}
			if n := c.logins("alice"); at < 44*time.Minute && n != 1 {
				t.Fatalf("%d authentications after %s", n, at)
			}
			<-time.After(time.Minute)
		}
		if n := c.logins("alice"); n != 4 {
			t.Errorf("%d authentications in three lifetimes of a token, want 4", n)
		}
		for _, r := range c.requests() {
			if r.Header.Get("X-Auth-Token") == "" {
				t.Error("a request had no token")
			}
		}
	})
}

func TestRenewalThatFailsStopsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		var tries atomic.Int64
		c.guard(func(w http.ResponseWriter, r *http.Request) bool {
			tries.Add(1)
			status(502, "")(w, r)
			return true
		})
		<-time.After(52 * time.Minute)
		for range 7 * 60 {
			if _, err := s.Do(t.Context(), get); err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Second)
		}
		if n := tries.Load(); n < 3 || n > 25 {
			t.Errorf("Keystone was asked %d times in seven minutes, want some", n)
		}
		<-time.After(2 * time.Minute)
		_, err := s.Do(t.Context(), get)
		wants(t, err, Unavailable, "service identity")
		c.guard(nil)
		<-time.After(2 * time.Minute)
		if _, err := s.Do(t.Context(), get); err != nil {
			t.Error(err)
		}
	})
}

func TestRefusedTokenIsReplacedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		c.revoke()
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				if _, err := s.Do(t.Context(), Request{Service: "network", Method: "POST", Body: []byte("{}")}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if n := c.logins("alice"); n != 2 {
			t.Errorf("%d authentications, want 2", n)
		}
		c.revoke()
		_, err := s.Do(t.Context(), Request{Service: "network", Method: "PUT", Body: strings.NewReader("x")})
		wants(t, err, Unavailable, "stream")
		if _, err := s.Do(t.Context(), get); err != nil {
			t.Error(err)
		}
	})
}

func TestServiceThatRefusesNewTokensCostsNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		c.answer(status(401, `{"error": {"message": "no"}}`))
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		for range 10 {
			_, err := s.Do(t.Context(), get)
			wants(t, err, Auth)
		}
		if n := c.logins("alice"); n != 2 {
			t.Errorf("%d authentications, want 2", n)
		}
		<-time.After(distrust)
		_, err := s.Do(t.Context(), get)
		wants(t, err, Auth)
		if n := c.logins("alice"); n != 3 {
			t.Errorf("%d authentications after a minute, want 3", n)
		}
	})
}

func TestWrongPassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		p := newPool(t, Options{}, c)
		bad := c.config("alice")
		bad.Clouds = []byte(strings.Replace(string(bad.Clouds), password, "wrong-battery", 1))
		for range 60 {
			_, err := p.Open(t.Context(), "ns/secret", bad)
			wants(t, err, Auth, "Check user", "cloud test")
			if strings.Contains(err.Error(), "battery") {
				t.Fatalf("error %q tells the password", err)
			}
			<-time.After(time.Second)
		}
		if n := c.logins("alice"); n < 2 || n > 5 {
			t.Errorf("%d authentications in a minute of trying each second, want a few", n)
		}
		// The right password is another session, which waits for nothing.
		open(t, p, c.config("alice"))
	})
}

func TestOpenThatFails(t *testing.T) {
	html := "<html><body>Welcome</body></html>"
	for name, c := range map[string]struct {
		edit  func(*cloud, *Config)
		class Class
		want  string
	}{
		"nobody there": {func(_ *cloud, c *Config) {
			c.Clouds = []byte(strings.Replace(string(c.Clouds), "cloud.test", "nowhere.test", 1))
		}, Unavailable, "nowhere.test: dial: connection refused"},
		"another region": {func(_ *cloud, c *Config) { c.Region = "Mars" }, Invalid,
			`no region "Mars"; choose one of RegionOne`},
		"no project": {func(c *cloud, _ *Config) { c.catalog = func() any { return []any{} } }, Invalid,
			"add project_id"},
		"no keystone": {func(c *cloud, _ *Config) {
			c.keystone = func(w http.ResponseWriter, r *http.Request) bool { status(404, html)(w, r); return true }
		}, Unavailable, "no OpenStack service answers"},
		"other path": {func(c *cloud, _ *Config) {
			c.keystone = func(w http.ResponseWriter, r *http.Request) bool {
				status(404, `{}`, "Content-Type", "application/json")(w, r)
				return true
			}
		}, Unavailable, "correct auth_url"},
		"web site": {func(c *cloud, _ *Config) {
			c.keystone = func(w http.ResponseWriter, r *http.Request) bool { status(200, html)(w, r); return true }
		}, Unavailable, "is no Keystone"},
		"redirect": {func(c *cloud, _ *Config) {
			c.keystone = func(w http.ResponseWriter, r *http.Request) bool {
				status(301, "", "Location", "https://elsewhere.test/v3")(w, r)
				return true
			}
		}, Unknown, "https://elsewhere.test/v3"},
		"hangs": {func(c *cloud, _ *Config) { c.keystone = hang }, Unavailable, "no answer from cloud.test within 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cl := newCloud("cloud.test")
				config := cl.config("alice")
				c.edit(cl, &config)
				s, err := newPool(t, Options{}, cl).Open(t.Context(), "ns/secret", config)
				wants(t, err, c.class, c.want)
				if s != nil {
					t.Error("there is a session besides the error")
				}
			})
		})
	}
}

func TestServiceThatIsAddedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		dns := Request{Service: "dns", Path: "zones"}
		_, err := s.Do(t.Context(), dns)
		wants(t, err, Unavailable,
			"no public endpoint of service dns; add it to those that there are: block-storage, compute")
		c.answer(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/identity/v3/auth/catalog" {
				fmt.Fprint(w, `{"catalog": [
					{"type": "dns", "endpoints": [{"interface": "public", "url": "http://cloud.test/dns"}]},
					{"type": "identity", "endpoints": [{"interface": "public", "url": "http://cloud.test/identity"}]}]}`)
			}
		})
		_, err = s.Do(t.Context(), dns)
		wants(t, err, Unavailable, "dns")
		<-time.After(rereadAfter)
		if _, err = s.Do(t.Context(), dns); err != nil {
			t.Error(err)
		}
		if n := c.logins("alice"); n != 1 {
			t.Errorf("%d authentications, want 1", n)
		}
	})
}

func TestServiceInSeveralRegions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		c.catalog = func() any {
			return []any{
				offerOf("compute", "North", "http://cloud.test/n"), offerOf("compute", "South", "http://cloud.test/s"),
				offerOf("identity", "North", "http://cloud.test/i"), offerOf("identity", "South", "http://cloud.test/i")}
		}
		p := newPool(t, Options{}, c)
		s := open(t, p, c.config("alice"))
		_, err := s.Endpoint("compute")
		wants(t, err, Invalid, "region_name to one of North, South")
		if got, err := s.Endpoint("identity"); err != nil || got != "http://cloud.test/i/v3" {
			t.Errorf("identity is at %s, %v", got, err)
		}
		config := c.config("alice")
		config.Region, config.Interface = "South", "internal"
		if got, err := open(t, p, config).Endpoint("compute"); err != nil || got != "http://in.cloud.test/s/v2.1" {
			t.Errorf("compute is at %s, %v", got, err)
		}
	})
}

func TestMicroversions(t *testing.T) {
	for name, c := range map[string]struct{ service, path, body, header, lowest, highest string }{
		"nova": {"compute", "/compute/v2.1/",
			`{"version": {"id": "v2.1", "version": "2.96", "min_version": "2.1"}}`, "", "2.1", "2.96"},
		"cinder": {"volumev3", "/volumev3/v3/", `{"versions": [{"id": "v2.0", "version": "", "min_version": ""},
			{"id": "v3.0", "version": "3.71", "min_version": "3.0"}]}`, "", "3.0", "3.71"},
		"placement": {"placement", "/placement/",
			`{"versions": [{"id": "v1.0", "max_version": "1.39", "min_version": "1.0"}]}`, "", "1.0", "1.39"},
		"headers": {"load-balancer", "/load-balancer/v2.0/", `[]`, "thing 1.11", "thing 1.11", "1.11"},
		"none":    {"network", "/network/v2.0/", `{"resources": []}`, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cl := newCloud("cloud.test")
				cl.answer(status(300, c.body,
					"OpenStack-API-Maximum-Version", c.header, "OpenStack-API-Minimum-Version", c.header))
				s := open(t, newPool(t, Options{}, cl), cl.config("alice"))
				for range 3 {
					lowest, highest, err := s.Microversions(t.Context(), c.service)
					if err != nil || lowest != lastWord(c.lowest) || highest != c.highest {
						t.Errorf("microversions %q to %q, %v", lowest, highest, err)
					}
				}
				if seen := cl.requests(); len(seen) != 1 || seen[0].URL.Path != c.path {
					t.Errorf("%d requests, the first to %s; want one to %s", len(seen), seen[0].URL.Path, c.path)
				}
			})
		})
	}
}

func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		p := newPool(t, Options{Idle: time.Hour}, c)
		s := open(t, p, c.config("alice"))
		s.Close()
		_, err := s.Do(t.Context(), get)
		wants(t, err, Unavailable, "is closed; open it again")
		old := open(t, p, c.config("old"))
		for range 5 {
			<-time.After(30 * time.Minute)
			open(t, p, c.config("new"))
		}
		if n := p.Len(); n != 1 {
			t.Errorf("%d sessions are left, want that which is opened all the time", n)
		}
		if n := len(p.entries); n > 1 {
			t.Errorf("%d configurations are kept, want at most that which is opened all the time", n)
		}
		// Who still holds one that was forgotten may use it.
		if _, err := old.Do(t.Context(), get); err != nil {
			t.Error(err)
		}
		p.Close()
		if len(p.sessions)+len(p.transports.byTLS)+len(p.entries) != 0 {
			t.Errorf("%d sessions, %d transports and %d configurations are left", len(p.sessions),
				len(p.transports.byTLS), len(p.entries))
		}
		_, err = p.Open(t.Context(), "ns/secret", c.config("alice"))
		wants(t, err, Unavailable, "closed")
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		start, early, late := time.Now(), 0, 0
		until := start.Add(20 * time.Second)
		c.answer(func(w http.ResponseWriter, r *http.Request) {
			switch at := time.Now(); {
			case !strings.HasPrefix(r.URL.Path, "/compute"):
			case at.Equal(start):
				status(429, "slow down", "Retry-After", until.UTC().Format(http.TimeFormat))(w, r)
			case at.Before(until):
				early++
			default:
				late++
			}
		})
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		_, err := s.Do(t.Context(), get)
		wants(t, err, RateLimited, "slow down")
		for range 30 {
			<-time.After(time.Second)
			_, err = s.Do(t.Context(), get)
			if d := pauseOf(err); err != nil && d > time.Until(until) {
				t.Errorf("the pause is said to be %s, it is %s", d, time.Until(until))
			}
			if _, err = s.Do(t.Context(), Request{Service: "network"}); err != nil {
				t.Errorf("another service has to wait: %v", err)
			}
		}
		if early > 0 || late < 10 {
			t.Errorf("%d requests came in the pause, %d after it", early, late)
		}
	})
}

func TestOneDeadServiceOfACloud(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		c.answer(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/load-balancer") {
				status(503, "")(w, r)
			}
		})
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		for i := range 50 {
			_, err := s.Do(t.Context(), Request{Service: "load-balancer", Path: "lbaas"})
			wants(t, err, Unavailable, "load-balancer")
			if i > breakAfter && codeOf(nil, err) != 0 {
				t.Error("a request was sent although the breaker is open")
			}
			if _, err = s.Do(t.Context(), get); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestCallersWhoGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCloud("cloud.test")
		c.answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		s := open(t, newPool(t, Options{}, c), c.config("alice"))
		for range 2 * breakAfter {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := s.Do(ctx, get)
			wants(t, err, Unavailable, "gave up")
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v does not say why", err)
			}
		}
		c.answer(status(200, "{}"))
		if _, err := s.Do(t.Context(), get); err != nil {
			t.Errorf("callers who gave up opened the breaker: %v", err)
		}
	})
}
