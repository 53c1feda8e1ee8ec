package cli

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// exchange answers requests from a script; the last line goes on for ever.
type exchange struct {
	script []any
	bodies []string
}

func (e *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		e.bodies = append(e.bodies, string(body))
	}
	now := e.script[0]
	if len(e.script) > 1 {
		e.script = e.script[1:]
	}
	if err, ok := now.(error); ok {
		return nil, err
	}
	return &http.Response{StatusCode: now.(int), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

func TestPatient(t *testing.T) {
	lost := errors.New("connection reset by peer")
	for name, c := range map[string]struct {
		method string
		script []any
		want   int
		err    error
		after  time.Duration
		asked  int
	}{
		"answered":                       {"PATCH", []any{200}, 200, nil, 0, 1},
		"etcd is slow":                   {"PATCH", []any{500, 504, 200}, 200, nil, time.Second, 3},
		"the connection is lost":         {"PUT", []any{lost, 200}, 200, nil, 500 * time.Millisecond, 2},
		"a lost creation is not doubled": {"POST", []any{lost, 200}, 0, lost, 0, 1},
		"nobody has got it":              {"POST", []any{syscall.ECONNREFUSED, 201}, 201, nil, 500 * time.Millisecond, 2},
		"refused for good":               {"PATCH", []any{422, 200}, 422, nil, 0, 1},
		"not for ever":                   {"PATCH", []any{500}, 500, nil, 3500 * time.Millisecond, 8},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &exchange{script: c.script}
				began := time.Now()
				code, err := e.send(t, c.method)
				if code != c.want || !errors.Is(err, c.err) {
					t.Errorf("the answer is %d, %v", code, err)
				}
				if took := time.Since(began); took != c.after {
					t.Errorf("it took %s, want %s", took, c.after)
				}
				if got := strings.Join(e.bodies, ""); got != strings.Repeat("an object", c.asked) {
					t.Errorf("asked with %q, want %d times", got, c.asked)
				}
			})
		})
	}
}

// send sends a request patiently.
func (e *exchange) send(t *testing.T, method string) (int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "https://cluster", strings.NewReader("an object"))
	must(t, err)
	answer, err := patient{next: e, every: 500 * time.Millisecond, most: 3 * time.Second}.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}
