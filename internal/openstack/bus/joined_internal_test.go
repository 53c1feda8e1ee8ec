package bus

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// wire is a line in memory.
type wire struct {
	exchange string
	in       chan string
	closed   bool
}

func (w *wire) Bind(exchange string, _ []string) (bool, error) { return exchange == w.exchange, nil }
func (w *wire) Close()                                         { w.closed = true }

func (w *wire) Next(ctx context.Context) ([]byte, error) {
	select {
	case text, ok := <-w.in:
		if !ok {
			return nil, errors.New("the connection is lost")
		}
		return []byte(text), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// pair are two lines in memory, by their URLs.
func pair() (map[string]*wire, Dial) {
	wires := map[string]*wire{
		"k": {exchange: "keystone", in: make(chan string)}, "n": {exchange: "nova", in: make(chan string)}}
	return wires, joined(func(_ context.Context, c Config) (Line, error) {
		if w := wires[c.URL]; w != nil && string(c.CA) == "ca" {
			return w, nil
		}
		return nil, errors.New("the bus does not answer")
	})
}

func TestSeveralURLsOfWhichOneIsWrong(t *testing.T) {
	wires, dial := pair()
	if _, err := dial(t.Context(), Config{URL: "k\nother", CA: []byte("ca")}); err == nil || !wires["k"].closed {
		t.Errorf("with one that does not answer: %v, and the other is closed: %t", err, wires["k"].closed)
	}
}

// Several URLs are one line: it has the exchanges of all and hears all, and ends when one of them does.
func TestSeveralURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wires, dial := pair()
		l, err := dial(t.Context(), Config{URL: "k\nn\n", CA: []byte("ca")})
		if err != nil {
			t.Fatal(err)
		}
		for exchange, want := range map[string]bool{"keystone": true, "nova": true, "heat": false} {
			if there, err := l.Bind(exchange, nil); there != want || err != nil {
				t.Errorf("exchange %s is there: %t, %v", exchange, there, err)
			}
		}
		hears(t, l, wires["k"], "a project")
		hears(t, l, wires["n"], "a server")
		close(wires["n"].in)
		if _, err := l.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "lost") {
			t.Errorf("after one was lost: %v", err)
		}
		l.Close()
		if !wires["k"].closed || !wires["n"].closed {
			t.Error("not all are closed")
		}
	})
}

// hears sends a text on a line and takes it from what joins it.
func hears(t *testing.T, l Line, w *wire, text string) {
	t.Helper()
	go func() { w.in <- text }()
	if body, err := l.Next(t.Context()); err != nil || string(body) != text {
		t.Errorf("heard %q, %v, want %q", body, err, text)
	}
}

func TestExchangeOfURL(t *testing.T) {
	a, err := Config{URL: "rabbit://a:1@mq:5671/x?exchange=openstack&exchange=cinder"}.parse()
	if err != nil || !slices.Equal(a.only, []string{"openstack", "cinder"}) {
		t.Errorf("the exchanges are %v: %v", a.only, err)
	}
}
