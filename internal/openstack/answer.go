package openstack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// What answers may be. People who may only make a Cloud choose who answers, so that it may be somebody who wants the
// operator to run out of memory.
const (
	// longestBody is for Request.Take. The longest pages that are asked for, of 1,000 ports, are 1.5 MB; Keystone, which
	// has no pages, needs it for 150,000 users.
	longestBody = 64 << 20
	// longestPlain is for answers that nobody takes: tokens with their catalogs, or what a change has made.
	longestPlain = 1 << 20
	// small answers take no part of the budget: nearly all that are no lists.
	small = 256 << 10
	// unsaid is claimed at first for an answer whose length nobody says, such as a compressed one.
	unsaid = 2 << 20
	// growth is how much more memory JSON takes than its text once it is decoded: ports four times as much, lists of
	// objects with two short fields seven times.
	growth = 10
	// haste is the time for an answer that has got a part of the budget. All other long ones may wait for it.
	haste = 20 * time.Second
)

// Bytes of memory that a map, a list and a further element of either takes at least. One field in a map costs room for
// eight, so that 7 bytes of JSON become 340.
const mapSize, listSize, elementSize = 320, 48, 64

var errSlow = errors.New("the answer came too slowly")

// read reads the body of an answer. A long one waits for a part of the budget, has to come soon then, and holds the
// part until the response is done with.
func (c *call) read(ctx context.Context, stop context.CancelCauseFunc, r *Response, res *http.Response) (err error) {
	if res.ContentLength > int64(c.longest) {
		return c.tooLong()
	}
	if r.Body, err = io.ReadAll(io.LimitReader(res.Body, small+1)); err != nil || len(r.Body) <= small {
		return err
	}
	steps := []int{min(unsaid, c.longest), c.longest}
	if res.ContentLength > 0 {
		steps = []int{int(res.ContentLength)}
	}
	if err := c.memory.take(ctx, c.scope, c.cost(steps[0])); err != nil {
		return c.crowded()
	}
	r.memory, r.held = c.memory, c.cost(steps[0])
	slow := time.AfterFunc(haste, func() { stop(errSlow) })
	defer slow.Stop()
	for _, most := range steps {
		if more := c.cost(most) - r.held; more > 0 && !r.more(more) {
			return c.crowded()
		}
		if r.Body, err = fill(r.Body, res.Body, most); errors.Is(context.Cause(ctx), errSlow) {
			return c.told(Unavailable, "the answer is longer than %d KiB and did not come within %s; see why the service "+
				"is slow", small>>10, haste)
		}
		if err != nil || len(r.Body) <= most {
			break
		}
	}
	if err != nil {
		return err
	}
	return c.weigh(r)
}

// weigh refuses what would take more memory than it has, and keeps no more than it needs.
func (c *call) weigh(r *Response) error {
	if len(r.Body) > c.longest {
		return c.tooLong()
	}
	rest := r.held - c.cost(len(r.Body))
	r.held -= rest
	c.memory.give(rest)
	if weight(r.Body) > r.held {
		return c.told(Unknown, "once decoded the answer takes more than the %d MiB that it may have; see what answers in "+
			"place of the service, ask for smaller pages, or give the operator more memory", r.held>>20)
	}
	return nil
}

// cost is what is claimed for an answer with so many bytes.
func (c *call) cost(length int) int64 { return min(growth*int64(length), c.memory.size) }

// weight is about how much memory JSON takes once it is decoded, its text included.
func weight(text []byte) int64 {
	count := func(what string) int64 { return int64(bytes.Count(text, []byte(what))) }
	return int64(len(text)) + mapSize*count("{") + listSize*count("[") + elementSize*count(",")
}

// fill reads on until there are more bytes than most. It makes room for all of them at once: what grows takes double.
func fill(have []byte, from io.Reader, most int) ([]byte, error) {
	all := make([]byte, max(most+1, len(have)))
	n := copy(all, have)
	for n <= most {
		more, err := from.Read(all[n : most+1])
		n += more
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return all[:n], err
		}
	}
	return all[:n], nil
}

func (c *call) tooLong() *Fault {
	if c.longest < longestBody {
		return c.told(Unknown, "the answer has more than %d MiB, which none of its kind has; see what answers in place of "+
			"the service", c.longest>>20)
	}
	return c.told(Unknown, "the answer has more than %d MiB; ask for smaller pages", c.longest>>20)
}

func (c *call) crowded() *Fault {
	return c.told(Unknown, "there was no memory for the answer, which is longer than %d KiB, beside those of others; "+
		"it is tried again", small>>10)
}

// told is a fault whose message says what to do.
func (c *call) told(class Class, format string, args ...any) *Fault {
	f := c.fault(class, fmt.Sprintf(format, args...))
	f.advised = true
	return f
}

// more adds to what the response holds.
func (r *Response) more(size int64) bool {
	if !r.memory.more(size) {
		return false
	}
	r.held += size
	return true
}

// done returns what the response holds: its body was taken, or is none of the longest.
func (r *Response) done() {
	if r.held > 0 {
		r.memory.give(r.held)
		r.held = 0
	}
}

// Hand gives the body of an answer to Take when there is one.
func (r Request) Hand(res *Response) *Response {
	if r.Take != nil {
		r.Take(res.Body)
		res.Body = nil
	}
	return res
}
