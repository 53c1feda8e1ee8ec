package cli

import (
	"errors"
	"net/http"
	"slices"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// patient asks again what a busy API server did not answer, for as long as up bears it: on a machine on which
// everything starts, etcd may be slow for some seconds. What may have been done by the first request is asked for again
// only where twice is the same as once. Answers with Retry-After are client-go's own.
type patient struct {
	next http.RoundTripper
	// every is the pause between two requests, most how long they are repeated.
	every, most time.Duration
}

// forgive makes requests patient.
func forgive(c *rest.Config) *rest.Config {
	c.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return patient{next: next, every: 500 * time.Millisecond, most: stubborn}
	})
	return c
}

// RoundTrip implements http.RoundTripper.
func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	for began := time.Now(); ; {
		answer, err := p.next.RoundTrip(r)
		if !passing(r, answer, err) || time.Since(began) > p.most || r.Context().Err() != nil {
			return answer, err
		}
		again := r.Clone(r.Context())
		if r.Body != nil {
			if r.GetBody == nil {
				return answer, err
			}
			body, failed := r.GetBody()
			if failed != nil {
				return answer, err
			}
			again.Body = body
		}
		if answer != nil {
			_ = answer.Body.Close()
		}
		r = again
		select {
		case <-r.Context().Done():
		case <-time.After(p.every):
		}
	}
}

// passing tells that what went wrong may be gone soon, and that asking again does no harm.
func passing(r *http.Request, answer *http.Response, err error) bool {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return true
	}
	if !slices.Contains([]string{http.MethodGet, http.MethodPut, http.MethodPatch}, r.Method) {
		return false
	}
	if err != nil {
		return true
	}
	return answer.Header.Get("Retry-After") == "" && slices.Contains([]int{http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, answer.StatusCode)
}
