package intake

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// Request says what is taken in.
type Request struct {
	// Kinds whose resources are wanted, what others refer to first. Asked tells that somebody named them, so that one
	// that cannot be read is an error.
	Kinds []*d.Kind
	Asked bool
	// Namespace of the objects, the cloud that they name, and their policy.
	Namespace string
	Cloud     openstackv1.CloudReference
	Policy    string
	// Filter has fields and their values, as in spec.import.
	Filter map[string]string
}

// Plan is what there is to do.
type Plan struct {
	// Objects to make, those that others refer to first.
	Objects []*unstructured.Unstructured `json:"objects"`
	Tallies []Tally                      `json:"kinds"`
	// Omissions are what could not be taken in, and why.
	Omissions []Omission `json:"omissions,omitempty"`
}

// Tally counts the resources of a kind.
type Tally struct {
	Kind string `json:"kind"`
	// New get objects, Kept have one, Left cannot have one.
	New  int `json:"new"`
	Kept int `json:"kept"`
	Left int `json:"left"`
}

// Omission is why resources, or fields of them, were left out.
type Omission struct {
	// Kind, or the service of kinds that the cloud does not have at all.
	Kind   string `json:"kind"`
	Count  int    `json:"count"`
	Reason string `json:"reason"`
	// Example is one of the resources.
	Example string `json:"example,omitempty"`
}

// planner makes a plan.
type planner struct {
	Request
	cluster *Cluster
	plan    *Plan
	// names are the objects of the namespace and the cloud by what they stand for, refers what they refer to by name.
	names  map[place]string
	refers map[string][]string
	by     map[string][]string
	drafts []*draft
}

// draft is an object to be.
type draft struct {
	resources.Found
	*read
	name string
}

// New plans which objects are made for what a census finds.
func New(ctx context.Context, census *resources.Census, cluster *Cluster, want Request) (*Plan, error) {
	p := &planner{Request: want, cluster: cluster, plan: &Plan{Objects: []*unstructured.Unstructured{}},
		names: map[place]string{}, refers: map[string][]string{}, by: otherKeys(want.Kinds)}
	if err := p.checkFilter(); err != nil {
		return nil, err
	}
	absent := map[string][]string{}
	for _, k := range want.Kinds {
		switch {
		case !selects(k, want.Filter):
			continue
		case !want.Asked && !census.Serves(k):
			absent[k.Service] = append(absent[k.Service], k.Name)
			continue
		}
		found, err := census.Of(ctx, k.Name)
		if err != nil && (want.Asked || !Forgivable(err)) {
			return nil, err
		}
		if err != nil {
			p.omit(Omission{Kind: k.Name, Reason: err.Error()})
			continue
		}
		if n := census.Hidden(k.Name); n > 0 {
			p.omit(Omission{Kind: k.Name, Count: n, Reason: "the cloud does not let these credentials look into all places"})
		}
		p.kind(k, found)
	}
	for _, service := range slices.Sorted(maps.Keys(absent)) {
		p.omit(Omission{Kind: service, Reason: "the cloud has no such service, and so none of " +
			strings.Join(absent[service], ", ")})
	}
	for _, x := range p.drafts {
		p.plan.Objects = append(p.plan.Objects, p.object(x))
	}
	return p.plan, nil
}

// Forgivable tells whether an error is about one kind alone, such as one that the credentials may not read.
func Forgivable(err error) bool {
	switch openstack.ClassOf(err) {
	case openstack.Auth, openstack.NotFound, openstack.Invalid:
		return true
	}
	return false
}

// otherKeys are the fields, besides the id, by which fields of any kind refer to a kind.
func otherKeys(kinds []*d.Kind) map[string][]string {
	out := map[string][]string{}
	var look func(fields []d.Field)
	look = func(fields []d.Field) {
		for _, f := range fields {
			if f.By != "" && !slices.Contains(out[f.Ref], f.By) {
				out[f.Ref] = append(out[f.Ref], f.By)
			}
			look(f.Fields)
		}
	}
	for _, k := range kinds {
		look(k.Fields)
	}
	return out
}

// kind sorts the resources of a kind into those that get objects and those that do not.
func (p *planner) kind(k *d.Kind, found []resources.Found) {
	t := Tally{Kind: k.Name}
	n := newNamer(k.Name, p.cluster.names(k.Name, p.Namespace))
	cloud := Cloud(p.Cloud, p.Namespace)
	var drafts []*draft
	for _, f := range found {
		if !fits(f, p.Filter) {
			continue
		}
		if o := p.cluster.Keeper(f, cloud); o != nil {
			t.Kept++
			if o.GetNamespace() == p.Namespace && p.cluster.cloudOf(o) == cloud {
				p.call(f, o.GetName())
			}
			continue
		}
		x := &draft{Found: f, read: readResource(k, f.Fields)}
		if why := p.refuses(x); why != "" {
			t.Left++
			p.omit(Omission{k.Name, 1, why, p.label(f)})
			continue
		}
		drafts = append(drafts, x)
		n.hope(p.label(f))
	}
	for _, x := range drafts {
		x.name = n.name(p.label(x.Found), x.ID)
		p.call(x.Found, x.name)
		t.New++
	}
	p.drafts = append(p.drafts, drafts...)
	if t != (Tally{Kind: k.Name}) {
		p.plan.Tallies = append(p.plan.Tallies, t)
	}
}

// refuses tells why a resource cannot have an object.
func (p *planner) refuses(x *draft) string {
	if p.cluster.Foreign(x.Found) && p.Policy != policyObserve {
		return "it carries the marker of an object that this cluster does not have, so that it can be observed only"
	}
	if len(x.missing) == 0 {
		return ""
	}
	why := "OpenStack does not show " + strings.Join(x.missing, ", ") + ", or not as an object may have it"
	if x.Kind.Keyed() || partOfOthers(x.Kind) {
		return why
	}
	p.omit(Omission{x.Kind.Name, 1, "spec.resource is left out: " + why, p.label(x.Found)})
	x.resource, x.unfit = nil, nil
	return ""
}

// partOfOthers tells whether spec.resource has to say where a resource is.
func partOfOthers(k *d.Kind) bool {
	return slices.ContainsFunc(k.Fields, func(f d.Field) bool {
		return strings.Contains(k.Path, "{"+f.API+"}") && !f.Own && f.Const == nil
	})
}

// call gives a resource the name of its object, by which others refer to it.
func (p *planner) call(f resources.Found, name string) {
	kind := f.Kind.Name
	p.names[place{kind, "", f.ID}] = name
	for _, by := range p.by[kind] {
		v := text(f.Fields[by])
		if v == "" {
			continue
		}
		at := place{kind, by, v}
		if other, taken := p.names[at]; taken && other != name {
			p.names[at] = "" // neither is meant for certain
			continue
		}
		p.names[at] = name
	}
}

const policyObserve = "observe"

func (p *planner) object(x *draft) *unstructured.Unstructured {
	policy := p.Policy
	if x.Kind.ReadOnly {
		policy = policyObserve
	}
	spec := map[string]any{"policy": policy, "cloudRef": map[string]any{"kind": p.Cloud.Kind, "name": p.Cloud.Name}}
	if !x.Kind.Keyed() {
		spec["import"] = map[string]any{"id": x.ID}
	}
	if x.resource != nil {
		spec["resource"] = p.resolve(x.resource, x.Kind.Name+"/"+x.name)
	}
	for _, why := range x.unfit {
		p.omit(Omission{x.Kind.Name, 1, why + ", so that it is left out of spec.resource", x.name})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": openstackv1.GroupVersion.String(), "kind": x.Kind.Name,
		"metadata": map[string]any{"name": x.name, "namespace": p.Namespace}, "spec": spec,
	}}
}

// resolve turns pointers into references: by name to what has an object, and else by id.
func (p *planner) resolve(v any, from string) any {
	switch x := v.(type) {
	case pointer:
		to := p.names[place(x)]
		if to == "" || p.reaches(x.kind+"/"+to, from) {
			return map[string]any{"id": x.id()}
		}
		p.refers[from] = append(p.refers[from], x.kind+"/"+to)
		return map[string]any{"name": to}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			x[key] = p.resolve(x[key], from)
		}
	case []any:
		for i, inner := range x {
			x[i] = p.resolve(inner, from)
		}
	}
	return v
}

// reaches tells whether an object refers to another, over however many. Objects that refer to each other would wait for
// each other.
func (p *planner) reaches(from, to string) bool {
	return from == to || slices.ContainsFunc(p.refers[from], func(next string) bool { return p.reaches(next, to) })
}

func (p *planner) omit(o Omission) {
	for i := range p.plan.Omissions {
		if have := &p.plan.Omissions[i]; have.Kind == o.Kind && have.Reason == o.Reason {
			have.Count += o.Count
			return
		}
	}
	p.plan.Omissions = append(p.plan.Omissions, o)
}

// filterField finds a field by the name that filters have for it.
func filterField(k *d.Kind, name string) (d.Field, bool) {
	for _, f := range k.Fields {
		if (f.Shown() == name || f.API == name) && !f.WriteOnly && f.Type != d.Secret {
			return f, true
		}
	}
	return d.Field{}, false
}

// selects tells whether resources of a kind can fit a filter.
func selects(k *d.Kind, filter map[string]string) bool {
	for name := range filter {
		if _, ok := filterField(k, name); !ok && name != "id" {
			return false
		}
	}
	return true
}

func fits(f resources.Found, filter map[string]string) bool {
	for name, want := range filter {
		field, ok := filterField(f.Kind, name)
		switch seen := body.Actual(field, f.Fields); {
		case !ok:
			if f.ID != want {
				return false
			}
		case field.Type == d.Strings:
			if !slices.ContainsFunc(list(seen), func(e any) bool { return text(e) == want }) {
				return false
			}
		case !body.Same(field, want, seen):
			return false
		}
	}
	return true
}

// checkFilter refuses a filter that nothing can fit.
func (p *planner) checkFilter() error {
	known := map[string]bool{"id": true}
	for _, k := range p.Kinds {
		if selects(k, p.Filter) {
			return nil
		}
		for _, f := range k.Fields {
			if _, ok := filterField(k, f.Shown()); ok {
				known[f.Shown()] = true
			}
		}
	}
	return &FilterError{fmt.Sprintf("no kind has all the fields of the filter; the fields are %s",
		strings.Join(slices.Sorted(maps.Keys(known)), ", "))}
}

// FilterError is a filter that nothing can fit.
type FilterError struct{ message string }

// Error says which fields there are.
func (e *FilterError) Error() string { return e.message }
