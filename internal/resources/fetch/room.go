package fetch

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// term is how long data is unpacked although others wait for the memory that it takes.
const term = time.Hour

// Room is the memory that all downloads of a process unpack in: one with the largest dictionary, eight with that of xz
// by default. People of many namespaces have images, and each names what it is packed with.
type Room struct {
	memory  *semaphore.Weighted
	waiting atomic.Int64
}

// NewRoom returns one that is empty.
func NewRoom() *Room { return &Room{memory: semaphore.NewWeighted(dictionary)} }

// part is what one download takes of a room.
type part struct {
	room  *Room
	size  int64
	since time.Time
	left  atomic.Bool
}

// try takes a part if it is there. Without a room there is no end of memory.
func (r *Room) try(size int64) *part {
	if r != nil && !r.memory.TryAcquire(size) {
		return nil
	}
	return &part{room: r, size: size, since: time.Now()}
}

// wait takes a part when it is there.
func (r *Room) wait(ctx context.Context, size int64) (*part, error) {
	r.waiting.Add(1)
	defer r.waiting.Add(-1)
	if err := r.memory.Acquire(ctx, size); err != nil {
		return nil, context.Cause(ctx)
	}
	return &part{room: r, size: size, since: time.Now()}, nil
}

// leave returns the part; it may be called more than once.
func (p *part) leave() {
	if p.room != nil && p.left.CompareAndSwap(false, true) {
		p.room.memory.Release(p.size)
	}
}

// over tells whether it is the turn of others.
func (p *part) over() bool {
	return p.room != nil && p.size > 0 && time.Since(p.since) > term && p.room.waiting.Load() > 0
}

// overdue is what people are told then.
func (r *raw) overdue() error {
	return &Failure{Reason: "SourceTooSlow", Message: fmt.Sprintf("Unpacking the data of %s takes more than %d minutes, "+
		"and other images wait for the memory. Name a faster server, or wait until the others are done.", r.shown,
		int(term.Minutes()))}
}
