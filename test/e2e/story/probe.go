package story

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Probe asks something at a steady pace in the background, as a user of the cloud would, and counts how often it
// failed.
type Probe struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu       sync.Mutex
	total    int
	failed   int
	last     error
	why      map[string]int
	began    time.Time
	bad      []int
	good     time.Time
	longest  time.Duration
	slowest  time.Duration
	inFlight sync.WaitGroup
}

// Result is what a probe saw.
type Result struct {
	Total, Failed int
	// Longest is the longest time between two good answers.
	Longest time.Duration
	// Slowest is the longest time that a good answer took.
	Slowest time.Duration
	// Last is the last failure.
	Last error
	// Why counts failures by what they say, without addresses, ports and identifiers.
	Why map[string]int
	// Bad has, for each second of the probe, how many of the requests that began in it failed.
	Bad []int
	// Began is when the probe did.
	Began time.Time
}

// String is the result in one line, with the times in which requests that failed began.
func (r Result) String() string {
	lines := []string{fmt.Sprintf("%d of %d requests failed, longest gap %s, slowest answer %s", r.Failed, r.Total,
		r.Longest.Round(time.Millisecond), r.Slowest.Round(time.Millisecond))}
	at := func(second int) string {
		return r.Began.Add(time.Duration(second) * time.Second).Format(time.TimeOnly)
	}
	for first, second, failed := -1, 0, 0; second < len(r.Bad); second++ {
		if failed += r.Bad[second]; r.Bad[second] > 0 && first < 0 {
			first = second
		}
		if last := second == len(r.Bad)-1; first >= 0 && (last || quiet(r.Bad[second+1:])) {
			lines = append(lines, fmt.Sprintf("%d of those begun from %s to %s", failed, at(first), at(second)))
			first, failed = -1, 0
		}
	}
	return strings.Join(lines, ", ")
}

// alike is what differs between failures of one kind.
var alike = regexp.MustCompile(`[0-9a-f]*[0-9][0-9a-f.:-]*`)

// Reasons are the commonest failures, at most three, with how often they were seen.
func (r Result) Reasons() string {
	kinds := slices.SortedFunc(maps.Keys(r.Why), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.Why[b], r.Why[a]), cmp.Compare(a, b))
	})
	lines := []string{}
	for _, k := range kinds[:min(3, len(kinds))] {
		lines = append(lines, fmt.Sprintf("%d x %s", r.Why[k], k))
	}
	return strings.Join(lines, "; ")
}

// quiet tells whether none of the next ten seconds is bad.
func quiet(next []int) bool {
	return !slices.ContainsFunc(next[:min(10, len(next))], func(n int) bool { return n > 0 })
}

// Watch starts a probe. Each request has timeout; slow ones do not slow down the pace.
func (w *World) Watch(every, timeout time.Duration, ask func(context.Context) error) *Probe {
	ctx, stop := context.WithCancel(w.Context())
	p := &Probe{stop: stop, why: map[string]int{}, began: time.Now(), good: time.Now()}
	p.done.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				p.inFlight.Go(func() { p.ask(ctx, timeout, ask) })
			}
		}
	})
	w.Cleanup(func() { p.Stop() })
	return p
}

func (p *Probe) ask(ctx context.Context, timeout time.Duration, ask func(context.Context) error) {
	asked := time.Now()
	second := int(asked.Sub(p.began) / time.Second)
	limited, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	err := ask(limited)
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total++
	for len(p.bad) <= second {
		p.bad = append(p.bad, 0)
	}
	if err != nil {
		p.failed++
		p.bad[second]++
		p.last = err
		p.why[alike.ReplaceAllString(err.Error(), "#")]++
		return
	}
	now := time.Now()
	p.longest, p.slowest = max(p.longest, now.Sub(p.good)), max(p.slowest, now.Sub(asked))
	p.good = now
}

// Err returns the last failure, nil when there was none.
func (p *Probe) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// Stop ends the probe and tells what it saw.
func (p *Probe) Stop() Result {
	p.stop()
	p.done.Wait()
	p.inFlight.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return Result{Total: p.total, Failed: p.failed, Longest: p.longest, Slowest: p.slowest, Last: p.last,
		Bad: p.bad, Began: p.began, Why: p.why}
}
