//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/resources/sample"
	"stackwright.dev/stackwright/test/e2e/story"
)

// suite is a cloud in which each object of a story stands for one resource of some services. What the cloud has is read
// by the descriptors, without the operator.
type suite struct {
	*story.World
	door    resources.Door
	objects []*unstructured.Unstructured
	// ids of what the objects stand for, specs by which they can be made anew, when nothing else is there, and kept, what
	// the cloud had of each when they were let go. The keys are Kind/name.
	ids   map[string]string
	specs map[string]map[string]any
	kept  map[string]resources.Found
	// hidden are in no list that the credentials see.
	hidden map[string]bool
	// total is how many resources of a kind there are.
	total map[string]int
}

func newSuite(w *story.World, objects []*unstructured.Unstructured, services ...string) *suite {
	w.Helper()
	for _, service := range services {
		everyKind(w, objects, service)
	}
	login := &corev1.Secret{}
	key := client.ObjectKey{Namespace: "openstack", Name: "openstack-keystone-clouds"}
	if err := w.Get(w.Context(), key, login); err != nil {
		w.Fatal(err)
	}
	pool := openstack.NewPool(openstack.Options{})
	w.Cleanup(pool.Close)
	door, err := resources.Sessions(pool)(w.Context(), "story",
		resources.ConfigOf(&openstackv1.CloudSpec{Entry: "default"}, login.Data))
	if err != nil {
		w.Fatal(err)
	}
	s := &suite{World: w, door: door, ids: map[string]string{}, specs: map[string]map[string]any{},
		hidden: map[string]bool{}}
	w.Cleanup(func() {
		if s.Leave(); !s.Failed() {
			return
		}
		// What objects were taken away from would be in the way of other stories.
		if err := s.clear(context.Background()); err != nil {
			s.Logf("something is left in the cloud: %v", err)
		}
	})
	for _, o := range objects {
		if k := kindOf(o); k != nil && slices.Contains(services, k.Service) && !k.ReadOnly {
			s.objects = append(s.objects, o)
			continue
		}
		w.Apply(o)
	}
	return s
}

// kindOf is the kind of an object; nil for one that is no resource of OpenStack.
func kindOf(o *unstructured.Unstructured) *d.Kind {
	i := slices.IndexFunc(kinds.Served(), func(k *d.Kind) bool { return k.Name == o.GetKind() })
	if i < 0 {
		return nil
	}
	return kinds.Served()[i]
}

func nameOf(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }

// live reads an object.
func (s *suite) live(o *unstructured.Unstructured) *unstructured.Unstructured {
	s.Helper()
	now := o.DeepCopy()
	if err := s.Get(s.Context(), s.Key(o), now); err != nil {
		s.Fatal(err)
	}
	return now
}

// patch changes the spec of an object.
func (s *suite) patch(o *unstructured.Unstructured, spec map[string]any) {
	s.Helper()
	raw, err := json.Marshal(map[string]any{"spec": spec})
	if err != nil {
		s.Fatal(err)
	}
	if err := s.Patch(s.Context(), o.DeepCopy(), client.RawPatch(types.MergePatchType, raw)); err != nil {
		s.Fatalf("changing %s: %v", nameOf(o), err)
	}
}

// patchAll changes the specs of all objects, and waits until each is as declared.
func (s *suite) patchAll(spec map[string]any) {
	s.Helper()
	for _, o := range s.objects {
		s.patch(o, spec)
	}
	s.done()
}

// done waits until all objects are ready as they are declared now.
func (s *suite) done() {
	s.Helper()
	s.Eventually(2*time.Minute, "everything is ready", func(ctx context.Context) error {
		return allDone(ctx, s.World, s.objects)
	})
}

// census reads the cloud anew.
func (s *suite) census(ctx context.Context) *resources.Census {
	return resources.NewCensus(ctx, kinds.Served(), s.door, resources.Scope{AllProjects: true})
}

// learn notes what the objects stand for.
func (s *suite) learn() {
	s.Helper()
	for _, o := range s.objects {
		now := s.live(o)
		s.ids[nameOf(o)], _, _ = unstructured.NestedString(now.Object, "status", "id")
		s.specs[nameOf(o)], _, _ = unstructured.NestedMap(now.Object, "spec", "resource")
	}
}

// look finds in the cloud what the objects stand for. It is an error when one of them stands for nothing, or when the
// cloud has more of a kind than it had.
func (s *suite) look(ctx context.Context) (map[string]resources.Found, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	census, out, errs := s.census(ctx), map[string]resources.Found{}, []error{}
	for _, o := range s.objects {
		k := kindOf(o)
		all, err := census.Of(ctx, k.Name)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(f resources.Found) bool {
			if !k.Keyed() {
				return f.ID == s.ids[nameOf(o)]
			}
			return resources.Stands(k, s.wanted(k, s.specs[nameOf(o)], o.GetName()), f)
		})
		if i < 0 && !k.Keyed() && s.ids[nameOf(o)] != "" {
			f, err := s.one(ctx, k, s.ids[nameOf(o)])
			if err == nil {
				all, i, s.hidden[nameOf(o)] = []resources.Found{f}, 0, true
			}
		}
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("the cloud has no %s", nameOf(o)))
		case s.total[k.Name] > 0 && len(all) > s.total[k.Name]:
			errs = append(errs, fmt.Errorf("the cloud has %d %s, want %d", len(all), k.Plural, s.total[k.Name]))
		default:
			out[nameOf(o)] = all[i]
		}
	}
	return out, errors.Join(errs...)
}

// one looks at a resource by its id.
func (s *suite) one(ctx context.Context, k *d.Kind, id string) (resources.Found, error) {
	r, err := s.door.Do(ctx, openstack.Request{Service: k.Service, Method: http.MethodGet,
		Path: strings.TrimPrefix(k.Path, "/") + "/" + id})
	if err != nil {
		return resources.Found{}, err
	}
	shown := map[string]any{}
	err = json.Unmarshal(r.Body, &shown)
	inside, _ := shown[k.Item].(map[string]any)
	return resources.Found{Kind: k, ID: id, Fields: body.Seen(k, inside)}, err
}

// clear deletes what the objects stand for.
func (s *suite) clear(ctx context.Context) error {
	s.Helper()
	ctx, end := context.WithCancel(ctx)
	defer end()
	found, err := s.look(ctx)
	if len(found) == 0 {
		return err
	}
	census := s.census(ctx)
	errs := []error{err}
	for _, o := range s.objects {
		f, there := found[nameOf(o)]
		if !there {
			continue
		}
		if f.Kind.Keyed() {
			f.Fields = s.wanted(f.Kind, s.specs[nameOf(o)], o.GetName()) // its path is of what is declared
		}
		if err := census.Remove(ctx, f); err != nil && openstack.ClassOf(err) != openstack.NotFound {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// wanted are declared fields as the API has them.
func (s *suite) wanted(k *d.Kind, declared map[string]any, name string) map[string]any {
	s.Helper()
	out, err := body.Render(k, declared, name, s)
	if err != nil {
		s.Fatal(err)
	}
	return out
}

// ID implements body.Resolver.
func (s *suite) ID(f d.Field, ref map[string]any) (string, error) {
	if id, _ := ref["id"].(string); id != "" {
		return id, nil
	}
	if name, _ := ref["name"].(string); name != "" {
		return s.ids[f.Ref+"/"+name], nil
	}
	name, _, _ := unstructured.NestedString(ref, "external", "name")
	ctx, end := context.WithCancel(s.Context())
	defer end()
	all, err := s.census(ctx).Of(ctx, f.Ref)
	for _, found := range all {
		if found.Fields["name"] == name || found.ID == name {
			return found.ID, nil
		}
	}
	return "", errors.Join(fmt.Errorf("there is no %s %s", f.Ref, name), err)
}

// Secret implements body.Resolver.
func (s *suite) Secret(d.Field, map[string]any) (string, error) { return "", nil }

// Own implements body.Resolver.
func (s *suite) Own(kind string) string {
	if kind == "User" {
		return s.door.UserID()
	}
	return s.door.ProjectID()
}

// made makes all objects at once under an operator that is killed meanwhile: there is one of each in the end.
func (s *suite) made() {
	s.Helper()
	ctx, end := context.WithCancel(s.Context())
	defer end()
	census, before := s.census(ctx), map[string]int{}
	for i, o := range s.objects {
		before[o.GetKind()] = s.count(ctx, census, o)
		s.Apply(o)
		if i == len(s.objects)/2 {
			s.Kill(operators, "stackwright-operator")
		}
	}
	s.done()
	s.learn()
	s.total = map[string]int{}
	for _, o := range s.objects {
		s.total[o.GetKind()] = max(s.total[o.GetKind()], before[o.GetKind()]) + 1
	}
	s.same(s.mustLook(), nil)
}

// count is how many resources of an object's kind there are. What those are parts of that the story makes is not there
// yet.
func (s *suite) count(ctx context.Context, census *resources.Census, o *unstructured.Unstructured) int {
	s.Helper()
	all, err := census.Of(ctx, o.GetKind())
	if err != nil {
		s.Fatal(err)
	}
	return len(all)
}

func (s *suite) mustLook() map[string]resources.Found {
	s.Helper()
	found, err := s.look(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// same checks that the cloud has what it had; nil is anything.
func (s *suite) same(now, before map[string]resources.Found) {
	s.Helper()
	for name, was := range before {
		if diff := cmp.Diff(was.Fields, now[name].Fields); diff != "" {
			s.Errorf("%s differs, -before +now:\n%s", name, diff)
		}
	}
}

const (
	// limit is what Keystone does not set to 0: it answers well, and leaves what there was.
	limit = "Limit/shop-secrets"
	// held is what Keystone does not change as long as a limit refers to it.
	held = "RegisteredLimit/secrets"
)

// editable are the fields of an object that an update changes, and that a value can be made up for.
func editable(o *unstructured.Unstructured) (out []d.Field) {
	k := kindOf(o)
	if nameOf(o) == held {
		return nil
	}
	taken := func(f d.Field) bool { return nameOf(o) != limit || f.API != "resource_limit" }
	for _, f := range k.Fields {
		made := f.Const == nil && !f.IsRef() && f.Type != d.Secret && f.Type != d.JSON
		if made && !f.CreateOnly && !f.Output && !f.WriteOnly && f.Via == "" && k.Update.Method != "" && taken(f) {
			out = append(out, f)
		}
	}
	return out
}

// values are the n-th values of the editable fields of an object, as people declare them.
func values(o *unstructured.Unstructured, n int) map[string]any {
	out := map[string]any{}
	for _, f := range editable(o) {
		if v, ok := sample.Value(f, n); ok {
			out[f.Spec()] = v
		}
	}
	return out
}

// has checks that the cloud has the n-th values of all editable fields.
func (s *suite) has(n int) func(context.Context) error {
	return func(ctx context.Context) error {
		found, err := s.look(ctx)
		errs := []error{err}
		for _, o := range s.objects {
			k := kindOf(o)
			want := s.wanted(k, values(o, n), "")
			for _, f := range editable(o) {
				v, ok := want[f.API]
				if seen := body.Actual(f, found[nameOf(o)].Fields); ok && !body.Same(f, v, seen) {
					errs = append(errs, fmt.Errorf("%s has %s %v, want %v", nameOf(o), f.API, seen, v))
				}
			}
		}
		return errors.Join(errs...)
	}
}
