package openstack

import (
	"context"
	"runtime/debug"
	"sync"
)

// Quarter is a quarter of the memory that the process may take, which is the most that what a cloud sends may fill; it
// is without end when there is no limit.
func Quarter() int64 { return debug.SetMemoryLimit(-1) / 4 }

// Memory of all long answers at a time is as much as Quarter, within these: enough for three pages of 1,000 ports, and
// no more than helps with the longest answer.
const leastMemory, mostMemory = 64 << 20, 4 * longestBody

// budget is memory that the answers to all sessions share. Those who wait for it take turns by their scopes: a cloud
// that has many long answers waits no less than others, and holds up nobody for longer than its turn.
type budget struct {
	size int64

	mu    sync.Mutex
	used  int64
	queue Queue[*claim]
	// next is the one whose turn it is. Nobody goes before it, so that a large claim gets its turn, too.
	next *claim
}

// claim is a part of a budget that somebody waits for.
type claim struct {
	size    int64
	granted chan struct{}
}

// take waits for a part of the budget, at most all of it. Who has one must not wait for another: all could.
func (b *budget) take(ctx context.Context, scope string, size int64) error {
	c := &claim{size, make(chan struct{})}
	b.mu.Lock()
	b.queue.Push(Urgent, scope, c)
	b.pump()
	b.mu.Unlock()
	select {
	case <-c.granted:
		return nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queue.Remove(Urgent, scope, c)
	if b.next == c {
		b.next = nil
	}
	select {
	case <-c.granted:
		b.used -= size
	default:
	}
	b.pump()
	return context.Cause(ctx)
}

// more takes a further part if it is there.
func (b *budget) more(size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+size > b.size {
		return false
	}
	b.used += size
	return true
}

// give returns a part.
func (b *budget) give(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= size
	b.pump()
}

// pump grants what it can. It is called with the lock held, whenever something has changed.
func (b *budget) pump() {
	for {
		if b.next == nil {
			next, ok := b.queue.Pop()
			if !ok {
				return
			}
			b.next = next
		}
		if b.used+b.next.size > b.size {
			return // Who gives pumps.
		}
		b.used += b.next.size
		close(b.next.granted)
		b.next = nil
	}
}
