package kittest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"
)

// A process of a play that shared its connection with others was refused requests that it would never be alone.
func TestConnectionOfAProcess(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	cfg := &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	for _, c := range []*rest.Config{ownConnection(cfg), ownConnection(cfg)} {
		h, err := rest.HTTPClientFor(c)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			answer, err := h.Get(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			if answer.ProtoMajor != 2 {
				t.Errorf("the server spoke %s, want HTTP/2", answer.Proto)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := opened.Load(); n != 2 {
		t.Errorf("two processes opened %d connections, want one each", n)
	}
}
