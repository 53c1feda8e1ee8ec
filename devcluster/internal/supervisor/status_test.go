package supervisor

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// hatch is a listener for connections that are made in memory.
type hatch chan net.Conn

func (h hatch) Accept() (net.Conn, error) {
	c, ok := <-h
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (h hatch) Close() error   { return nil }
func (h hatch) Addr() net.Addr { return &net.UnixAddr{} }

// A machine that is busy takes more than half a minute to remove a node. Who asked for it is told when it is done.
func TestReloadIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := make(hatch)
		server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			<-time.After(2 * time.Minute)
		}), ReadHeaderTimeout: requestTimeout}
		go func() { _ = server.Serve(h) }()
		a := caller{cluster: "dev", dial: func(context.Context) (net.Conn, error) {
			here, there := net.Pipe()
			h <- there
			return here, nil
		}}
		if err := a.reload(t.Context()); err != nil {
			t.Errorf("a change that takes two minutes: %v", err)
		}
		if _, err := a.request(t.Context(), requestTimeout, http.MethodGet, "/status"); err == nil {
			t.Error("a question that is not answered is waited for")
		}
		<-time.After(2 * time.Minute) // what was begun is finished
		close(h)
		_ = server.Close()
	})
}
