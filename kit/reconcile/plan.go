// Package reconcile is the loop: one owner, one run over its graph of steps, one status write at the end.
package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"stackwright.dev/kit/cache"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/graph"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

// Config is a controller's definition as the loop takes it.
type Config[T owner.Object] struct {
	Name       string
	New        func() T
	Refs       []ref.Ref[T]
	Steps      []step.Step[T]
	Report     func(v step.View, o T)
	Guard      func(v step.View, o T) string
	Inherits   func(o T) bool
	Estate     []client.Object
	Turn       func(o T) (done func())
	Notice     func(o T, gone bool)
	Parallel   int
	Deadline   time.Duration
	Components []string
	Pods       labels.Selector
}

// Plan is a checked Config: the graph, and every name resolved.
type Plan[T owner.Object] struct {
	Config[T]
	Kind   schema.GroupVersionKind
	Graph  *graph.Graph
	leave  *graph.Graph // with the edges that only deletion follows
	levels [][]int
	level  []int
	refs   map[string]int
	reads  [][]int
	sees   [][]int
	seen   []bool // some step looks at the objects of this one
	makes  []map[schema.GroupKind]bool
	refGK  []schema.GroupKind
	kinds  string

	madeKinds, readKinds, heldKinds, estateKinds []schema.GroupVersionKind
}

// NewPlan checks a config. The error joins everything that is wrong with it.
func NewPlan[T owner.Object](c Config[T], scheme *runtime.Scheme) (*Plan[T], error) {
	p := &Plan[T]{Config: c, refs: map[string]int{}}
	gvk, err := apiutil.GVKForObject(c.New(), scheme)
	if err != nil {
		return nil, fmt.Errorf("controller %s: finding the kind of its owner: %w", c.Name, err)
	}
	p.Kind = gvk
	nodes := make([]graph.Node, len(c.Steps))
	for i := range c.Steps {
		nodes[i] = graph.Node{Name: c.Steps[i].Name, After: c.Steps[i].After}
	}
	p.Graph, err = graph.New(nodes)
	if err != nil {
		return nil, fmt.Errorf("controller %s: %w", c.Name, err)
	}
	if p.leave, err = leaveGraph(nodes, c.Steps); err != nil {
		return nil, fmt.Errorf("controller %s: %w", c.Name, err)
	}
	order, err := graph.New(p.behind(nodes))
	if err != nil {
		return nil, fmt.Errorf("controller %s: in the order in which steps are looked at: %w", c.Name, err)
	}
	p.levels = order.Levels()
	p.level = make([]int, len(c.Steps))
	for n, l := range p.levels {
		for _, i := range l {
			p.level[i] = n
		}
	}
	if err := errors.Join(p.resolveRefs(scheme), p.resolveSteps(scheme), p.resolveEstate(scheme)); err != nil {
		return nil, fmt.Errorf("controller %s: %w", c.Name, err)
	}
	return p, nil
}

// behind has a step come after those it looks at, too, but for those that come after it. It does not wait until they
// are done; but it runs when they have, as the same look says next time whether there is anything new to see.
func (p *Plan[T]) behind(nodes []graph.Node) []graph.Node {
	nodes = slices.Clone(nodes)
	for i := range nodes {
		sees := slices.DeleteFunc(slices.Clone(p.Steps[i].Sees), func(s string) bool { return p.Graph.Leads(i, s) })
		nodes[i].After = slices.Concat(nodes[i].After, sees)
	}
	return nodes
}

// leaveGraph is the graph whose way back deletion takes.
func leaveGraph[T owner.Object](nodes []graph.Node, steps []step.Step[T]) (*graph.Graph, error) {
	nodes = slices.Clone(nodes)
	for i := range steps {
		for _, name := range steps[i].Outlives {
			j := slices.IndexFunc(nodes, func(n graph.Node) bool { return n.Name == name })
			if j < 0 {
				return nil, fmt.Errorf("step %q outlives %q, which is no step", steps[i].Name, name)
			}
			nodes[j].After = append(slices.Clone(nodes[j].After), steps[i].Name)
		}
	}
	return graph.New(nodes)
}

func (p *Plan[T]) resolveRefs(scheme *runtime.Scheme) error {
	var errs []error
	for i := range p.Refs {
		r := &p.Refs[i]
		if _, ok := p.refs[r.Name]; ok {
			errs = append(errs, fmt.Errorf("two references are named %q; rename one", r.Name))
		}
		p.refs[r.Name] = i
		gvk, err := apiutil.GVKForObject(r.Kind, scheme)
		if err != nil {
			errs = append(errs, fmt.Errorf("reference %s: finding its kind: %w", r.Name, err))
		}
		p.refGK = append(p.refGK, gvk.GroupKind())
		p.readKinds = append(p.readKinds, gvk)
		if r.Held {
			p.heldKinds = append(p.heldKinds, gvk)
		}
	}
	return errors.Join(errs...)
}

func (p *Plan[T]) resolveSteps(scheme *runtime.Scheme) error {
	var errs []error
	var kinds []string
	p.reads, p.sees = make([][]int, len(p.Steps)), make([][]int, len(p.Steps))
	p.makes, p.seen = make([]map[schema.GroupKind]bool, len(p.Steps)), make([]bool, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Advises && (s.Kind != step.KindCheck || len(p.Graph.After(i)) > 0) {
			errs = append(errs, fmt.Errorf("step %s only advises, so it must be a Check, and no step may come after it", s.Name))
		}
		for _, name := range s.Reads {
			j, ok := p.refs[name]
			if !ok {
				errs = append(errs, fmt.Errorf("step %s reads %q, which is no reference; declare it", s.Name, name))
				continue
			}
			p.reads[i] = append(p.reads[i], j)
		}
		for j := range p.Steps {
			if slices.Contains(s.Sees, p.Steps[j].Name) {
				p.sees[i] = append(p.sees[i], j)
				p.seen[j] = true
			}
		}
		p.makes[i] = map[schema.GroupKind]bool{}
		for _, proto := range s.Makes {
			gvk, err := apiutil.GVKForObject(proto, scheme)
			if err != nil {
				errs = append(errs, fmt.Errorf("step %s: finding the kind of %T: %w", s.Name, proto, err))
				continue
			}
			p.makes[i][gvk.GroupKind()] = true
			p.madeKinds = append(p.madeKinds, gvk)
			kinds = append(kinds, gvk.GroupKind().String())
		}
	}
	slices.Sort(kinds)
	p.kinds = strings.Join(slices.Compact(kinds), ",")
	return errors.Join(errs...)
}

func (p *Plan[T]) resolveEstate(scheme *runtime.Scheme) error {
	for _, proto := range p.Estate {
		gvk, err := apiutil.GVKForObject(proto, scheme)
		if err != nil {
			return fmt.Errorf("estate: finding the kind of %T: %w", proto, err)
		}
		p.estateKinds = append(p.estateKinds, gvk)
	}
	return nil
}

// Declare tells a store which kinds the plan needs and how.
func (p *Plan[T]) Declare(s *cache.Store) {
	s.Add(p.Kind, cache.Use{Whole: true, Unowned: true})
	kinds := p.madeKinds
	for i := range p.Steps {
		for n, proto := range p.Steps[i].Makes {
			_, cr := proto.(owner.Object)
			gated := gate.NeedsStatus(kinds[n]) || p.Steps[i].Gates[kinds[n].Kind] != nil
			s.Add(kinds[n], cache.Use{Status: gated, Whole: cr})
		}
		kinds = kinds[len(p.Steps[i].Makes):]
	}
	for _, gvk := range p.estateKinds {
		s.Add(gvk, cache.Use{})
	}
	for i := range p.Refs {
		_, cr := p.Refs[i].Kind.(owner.Object)
		deep := p.Refs[i].Digest != nil || p.Refs[i].Gate != nil
		s.Add(p.readKinds[i], cache.Use{Unowned: true, Whole: cr || (deep && !hasContent(p.Refs[i].Kind))})
	}
	if p.looksAtPods() {
		s.Add(podKind, cache.Use{Status: true, Select: p.Pods})
	}
}

func hasContent(o client.Object) bool {
	switch o.(type) {
	case *corev1.Secret, *corev1.ConfigMap:
		return true
	}
	return false
}

// makesStatus tells whether records of a kind carry status, so that a Report may look at them.
func (p *Plan[T]) makesStatus(gk schema.GroupKind) bool {
	for i := range p.Steps {
		for _, proto := range p.Steps[i].Makes {
			if _, cr := proto.(owner.Object); cr && p.makes[i][gk] {
				return true
			}
		}
	}
	return gate.NeedsStatus(gk.WithVersion(""))
}

// StepInfo describes a step for documents and tools.
type StepInfo struct {
	Name, Kind, Condition, Component string
	Level                            int
	After, Reads                     []string
}

// Info describes the steps, by level.
func (p *Plan[T]) Info() []StepInfo {
	var out []StepInfo
	for n, level := range p.levels {
		for _, i := range level {
			s := &p.Steps[i]
			out = append(out, StepInfo{Name: s.Name, Kind: string(s.Kind), Condition: s.Condition, Component: s.Component,
				Level: n, After: s.After, Reads: s.Reads})
		}
	}
	return out
}

// Declared returns the kinds that steps make, that references name and that they hold.
func (p *Plan[T]) Declared() (makes, reads, held []schema.GroupVersionKind) {
	reads = p.readKinds
	if p.looksAtPods() {
		reads = append(slices.Clone(reads), podKind)
	}
	return p.madeKinds, reads, p.heldKinds
}

// EstateKinds returns the kinds that the owner only inherits.
func (p *Plan[T]) EstateKinds() []schema.GroupVersionKind { return p.estateKinds }

// Kinds calls f for the group kind of owner, children, references and estate, each once.
func (p *Plan[T]) Kinds(s *cache.Store, f func(schema.GroupKind) error) error {
	makes, reads, _ := p.Declared()
	all := slices.Concat([]schema.GroupVersionKind{p.Kind}, makes, reads, p.estateKinds)
	done := map[schema.GroupKind]bool{}
	for _, gvk := range all {
		gk := gvk.GroupKind()
		if done[gk] || !s.Has(gk) {
			continue
		}
		done[gk] = true
		if err := f(gk); err != nil {
			return err
		}
	}
	return nil
}
