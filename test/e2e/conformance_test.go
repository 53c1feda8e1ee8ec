//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/test/e2e/story"
)

// Each kind of identity does on the real Keystone what internal/resources plays with the fake one.
func TestIdentityConforms(t *testing.T) {
	story.InCI(t)
	w := story.Start(t)
	w.Cloud()
	offerCloud(w)
	newSuite(w, plan{objects: manifest(w, "testdata/identity.yaml"), services: []string{"identity"},
		also: (*suite).unmade, patience: 2 * time.Minute}).conforms()
}

// conforms plays all that a kind does, with all kinds at once.
func (s *suite) conforms() {
	s.Helper()
	for _, step := range []struct {
		name string
		play func()
	}{
		{"made", s.made}, {"edited", s.edited}, {"drifted", s.drifted}, {"deleted outside", s.deletedOutside},
		{"let go", s.letGo}, {"observed", s.observed}, {"not taken", s.foreign}, {"imported by id", s.importedByID},
		{"imported by filter", s.importedByFilter}, {"adopted and deleted", s.adopted},
	} {
		if s.now = step.name; s.plan.idle[s.now] != "" {
			continue
		}
		began := time.Now()
		step.play()
		if s.idles() {
			s.Errorf("no kind took part in %q", s.now)
		}
		s.took = append(s.took, fmt.Sprintf("%s %s", step.name, time.Since(began).Round(time.Second)))
	}
	removeAll(s.World, s.shared)
	s.tell()
}

// made makes all objects at once under an operator that is killed meanwhile: there is one of each in the end.
func (s *suite) made() {
	s.Helper()
	s.plays(s.objects)
	ctx, end := context.WithCancel(s.Context())
	defer end()
	census, before := s.census(ctx), map[string]int{}
	for i, o := range s.objects {
		before[o.GetKind()] = s.count(ctx, census, o)
		s.Apply(o)
		if i == len(s.objects)/2 {
			s.MustCrash(operators, "stackwright-operator")
		}
	}
	s.done()
	s.learn()
	s.total = map[string]int{}
	for _, o := range s.objects {
		s.total[o.GetKind()] = max(s.total[o.GetKind()], before[o.GetKind()]) + 1
	}
	for kind, n := range s.plan.more {
		s.total[kind] += n
	}
	s.mustLook()
}

// count is how many resources of an object's kind there are. What those are parts of that the story makes is not there
// yet, and there is always one of a singleton.
func (s *suite) count(ctx context.Context, census *resources.Census, o *unstructured.Unstructured) int {
	s.Helper()
	if kindOf(o).Shape == d.Singleton {
		return 0
	}
	all, err := s.all(ctx, census, o)
	if err != nil {
		s.Fatal(err)
	}
	return len(all)
}

// edited changes each field of the edits, twice.
func (s *suite) edited() {
	s.Helper()
	s.plays(s.withEdits())
	for n := range 2 {
		for _, o := range s.withEdits() {
			s.patch(o, map[string]any{"resource": s.edits[nameOf(o)][n]})
		}
		s.done()
		s.learn()
		s.Eventually(time.Minute, "the cloud has all edits", s.has(n))
	}
	if s.plan.also != nil {
		s.plan.also(s)
	}
}

// has checks that the cloud has the n-th values of all fields of the edits.
func (s *suite) has(n int) func(context.Context) error {
	return func(ctx context.Context) error {
		found, err := s.look(ctx)
		errs := []error{err}
		for _, o := range s.withEdits() {
			want := s.wanted(kindOf(o), s.edits[nameOf(o)][n], "")
			for _, f := range s.fields(o) {
				v, ok := want[f.API]
				if seen := body.Actual(f, found[nameOf(o)].Fields); ok && !f.WriteOnly && !body.Same(f, v, seen) {
					errs = append(errs, fmt.Errorf("%s has %s %v, want %v", nameOf(o), f.API, seen, v))
				}
			}
		}
		if s.plan.shows != nil {
			errs = append(errs, s.plan.shows(ctx, s, n))
		}
		return errors.Join(errs...)
	}
}

// unmade declares what Keystone takes and does not do, which the object tells.
func (s *suite) unmade() {
	s.Helper()
	i := slices.IndexFunc(s.objects, func(o *unstructured.Unstructured) bool { return nameOf(o) == limit })
	s.patch(s.objects[i], map[string]any{"resource": map[string]any{"resourceLimit": 0}})
	o := &openstackv1.Limit{}
	o.Namespace, o.Name = s.objects[i].GetNamespace(), s.objects[i].GetName()
	s.Eventually(20*time.Second, "what is not made is told", func(ctx context.Context) error {
		if err := s.Get(ctx, s.Key(o), o); err != nil {
			return err
		}
		c := meta.FindStatusCondition(o.KitStatus().Conditions, "Drifted")
		if c == nil || !strings.Contains(c.Message, "differs in resourceLimit. The API took the change") {
			return fmt.Errorf("its conditions are %v", o.KitStatus().Conditions)
		}
		return nil
	})
	s.patch(s.objects[i], map[string]any{"resource": map[string]any{"resourceLimit": 10}})
	s.done()
	s.learn()
}

// drifted changes each field behind the operator's back: that is told, left alone and put right, as the object says.
func (s *suite) drifted() {
	s.Helper()
	s.plays(s.withEdits())
	s.patchAll(map[string]any{"drift": "Report"})
	found := s.mustLook()
	for _, o := range s.withEdits() {
		s.spoil(o, found[nameOf(o)])
	}
	s.Eventually(s.plan.patience, "drift is told", s.tells(true))
	if err := s.has(0)(s.Context()); err != nil {
		s.Errorf("what is only to be reported was changed: %v", err)
	}
	s.patchAll(map[string]any{"drift": "Ignore"})
	s.Eventually(time.Minute, "what is to be left alone is not told", s.tells(false))
	s.Holds(15*time.Second, "it is left alone", s.has(0))
	s.patchAll(map[string]any{"drift": nil})
	s.Eventually(time.Minute, "drift is corrected", s.has(1))
	s.done()
}

// tells checks that each object lists the fields that differ, or none.
func (s *suite) tells(drift bool) func(context.Context) error {
	return func(ctx context.Context) error {
		errs := []error{}
		for _, o := range s.objects {
			now := o.DeepCopy()
			if err := s.Get(ctx, s.Key(o), now); err != nil {
				return err
			}
			told, _, _ := unstructured.NestedSlice(now.Object, "status", "drift")
			if want := len(s.edits[nameOf(o)][0]); drift && len(told) != want || !drift && len(told) > 0 {
				errs = append(errs, fmt.Errorf("%s lists %d fields of %d: %v", nameOf(o), len(told), want, told))
			}
		}
		return errors.Join(errs...)
	}
}

// deletedOutside deletes everything behind the operator's back: it is made again, once. Of tangled resources some could
// not be deleted any more if others came back meanwhile.
func (s *suite) deletedOutside() {
	s.Helper()
	s.plays(s.objects)
	if s.plan.tangled {
		s.away(func() { s.Eventually(s.plan.patience, "everything is deleted outside", s.emptied) })
	} else if err := s.clear(s.Context()); err != nil {
		s.Fatal(err)
	}
	s.Eventually(max(s.plan.patience, 2*time.Minute), "everything is made again", func(ctx context.Context) error {
		if err := allReady(ctx, s.World, s.objects); err != nil {
			return err
		}
		s.learn()
		_, err := s.look(ctx)
		return err
	})
	s.Eventually(time.Minute, "it is as declared", s.has(1))
}

// letGo takes the objects away, and leaves what they stand for.
func (s *suite) letGo() {
	s.Helper()
	s.plays(s.objects)
	s.patchAll(map[string]any{"policy": "detach"})
	for _, o := range s.objects {
		s.named[nameOf(o)] = runtime.DeepCopyJSON(s.specs[nameOf(o)])
		s.pin(kindOf(o).Fields, s.specs[nameOf(o)])
		for _, f := range kindOf(o).Fields {
			if _, said := s.specs[nameOf(o)][f.Spec()]; !said && f.Named {
				s.specs[nameOf(o)][f.Spec()] = o.GetName()
			}
		}
	}
	removeAll(s.World, s.objects)
	s.kept = s.mustLook()
}

// pin replaces references by ids.
func (s *suite) pin(fields []d.Field, declared map[string]any) {
	s.Helper()
	for _, f := range fields {
		v, ok := declared[f.Spec()]
		list, isList := v.([]any)
		if !isList {
			list = []any{v}
		}
		for i := range list {
			m, isMap := list[i].(map[string]any)
			switch {
			case !ok || !isMap:
			case f.IsRef():
				f.Ref = body.RefKind(f, fields, declared)
				id, err := s.ID(f, m)
				if err != nil || id == "" {
					s.Fatalf("finding the %s that %v stands for: %v", f.Ref, m, err)
				}
				list[i] = map[string]any{"id": id}
			default:
				s.pin(f.Fields, m)
			}
		}
		if ok && !isList {
			declared[f.Spec()] = list[0]
		}
	}
}

// left is a resource that an object has left in the cloud.
type left struct {
	kind *d.Kind
	id   string
	// hidden ones are found by their id alone.
	hidden bool
	// resource is what the object declared.
	resource map[string]any
}

// spec is one that takes a resource over, or looks at it, by its id or by what else tells it from others.
func (l left) spec(policy string, how map[string]any) map[string]any {
	out := map[string]any{"policy": policy, "resource": l.resource}
	if l.hidden {
		how = map[string]any{"id": l.id}
	}
	if how != nil {
		out["import"] = how
	}
	return out
}

// again makes objects for what is there, of the kinds for which spec returns one, waits for the check of them, deletes
// them, and looks whether the cloud has what it had.
func (s *suite) again(what string, spec func(left) map[string]any,
	check func(context.Context, []*unstructured.Unstructured) error) {
	s.Helper()
	var made []*unstructured.Unstructured
	for _, o := range s.objects {
		with := spec(s.left(o))
		if with == nil {
			continue
		}
		u := &unstructured.Unstructured{Object: map[string]any{"spec": with}}
		u.SetGroupVersionKind(o.GroupVersionKind())
		u.SetNamespace(o.GetNamespace())
		u.SetName(o.GetName())
		s.Apply(u)
		made = append(made, u)
	}
	s.plays(made)
	s.Eventually(s.plan.patience, what, func(ctx context.Context) error { return check(ctx, made) })
	removeAll(s.World, made)
	s.same(s.mustLook(), s.kept)
}

// stand checks that objects are ready and stand for what is there.
func (s *suite) stand(ctx context.Context, made []*unstructured.Unstructured) error {
	if err := allReady(ctx, s.World, made); err != nil {
		return err
	}
	for _, o := range made {
		id, _, _ := unstructured.NestedString(s.live(o).Object, "status", "id")
		if want := s.ids[nameOf(o)]; id != want {
			s.Errorf("%s stands for %s, want %s", nameOf(o), id, want)
		}
	}
	_, err := s.look(ctx)
	return err
}

// left is what an object has left.
func (s *suite) left(o *unstructured.Unstructured) left {
	name := nameOf(o)
	return left{kind: kindOf(o), id: s.ids[name], hidden: s.hidden[name], resource: maps.Clone(s.specs[name])}
}

func (s *suite) observed() {
	s.Helper()
	s.again("all are observed", func(l left) map[string]any { return l.spec("observe", nil) }, s.stand)
}

// foreign declares what somebody else has made: it is not taken for ours, and what is made beside it goes with the
// object.
func (s *suite) foreign() {
	s.Helper()
	total, since := s.total, time.Time{}
	s.total = nil // the API may allow two of a name
	s.again("all that belongs to nobody is left alone", func(l left) map[string]any {
		if l.kind.Shape == d.Singleton {
			return nil // a quota is nobody's
		}
		return map[string]any{"resource": l.resource}
	}, func(ctx context.Context, made []*unstructured.Unstructured) error {
		errs := []error{}
		for _, o := range made {
			now := o.DeepCopy()
			if err := s.Get(ctx, s.Key(o), now); err != nil {
				return err
			}
			says := unready(now)
			id, _, _ := unstructured.NestedString(now.Object, "status", "id")
			switch {
			case says == "" && !kindOf(o).Keyed() && id == s.ids[nameOf(o)]:
				s.Errorf("%s took %s, which is not its own", nameOf(o), id)
			case strings.Contains(says, "no condition"), strings.HasPrefix(says, "Progressing"):
				errs = append(errs, fmt.Errorf("%s: %s", nameOf(o), says))
			}
		}
		if since.IsZero() && len(errs) == 0 {
			since = time.Now()
		}
		if len(errs) == 0 && time.Since(since) < 5*time.Second {
			return errors.New("they may think better of it")
		}
		return errors.Join(errs...)
	})
	s.total = total
	s.same(s.mustLook(), s.kept)
}

func (s *suite) importedByID() {
	s.Helper()
	s.again("all are taken over by their ids", func(l left) map[string]any {
		if l.kind.Keyed() {
			return nil // it has none
		}
		return l.spec("detach", map[string]any{"id": l.id})
	}, s.stand)
}

func (s *suite) importedByFilter() {
	s.Helper()
	s.again("all are taken over by a filter", func(l left) map[string]any {
		filter, wanted := map[string]any{}, s.wanted(l.kind, l.resource, "")
		for _, api := range l.kind.Key {
			f, _ := l.kind.Field(api)
			if v := wanted[api]; v != nil && f.Type != d.Secret {
				filter[f.Shown()] = fmt.Sprint(v)
			}
		}
		if l.kind.Keyed() || len(filter) == 0 {
			return nil // what is declared says which one it is, or only a Secret does
		}
		return l.spec("detach", map[string]any{"filter": filter})
	}, s.stand)
}

// adopted takes all over by what is declared, and deletes it. Tangled resources are deleted in the order that their
// objects' references tell.
func (s *suite) adopted() {
	s.Helper()
	s.plays(s.objects)
	for _, o := range s.objects {
		u, l := o.DeepCopy(), s.left(o)
		if s.plan.tangled {
			l.resource = s.named[nameOf(o)]
		}
		u.Object["spec"] = l.spec("adopt", nil)
		s.Apply(u)
	}
	s.Eventually(s.plan.patience, "all are adopted", func(ctx context.Context) error { return s.stand(ctx, s.objects) })
	removeAll(s.World, s.objects)
	if err := s.nothing(s.Context()); err != nil {
		s.Error(err)
	}
}
