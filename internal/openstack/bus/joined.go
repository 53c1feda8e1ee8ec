package bus

import (
	"context"
	"strings"
	"sync"
)

// lines are several lines as one. They end together: each may have missed something when one has.
type lines struct {
	all  []Line
	in   chan []byte
	lost chan error
	stop context.CancelFunc
	ends sync.WaitGroup
}

// joined dials each URL of a configuration.
func joined(dial Dial) Dial {
	return func(ctx context.Context, c Config) (Line, error) {
		urls := strings.Fields(c.URL)
		if len(urls) < 2 {
			return dial(ctx, c)
		}
		l := &lines{in: make(chan []byte), lost: make(chan error, len(urls)), stop: func() {}}
		for _, url := range urls {
			one := c
			one.URL = url
			next, err := dial(ctx, one)
			if err != nil {
				l.Close()
				return nil, err
			}
			l.all = append(l.all, next)
		}
		ctx, l.stop = context.WithCancel(ctx)
		for _, one := range l.all {
			l.ends.Go(func() { l.read(ctx, one) })
		}
		return l, nil
	}
}

// read hands on what comes over one line.
func (l *lines) read(ctx context.Context, one Line) {
	for {
		body, err := one.Next(ctx)
		if err != nil {
			l.lost <- err
			return
		}
		select {
		case l.in <- body:
		case <-ctx.Done():
			l.lost <- context.Cause(ctx)
			return
		}
	}
}

// Bind implements Line: the exchange is there when any of the lines has it.
func (l *lines) Bind(exchange string, keys []string) (bool, error) {
	some := false
	for _, one := range l.all {
		there, err := one.Bind(exchange, keys)
		if err != nil {
			return false, err
		}
		some = some || there
	}
	return some, nil
}

// Next implements Line.
func (l *lines) Next(ctx context.Context) ([]byte, error) {
	select {
	case body := <-l.in:
		return body, nil
	case err := <-l.lost:
		return nil, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close implements Line.
func (l *lines) Close() {
	l.stop()
	l.ends.Wait()
	for _, one := range l.all {
		one.Close()
	}
}
