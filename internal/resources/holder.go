package resources

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/outcome"

	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// holders remember which object has which resource: two that keep one would undo each other's work for ever.
type holders struct {
	mu sync.Mutex
	by map[holding]holder
	of map[types.UID]holding
}

// holding is a resource by the id that is on the books, and the cloud that it is in.
type holding struct {
	cloud    cloudKey
	kind, id string
}

type holder struct {
	node
	uid types.UID
}

// claim takes a resource for an object, in place of what it had, and returns who has it already.
func (h *holders) claim(what holding, who holder) (other node, taken bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by, h.of = map[holding]holder{}, map[types.UID]holding{}
	}
	if has, ok := h.by[what]; ok && has.uid != who.uid {
		return has.node, true
	}
	delete(h.by, h.of[who.uid])
	h.by[what], h.of[who.uid] = who, what
	return node{}, false
}

func (h *holders) drop(uid types.UID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.by, h.of[uid])
	delete(h.of, uid)
}

// ours refuses a resource that is on the books of an object and belongs to another one: who only looked at it may have
// been told to do more since.
func (c *controller) ours(o object, t *target, p policy, id string) *outcome.Outcome {
	if out := t.owned(bare(t.kind, id), p); out != nil {
		c.engine.holders.drop(o.GetUID())
		return out
	}
	return c.claim(o, t.cloud, id)
}

// claim takes a resource for an object that may change it. Relations are what they connect: whoever declares one is
// content when it is there.
func (c *controller) claim(o object, cloud cloudKey, id string) *outcome.Outcome {
	if c.kind.Shape == d.Relation {
		return nil
	}
	if policyOf(c.kind, o.Common()).looks() {
		c.engine.holders.drop(o.GetUID())
		return nil
	}
	what, who := holding{cloud, c.kind.Name, id}, holder{c.node(o), o.GetUID()}
	if other, taken := c.engine.holders.claim(what, who); taken {
		return belongs(c.kind, bare(c.kind, id), other.from(o.GetNamespace()))
	}
	if c.engine.departed.has(o.GetUID()) {
		c.engine.holders.drop(o.GetUID())
	}
	return nil
}

// booked claims what is on the books of an object. Where resources carry markers, these tell whose they are.
func (c *controller) booked(o object) {
	if Marked(c.kind) {
		return
	}
	cloud, known := recorded(o)
	for _, e := range o.KitStatus().Externals {
		if e.Step == stepResource && e.ID != "" && known {
			_ = c.claim(o, cloud, e.ID) // whoever is known first has it
		}
	}
}
