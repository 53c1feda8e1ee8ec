package resources

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// seek finds the resource that an object imports. Lists leave out hidden and community images, and limits of projects
// other than that of the credentials: what they do not show is asked for by its id.
func (c *controller) seek(ctx context.Context, sc *scope, t *target) (mirror.Item, *outcome.Outcome) {
	im := sc.Owner().Common().Import
	filter := map[string]string{}
	for name, v := range im.Filter {
		filter[name] = string(v)
	}
	found, out := matchNow(ctx, t, im.ID, filter)
	if out == nil || im.ID == "" || out.State != outcome.StateWaiting {
		return found, out
	}
	if _, err := t.path(im.ID); err != nil || !c.sought.due(sc.Owner().GetUID(), im.ID, time.Now()) {
		return found, out // without all that its path takes only a list can find it
	}
	_, there, err := t.ask(ctx, im.ID)
	switch {
	case openstack.ClassOf(err) == openstack.Invalid: // no id of that service
		return found, out
	case err != nil:
		c.sought.drop(sc.Owner().GetUID()) // nobody has answered
		return found, failed(err)
	case there:
		c.sought.drop(sc.Owner().GetUID())
		return match(t, im.ID, nil)
	}
	return found, out
}

// seekAgain is how long nobody asks again for an id that nothing had: what is made later is mostly in the next list.
const seekAgain = 5 * time.Minute

// sought remembers which id was asked for last, and when.
type sought struct {
	mu  sync.Mutex
	all map[types.UID]asking
}

type asking struct {
	id string
	at time.Time
}

// due tells whether an object may ask for an id now, and notes that it does.
func (s *sought) due(uid types.UID, id string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.all[uid]; last.id == id && now.Sub(last.at) < seekAgain {
		return false
	}
	if s.all == nil {
		s.all = map[types.UID]asking{}
	}
	s.all[uid] = asking{id, now}
	return true
}

func (s *sought) drop(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, uid)
}
