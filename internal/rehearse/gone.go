package rehearse

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
)

// Gone is an object that a controller has made and would delete.
type Gone struct {
	owner.Item
	// Of is the object that it was made for.
	Of client.Object
}

// turn is what became of an owner on the stage.
type turn struct {
	player Player
	owner  owner.Object
	// unsure are the steps of which it is not known whether they would make anything else.
	unsure map[string]bool
}

// recall gives an object the status that it has in the cluster: what some steps make depends on it.
func (s *stage) recall(o client.Object) error {
	live, ok := s.fetch(o.GetObjectKind().GroupVersionKind(), client.ObjectKeyFromObject(o)).(owner.Object)
	if !ok {
		return nil
	}
	from, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
	if err != nil {
		return fmt.Errorf("reading the status of %s: %w", o.GetName(), err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", o.GetName(), err)
	}
	content["status"] = from["status"]
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, o); err != nil {
		return fmt.Errorf("setting the status of %s: %w", o.GetName(), err)
	}
	return nil
}

// fetch reads an object of the cluster; nil when it is not there.
func (s *stage) fetch(gvk schema.GroupVersionKind, key client.ObjectKey) client.Object {
	empty, err := s.scheme.New(gvk)
	o, ok := empty.(client.Object)
	if s.reader == nil || err != nil || !ok || s.reader.Get(s.ctx, key, o) != nil {
		return nil
	}
	return o
}

// sweep finds what was made for the objects that were played and what nobody makes any more. Jobs that have run are
// nobody's loss.
func (s *stage) sweep() {
	for _, t := range s.turns {
		for _, it := range t.owner.KitStatus().Inventory {
			if !t.unsure[it.Step] && !t.player.retains(it.Step, t.owner) {
				s.lose(it, t.owner)
			}
		}
	}
}

// lose notes that an object would be deleted, and with it what was made for it and does not outlive it.
func (s *stage) lose(it owner.Item, of client.Object) {
	gk := schema.GroupKind{Group: it.Group, Kind: it.Kind}
	key := types.NamespacedName{Namespace: it.Namespace, Name: it.Name}
	noted := func(g Gone) bool {
		return g.Group == gk.Group && g.Kind == gk.Kind && g.Namespace == key.Namespace && g.Name == key.Name
	}
	if it.Kind == "Job" || s.objects[gk][key] != nil || slices.ContainsFunc(s.result.Gone, noted) {
		return
	}
	s.result.Gone = append(s.result.Gone, Gone{it, of})
	for _, p := range s.players {
		if !p.Owns(gk) {
			continue
		}
		o, ok := s.fetch(p.plays(), key).(owner.Object)
		if !ok {
			return
		}
		o.GetObjectKind().SetGroupVersionKind(p.plays())
		for _, below := range o.KitStatus().Inventory {
			if !p.retains(below.Step, o) {
				s.lose(below, o)
			}
		}
	}
}

func (p *player[T]) plays() schema.GroupVersionKind { return p.kind }

// retains tells whether what a step has made stays when the step does not want it any more, or its owner is deleted.
func (p *player[T]) retains(step string, obj client.Object) bool {
	o, ok := obj.(T)
	for i := range p.Steps {
		if ok && p.Steps[i].Name == step {
			return p.Steps[i].Retains(o)
		}
	}
	return false
}
