package bus

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"stackwright.dev/stackwright/internal/reach"
)

// Line is a connection with the bus that has a queue of its own.
type Line interface {
	// Bind brings what is sent to an exchange with one of these keys into the queue; false when there is no such
	// exchange. It makes none: a service that finds one with other properties than its own cannot send.
	Bind(exchange string, keys []string) (bool, error)
	// Next waits for a message. After an error of any but ctx the line is of no use any more.
	Next(ctx context.Context) ([]byte, error)
	// Close ends the connection, and the queue with it.
	Close()
}

// Dial opens a line.
type Dial func(context.Context, Config) (Line, error)

// Pauses between two attempts to connect, and between two looks for exchanges that were not there.
const (
	firstPause, lastPause = time.Second, time.Minute
	firstLook, lastLook   = 15 * time.Second, 5 * time.Minute
	// steady is how long a connection lives that makes up for failed attempts before it.
	steady = 30 * time.Second
)

// State is how a listener does.
type State struct {
	Connected bool
	// Problem says why it is not connected, empty before the first attempt has ended; Refused, that it was not tried, as
	// the bus has an address of the operator's own.
	Problem string
	Refused bool
	// Exchanges that it listens to.
	Exchanges []string
}

// Same tells whether two states are the same.
func (s State) Same(o State) bool {
	return s.Connected == o.Connected && s.Problem == o.Problem && s.Refused == o.Refused &&
		slices.Equal(s.Exchanges, o.Exchanges)
}

// Listener listens until it is stopped. Its functions are called from one goroutine and must not block.
type Listener struct {
	Config Config
	Dial   Dial
	// Heard is called for each notification, Missed when any number of them may have been missed.
	Heard  func(Event)
	Missed func()
	// Changed is called when the state has changed.
	Changed func(State)
}

// Run listens until ctx ends.
func (l *Listener) Run(ctx context.Context) {
	pause := firstPause
	for ctx.Err() == nil {
		begin := time.Now()
		err := l.once(ctx)
		if ctx.Err() != nil {
			return
		}
		_, refused := errors.AsType[*reach.Own](err)
		l.Changed(State{Problem: err.Error(), Refused: refused})
		if time.Since(begin) >= steady {
			pause = firstPause
		}
		if !sleep(ctx, pause/2+rand.N(pause/2)) {
			return
		}
		pause = min(2*pause, lastPause)
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// once connects and listens until the connection is lost.
func (l *Listener) once(ctx context.Context) error {
	line, err := l.Dial(ctx, l.Config)
	if err != nil {
		return err
	}
	defer line.Close()
	missing := l.Config.Exchanges
	var bound []string
	for look := firstLook; ; look = min(2*look, lastLook) {
		found, err := l.bind(line, missing)
		if err != nil {
			return err
		}
		if len(found) > 0 || len(bound) == 0 {
			bound = append(bound, found...)
			missing = slices.DeleteFunc(slices.Clone(missing), func(e string) bool { return slices.Contains(found, e) })
			l.Changed(State{Connected: true, Exchanges: slices.Clone(bound)})
			l.Missed()
		}
		if err := l.listen(ctx, line, look, len(missing) > 0); err != nil {
			return err
		}
	}
}

// bind returns the exchanges that are there.
func (l *Listener) bind(line Line, exchanges []string) (found []string, err error) {
	topics := l.Config.Topics
	if len(topics) == 0 {
		topics = Topics()
	}
	// The last part of a key is the priority: info, warn, error.
	keys := strings.Split(strings.Join(topics, ".* ")+".*", " ")
	for _, e := range exchanges {
		there, err := line.Bind(e, keys)
		if err != nil {
			return nil, err
		}
		if there {
			found = append(found, e)
		}
	}
	return found, nil
}

// listen hands on what it hears, until it is time to look for exchanges again if there are any to look for.
func (l *Listener) listen(ctx context.Context, line Line, look time.Duration, missing bool) error {
	until := ctx
	if missing {
		var cancel context.CancelFunc
		until, cancel = context.WithTimeout(ctx, look)
		defer cancel()
	}
	for {
		body, err := line.Next(until)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded) && until.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		if e, ok := Decode(body); ok && !e.Ahead() {
			l.Heard(e)
		}
	}
}
