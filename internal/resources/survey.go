package resources

import (
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

const (
	// weight is how many lists of one parent each are as much work as a page of a survey, which is a long one.
	weight = 4
	// useless is for how long a survey is not asked for that the cloud refuses, or that tells nothing.
	useless = time.Hour
)

// survey is what d.Survey describes, in one cloud. All mirrors of the parents share it, also those of several kinds.
type survey struct {
	how    d.Survey
	lister *lister
	// period between two lists.
	period time.Duration
	// parents is how many mirrors there are.
	parents atomic.Int64
	// turn is full while somebody looks; whoever has it may use what follows.
	turn chan struct{}
	// at is when the last list began, pages how long it was, sums what it has shown of each parent.
	at    time.Time
	pages int
	sums  map[string]uint64
	// rest is until when the list is not asked for.
	rest time.Time
}

// sight is what a survey has shown of a parent, and when it began.
type sight struct {
	sum uint64
	at  time.Time
}

// survey returns the survey of a kind, nil when it has none. The caller holds the lock.
func (c *cloud) survey(k *d.Kind) *survey {
	how := k.List.Survey
	if how.Path == "" {
		return nil
	}
	service := cmp.Or(how.Service, k.Service)
	name := service + how.Path
	if s := c.surveys[name]; s != nil {
		return s
	}
	path, query, _ := strings.Cut(how.Path, "?")
	listed := &d.Kind{Name: k.Name, Plural: k.Plural, Service: service, Items: how.Items, Read: how.Since,
		List: d.List{Query: query, AllProjects: how.AllProjects}}
	s := &survey{how: how, period: c.pace(k), turn: make(chan struct{}, 1),
		lister: &lister{kind: listed, door: c.requests(), path: path, everywhere: c.terms.everywhere, seed: c.seed}}
	c.surveys[name] = s
	return s
}

// look returns what the survey shows of a parent, by a list that did not begin before that time. It is not ok when the
// survey does not tell.
func (s *survey) look(ctx context.Context, parent string, after time.Time) (sight, bool) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return sight{}, false
	}
	defer func() { <-s.turn }()
	if s.at.Before(after) && s.pays() {
		s.list(ctx)
	}
	sum, ok := s.sums[parent]
	return sight{sum, s.at}, ok && !s.at.Before(after)
}

// pays tells whether the list is to be asked for: not when it has just been refused, and not for so few parents that it
// would be more work than their own lists.
func (s *survey) pays() bool {
	return !time.Now().Before(s.rest) && s.parents.Load() > weight*int64(max(1, s.pages))
}

func (s *survey) list(ctx context.Context) {
	begin, pages, sums := time.Now(), 0, map[string]uint64{}
	version, err := s.lister.version(ctx)
	if err == nil {
		err = s.lister.pages(ctx, s.lister.query(), version, mirror.Due, func(page []map[string]any) error {
			pages++
			for _, entry := range page {
				s.note(sums, entry)
			}
			return nil
		})
	}
	if ctx.Err() != nil {
		return
	}
	refused := []openstack.Class{openstack.Invalid, openstack.Auth, openstack.NotFound}
	switch {
	case err != nil && !slices.Contains(refused, openstack.ClassOf(err)):
		s.rest = begin.Add(s.period)
		return
	case err != nil, len(sums) == 0:
		s.rest = begin.Add(useless)
	}
	if err == nil {
		s.at, s.pages, s.sums = begin, pages, sums
	}
}

// note adds an entry to what is shown of its parent; the order of entries does not matter.
func (s *survey) note(sums map[string]uint64, entry map[string]any) {
	parent := plainID(body.At(entry, s.how.Parent))
	if parent == "" || len(s.how.Shows) > 0 && body.At(entry, s.how.Shows[0]) == nil {
		return
	}
	if len(s.how.Shows) == 0 {
		sums[parent] += s.sum(entry)
		return
	}
	shown := make([]any, 0, len(s.how.Shows))
	for _, path := range s.how.Shows {
		v := body.At(entry, path)
		if list, ok := v.([]any); ok {
			v = s.total(list)
		}
		shown = append(shown, v)
	}
	sums[parent] += s.sum(shown)
}

// total stands for a list, of which the order does not matter.
func (s *survey) total(list []any) (n uint64) {
	for _, v := range list {
		n += s.sum(v)
	}
	return n
}

func (s *survey) sum(v any) uint64 {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0 // what came as JSON goes as JSON
	}
	return maphash.Bytes(s.lister.seed, raw)
}

// watch is what a lister knows by a survey.
type watch struct {
	survey *survey
	parent string

	mu sync.Mutex
	// base is what the survey has shown of the parent before the last list, when that list brought no news. doubts counts
	// how often something else than a list has told of a change.
	base   sight
	doubts int
}

// watch returns how to know, by its survey, that the list of a kind is as before; nil when it has none. The caller
// holds the lock.
func (c *cloud) watch(k *d.Kind, parent map[string]any) *watch {
	s := c.survey(k)
	if s == nil {
		return nil
	}
	s.parents.Add(1)
	w := &watch{survey: s}
	for _, v := range parent {
		w.parent = plainID(v)
	}
	return w
}

// list lists what is below the parent, unless the survey shows that it is as before. Whoever waits for something gets
// the list, and so does who was told of a change of this parent.
func (w *watch) list(ctx context.Context, why mirror.Reason, list func() (mirror.Listed, error),
) (mirror.Listed, error) {
	base, doubts := w.known()
	var now sight
	var ok bool
	switch {
	case why == mirror.Due:
		now, ok = w.survey.look(ctx, w.parent, time.Now().Add(-w.survey.period/2))
	case why == mirror.Told && !base.at.IsZero():
		now, ok = w.survey.look(ctx, w.parent, time.Now())
	}
	if ok && !base.at.IsZero() && base.sum == now.sum {
		return mirror.Listed{Same: now.at}, nil
	}
	out, err := list()
	if ok {
		base = now
	}
	// Had the list brought news, the survey might have been before the change, and the next one after its reverse.
	out.News = func(news bool) {
		if news {
			base = sight{}
		}
		w.set(base, doubts)
	}
	return out, err
}

func (w *watch) known() (base sight, doubts int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.base, w.doubts
}

// set remembers what a list has confirmed, if there was no doubt since it began.
func (w *watch) set(s sight, doubts int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.doubts != doubts {
		s = sight{}
	}
	w.base = s
}

// drop forgets the watch with its mirror.
func (w *watch) drop() {
	if w != nil {
		w.survey.parents.Add(-1)
	}
}

// doubt has the next list be of the parent: something was said of it, or changed by us. What the survey showed before
// that is not what the mirror has any more.
func (w *watch) doubt() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.base = sight{}
	w.doubts++
}
