package resources

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Guests are the objects of a controller that is none of ours and asks our clouds: they share sessions, limits and the
// promise that a cloud stays as long as somebody uses it.
type Guests struct {
	engine *Engine
	kind   string
	bell   bell
}

// Guests begins the list of those of a kind.
func (e *Engine) Guests(kind string) *Guests { return &Guests{engine: e, kind: kind, bell: newBell()} }

// Arrive records which cloud an object uses. It is woken when the cloud opens, closes or changes.
func (g *Guests) Arrive(o client.Object, cloud types.NamespacedName) {
	key := client.ObjectKeyFromObject(o)
	who := node{g.kind, key}
	g.engine.ring(g.engine.users.set(o.GetUID(), user{node: who, maker: makerOf(who, o), clouds: []cloudKey{cloud},
		wake: func() { g.bell.wake(key) }}))
}

// Leave forgets an object.
func (g *Guests) Leave(o client.Object) { g.engine.ring(g.engine.users.drop(o.GetUID())) }

// Ring wakes objects; it is a kit.Definition's Wake.
func (g *Guests) Ring(ctx context.Context, wake func(types.NamespacedName)) { g.bell.ring(ctx, wake) }

// Door leads to a cloud; nil while it is not open.
func (g *Guests) Door(cloud types.NamespacedName) Door {
	if cl := g.engine.clouds.get(cloud); cl != nil {
		return cl.requests()
	}
	return nil
}
