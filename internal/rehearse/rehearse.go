// Package rehearse plays the graphs of controllers without writing: what would they make of an object? Things that only
// a running cluster can tell are taken to be well; a check that looks at nothing but objects is asked.
package rehearse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// Made is one object that a controller would make.
type Made struct {
	Object client.Object
	// Controller that makes it, and its step.
	Controller, Step string
	// Owner is the object that it is made for.
	Owner client.Object
}

// Result is what all controllers together would make.
type Result struct {
	Made []Made
	// Gone is what controllers have made of what is played, and would delete.
	Gone []Gone
	// Refused tells which checks say no, and why: nothing is made that comes after them.
	Refused []string
	// Notes tell what cannot be known before it runs.
	Notes []string
}

// Player plays one controller.
type Player interface {
	// Owns tells whether the controller reconciles that kind.
	Owns(schema.GroupKind) bool
	// plays is the kind that the controller reconciles.
	plays() schema.GroupVersionKind
	retains(step string, owner client.Object) bool
	play(*stage, client.Object) error
}

// New makes a player of a definition. It asks the checks that are named, which look at nothing but objects.
func New[T owner.Object](d kit.Definition[T], kind schema.GroupVersionKind, asked ...string) Player {
	return &player[T]{d, kind, asked}
}

// World is where objects are played.
type World struct {
	Scheme *runtime.Scheme
	// Reader shows what is in a cluster; nil is an empty one.
	Reader client.Reader
	// Operated tells that controllers have been at work there: objects have the status that they have there, and what
	// would be deleted is told.
	Operated bool
	// Default sets the fields that an API server sets where an object does not; nil sets none.
	Default func(client.Object) error
}

// Play plays an object and, in turn, the objects that are made for it. With an error the result is as far as it came.
func Play(ctx context.Context, o client.Object, w World, players ...Player) (*Result, error) {
	return PlayAll(ctx, []client.Object{o}, w, players...)
}

// PlayAll plays objects on one stage, those of an earlier player first: a later one finds what was made of them. What
// was made of another one is not played again.
func PlayAll(ctx context.Context, objects []client.Object, w World, players ...Player) (*Result, error) {
	s := &stage{ctx: ctx, scheme: w.Scheme, reader: w.Reader, operated: w.Operated, preset: w.Default,
		players: players, result: &Result{},
		objects: map[schema.GroupKind]map[client.ObjectKey]client.Object{}}
	for _, o := range objects {
		if err := s.identify(o); err != nil {
			return s.result, err
		}
	}
	objects = slices.SortedStableFunc(slices.Values(objects), func(a, b client.Object) int {
		return s.turnOf(a) - s.turnOf(b)
	})
	for _, o := range objects {
		if s.objects[o.GetObjectKind().GroupVersionKind().GroupKind()][client.ObjectKeyFromObject(o)] != nil {
			continue
		}
		if err := s.enter(o); err != nil {
			return s.result, err
		}
	}
	if s.operated {
		s.sweep()
	}
	return s.result, nil
}

// turnOf is the place of an object's player among all, -1 when none plays it.
func (s *stage) turnOf(o client.Object) int {
	return slices.IndexFunc(s.players, func(p Player) bool {
		return p.Owns(o.GetObjectKind().GroupVersionKind().GroupKind())
	})
}

// identify has an object say its kind.
func (s *stage) identify(o client.Object) error {
	gvk, err := apiutil.GVKForObject(o, s.scheme)
	if err != nil {
		return fmt.Errorf("finding the kind of %s: %w", o.GetName(), err)
	}
	o.GetObjectKind().SetGroupVersionKind(gvk)
	return nil
}

// enter puts an object on the stage and lets its controller, if there is one, play it.
func (s *stage) enter(o client.Object) error {
	if err := s.identify(o); err != nil {
		return err
	}
	gvk := o.GetObjectKind().GroupVersionKind()
	if s.preset != nil {
		if err := s.preset(o); err != nil {
			return fmt.Errorf("setting defaults of %s %s: %w", gvk.Kind, o.GetName(), err)
		}
	}
	s.put(gvk.GroupKind(), o)
	i := s.turnOf(o)
	if i < 0 {
		return nil
	}
	if s.operated {
		if err := s.recall(o); err != nil {
			return err
		}
	}
	return s.players[i].play(s, o)
}

type player[T owner.Object] struct {
	kit.Definition[T]
	kind schema.GroupVersionKind
	// asked are the names of the checks that are asked.
	asked []string
}

func (p *player[T]) Owns(gk schema.GroupKind) bool { return gk == p.kind.GroupKind() }

// play runs the steps in the order of the graph.
func (p *player[T]) play(s *stage, obj client.Object) error {
	o, ok := obj.(T)
	if !ok {
		return fmt.Errorf("controller %s cannot play a %T", p.Name, obj)
	}
	v := &view[T]{stage: s, owner: o, refs: p.Refs, made: map[string][]client.Object{}, unsure: map[string]bool{}}
	s.turns = append(s.turns, turn{p, o, v.unsure})
	if err := p.steps(s, v); err != nil {
		return err
	}
	status := o.KitStatus()
	status.ObservedGeneration = o.GetGeneration()
	apimeta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue,
		Reason: "Rehearsed", ObservedGeneration: o.GetGeneration()})
	if p.Report != nil {
		p.Report(v, o)
	}
	return nil
}

// steps plays each step once what it comes after is played and what it reads is there. When all wait, the next one
// plays with stand-ins for what it reads: a person would have made that, or something outside of Kubernetes.
func (p *player[T]) steps(s *stage, v *view[T]) error {
	var played, refused []string
	for standIn := false; len(played) < len(p.Steps); {
		i := slices.IndexFunc(p.Steps, func(st step.Step[T]) bool {
			return !slices.Contains(played, st.Name) && all(st.After, played) && (standIn || p.off(v, &st) || v.has(st.Reads))
		})
		if i < 0 && standIn {
			return fmt.Errorf("the steps of controller %s wait for each other", p.Name)
		}
		if standIn = i < 0; standIn {
			continue
		}
		st := &p.Steps[i]
		played = append(played, st.Name)
		if some(st.After, refused) || !p.ask(s, v, st) {
			refused, v.unsure[st.Name] = append(refused, st.Name), true
			continue
		}
		if err := p.act(s, v, st); err != nil {
			return fmt.Errorf("playing step %s of %s %s: %w", st.Name, p.kind.Kind, v.owner.GetName(), err)
		}
	}
	return nil
}

func (p *player[T]) off(v *view[T], st *step.Step[T]) bool {
	return st.When != nil && !st.When(v.owner)
}

// ask tells what a check says, if it is one that is asked.
func (p *player[T]) ask(s *stage, v *view[T], st *step.Step[T]) bool {
	if p.off(v, st) || !slices.Contains(p.asked, st.Name) {
		return true
	}
	said := st.Act(s.ctx, step.NewScope(v.owner, st, v, logr.Discard(), time.Now()))
	if !said.Ready() {
		s.result.Refused = append(s.result.Refused, fmt.Sprintf("%s %s, step %s: %s", p.kind.Kind, v.owner.GetName(),
			st.Name, said.Message))
	}
	return said.Ready()
}

// act plays one step. Other checks and things outside of Kubernetes are taken to be well.
func (p *player[T]) act(s *stage, v *view[T], st *step.Step[T]) error {
	if p.off(v, st) {
		return nil
	}
	sc := step.NewScope(v.owner, st, v, logr.Discard(), time.Now())
	// Nothing is generated of a Secret that is made up, such as a certificate that an authority would have to sign.
	known := st.Kind != step.KindSecret || v.has(st.Reads)
	v.playing = st
	objects, err := objectsOf(sc, st, s)
	v.playing = nil
	if err == nil {
		err = sc.Err()
	}
	v.unsure[st.Name] = v.unsure[st.Name] || err != nil
	if waits, ok := errors.AsType[*outcome.Missing](err); ok {
		s.note("%s %s, step %s: %s", p.kind.Kind, v.owner.GetName(), st.Name, waits.Message)
		return nil
	}
	if err != nil && !known {
		s.note("%s %s, step %s: what it reads is not there", p.kind.Kind, v.owner.GetName(), st.Name)
		return nil
	}
	if err != nil {
		return err
	}
	for _, o := range objects {
		if o.GetNamespace() == "" {
			o.SetNamespace(v.owner.GetNamespace())
		}
		s.result.Made = append(s.result.Made, Made{Object: o, Controller: p.Name, Step: st.Name, Owner: v.owner})
		s.finish(o)
		if err := s.enter(o); err != nil {
			return err
		}
		v.made[st.Name] = append(v.made[st.Name], o)
	}
	return nil
}

func objectsOf[T owner.Object](sc *step.Scope[T], st *step.Step[T], s *stage) ([]client.Object, error) {
	switch st.Kind {
	case step.KindObjects:
		return st.Render(sc)
	case step.KindJob:
		job, err := st.Job(sc)
		if err != nil || job == nil {
			return nil, err
		}
		step.CompleteJob(job)
		return []client.Object{job}, nil
	case step.KindSecret:
		names, err := st.Render(sc)
		if err != nil || len(names) == 0 {
			return nil, err
		}
		var have map[string][]byte
		for n := 0; n < len(names) && len(have) == 0; n++ { // the Secret, or its copy
			have = s.secret(client.ObjectKeyFromObject(names[n]))
		}
		made, err := st.Generate(sc, have)
		if err != nil {
			return nil, err
		}
		// The loop knows the name and fills it in, so a step may leave it out. A copy has the same content.
		objects := make([]client.Object, len(names))
		for n := range names {
			sec := made.Secret.DeepCopy()
			sec.Name, sec.Namespace = names[n].GetName(), names[n].GetNamespace()
			objects[n] = sec
		}
		return objects, nil
	}
	return nil, nil
}

func all(want, have []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

func some(want, have []string) bool {
	return slices.ContainsFunc(want, func(w string) bool { return slices.Contains(have, w) })
}
