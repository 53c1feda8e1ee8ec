package resources

import (
	"context"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// pointless tells whether a relation, or a limit, is one of something that is gone, so that nothing is lost when it is
// made again with what its references mean by now. OpenStack takes a relation for as long as it has what is gone in a
// cache, and keeps limits. Who may not see what it is a relation of leaves it as it is.
func (c *controller) pointless(ctx context.Context, sc *scope, t *target, p policy, stuck []body.Difference) (
	bool, error,
) {
	if t.kind.Shape != d.Relation && !t.kind.Limits || !p.create || !p.delete || sc.Owner().Common().Import != nil {
		return false, nil
	}
	for _, x := range stuck {
		id, _ := x.Actual.(string)
		if x.Field.Ref == "" || id == "" {
			continue
		}
		gone, err := c.absent(ctx, sc, x.Field.Ref, id)
		if gone || err != nil {
			return gone, err
		}
	}
	return false, nil
}

// absent tells whether the cloud has no resource of a kind with an id, by asking for it.
func (c *controller) absent(ctx context.Context, sc *scope, kind, id string) (bool, error) {
	cl, out := c.engine.cloudOf(sc)
	if out != nil {
		return false, nil
	}
	t, err := c.engine.looker(cl, kind)
	if err != nil {
		return false, err
	}
	_, there, err := t.ask(ctx, id)
	if openstack.ClassOf(err) == openstack.Auth {
		return false, nil
	}
	return !there && err == nil, err
}

// booked addresses what is on the books, which of a relation is not what is declared by now.
func (t *target) booked(id string) *target {
	if t.kind.Shape != d.Relation {
		return t
	}
	former := *t
	former.wanted = unbook(t.kind, id)
	return &former
}
