package endpoint

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func ask(t *testing.T, e *Endpoint, method, path, body string) (code int, answer string, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://endpoint.test"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: e}).Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw), nil
}

func TestResources(t *testing.T) {
	e := New()
	for _, c := range []struct {
		method, path, body, want string
		code                     int
	}{
		{http.MethodPost, "/things", `{"name":"a"}`, `{"id":"things-1","name":"a"}`, http.StatusCreated},
		{http.MethodPost, "/things", `{"name":"b"}`, `{"id":"things-2","name":"b"}`, http.StatusCreated},
		{http.MethodGet, "/things", ``, `[{"id":"things-1","name":"a"},{"id":"things-2","name":"b"}]`, http.StatusOK},
		{http.MethodGet, "/things?name=b", ``, `[{"id":"things-2","name":"b"}]`, http.StatusOK},
		{http.MethodPatch, "/things/things-2", `{"tag":"x"}`, `{"id":"things-2","name":"b","tag":"x"}`, http.StatusOK},
		{http.MethodDelete, "/things/things-1", ``, ``, http.StatusNoContent},
		{http.MethodGet, "/things/things-1", ``, `{"error":"there is no things-1"}`, http.StatusNotFound},
		{http.MethodPut, "/things/mine", `{"name":"c"}`, `{"id":"mine","name":"c"}`, http.StatusCreated},
		{http.MethodPost, "/things", `{`, `{"error":"unexpected end of JSON input"}`, http.StatusBadRequest},
	} {
		code, got, err := ask(t, e, c.method, c.path, c.body)
		if err != nil || code != c.code || got != c.want {
			t.Errorf("%s %s: got %d %s %v, want %d %s", c.method, c.path, code, got, err, c.code, c.want)
		}
	}
	if got, want := e.Snapshot(), "  things {\"name\":\"b\",\"tag\":\"x\"}\n  things {\"name\":\"c\"}\n"; got != want {
		t.Errorf("got snapshot %q, want %q", got, want)
	}
}

func TestBreak(t *testing.T) {
	for point, c := range map[Point]struct {
		made, code int
		killed     bool
	}{
		Before:  {made: 0},
		Failed:  {made: 1, code: http.StatusInternalServerError},
		Dropped: {made: 1, killed: true},
	} {
		t.Run(string(point), func(t *testing.T) {
			e := New()
			killed := false
			e.Kill = func() { killed = true }
			e.Break(2, point)
			if code, _, err := ask(t, e, http.MethodGet, "/things", ""); code != http.StatusOK || err != nil {
				t.Errorf("the first request: got %d, %v", code, err)
			}
			code, _, err := ask(t, e, http.MethodPost, "/things", `{"name":"a"}`)
			if code != c.code || (c.code == 0) != errors.Is(err, ErrBroken) || killed != c.killed {
				t.Errorf("got %d, %v, killed %v", code, err, killed)
			}
			if got := len(e.All("things")); got != c.made {
				t.Errorf("%d things, want %d", got, c.made)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	e := New()
	e.Answer(1, http.StatusTooManyRequests, 7*time.Second)
	body := strings.NewReader(`{}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://endpoint.test/things", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := e.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	after, made := resp.Header.Get("Retry-After"), len(e.All("things"))
	if resp.StatusCode != http.StatusTooManyRequests || after != "7" || made != 0 {
		t.Errorf("got %d, Retry-After %q, %d things", resp.StatusCode, after, made)
	}
	if code, _, err := ask(t, e, http.MethodPost, "/things", `{}`); code != http.StatusCreated || err != nil {
		t.Errorf("the next request: got %d, %v", code, err)
	}
	if got := e.Requests(); len(got) != 2 || got[0].Code != http.StatusTooManyRequests {
		t.Errorf("got requests %v", got)
	}
}

func remove(t *testing.T, e *Endpoint, id string) {
	t.Helper()
	if code, _, err := ask(t, e, http.MethodDelete, "/things/"+id, ""); code != http.StatusNoContent || err != nil {
		t.Errorf("deleting %s: got %d, %v", id, code, err)
	}
}

// TestLag lists late what was made and what was deleted; a read by id is always right.
func TestLag(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := New()
		e.Lag = 5 * time.Second
		id := e.Put("things", Resource{"name": "a"})
		steps := []struct {
			do   func()
			want string
		}{
			{func() {}, "[]"},
			{func() { <-time.After(6 * time.Second) }, `[{"id":"things-1","name":"a"}]`},
			{func() { remove(t, e, id) }, `[{"id":"things-1","name":"a"}]`},
			{func() { <-time.After(6 * time.Second) }, "[]"},
		}
		for i, s := range steps {
			s.do()
			if _, got, err := ask(t, e, http.MethodGet, "/things", ""); err != nil || got != s.want {
				t.Errorf("step %d: got %s, %v, want %s", i, got, err, s.want)
			}
		}
		if code, _, err := ask(t, e, http.MethodGet, "/things/"+id, ""); code != http.StatusNotFound || err != nil {
			t.Errorf("reading what was deleted: got %d, %v", code, err)
		}
	})
}
