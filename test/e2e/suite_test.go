//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/body"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/test/e2e/story"
)

// suite is a cloud in which each object of a story stands for one resource of some services. What the cloud has is read
// by the descriptors, without the operator.
type suite struct {
	*story.World
	plan    plan
	door    resources.Door
	objects []*unstructured.Unstructured
	// shared are what the objects need besides: of other services, or of kinds that only look.
	shared []*unstructured.Unstructured
	// ids of what the objects stand for, specs by which they can be made anew, when nothing else is there, named, the same
	// with references by name, and kept, what the cloud had of each when they were let go. The keys are Kind/name.
	ids          map[string]string
	specs, named map[string]map[string]any
	kept         map[string]resources.Found
	edits        map[string]edit
	// hidden are in no list that the credentials see.
	hidden map[string]bool
	// total is how many resources of a kind there are.
	total map[string]int
	// now is the step that is played, took how long each did, and played which ones a kind took part in.
	now    string
	took   []string
	played map[string][]string
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
	s.Eventually(s.plan.patience, "everything is ready", func(ctx context.Context) error {
		return allDone(ctx, s.World, s.objects)
	})
}

// census reads the cloud anew. Heat lists stacks of all projects to nobody.
func (s *suite) census(ctx context.Context) *resources.Census {
	return resources.NewCensus(ctx, kinds.Served(), s.door,
		resources.Scope{AllProjects: !slices.Contains(s.plan.services, kinds.Stack.Service)})
}

// learn notes what the objects stand for.
func (s *suite) learn() {
	s.Helper()
	for _, o := range slices.Concat(s.shared, s.objects) {
		if kindOf(o) == nil {
			continue
		}
		now := s.live(o)
		s.ids[nameOf(o)], _, _ = unstructured.NestedString(now.Object, "status", "id")
		s.specs[nameOf(o)], _, _ = unstructured.NestedMap(now.Object, "spec", "resource")
	}
}

// look finds in the cloud what the objects stand for. It is an error when one of them stands for nothing, or when the
// cloud has more of a kind than it had. Nothing is returned when the cloud cannot be read.
func (s *suite) look(ctx context.Context) (map[string]resources.Found, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	census, out, errs := s.census(ctx), map[string]resources.Found{}, []error{}
	for _, o := range s.objects {
		k, name := kindOf(o), nameOf(o)
		all, err := s.all(ctx, census, o)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(f resources.Found) bool { return s.stands(o, f) })
		if i < 0 && !k.Keyed() && s.ids[name] != "" {
			f, err := s.one(ctx, o)
			if err == nil {
				all, i, s.hidden[name] = []resources.Found{f}, 0, true
			}
		}
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("the cloud has no %s", name))
		case s.total[k.Name] > 0 && len(all) > s.total[k.Name]:
			errs = append(errs, fmt.Errorf("the cloud has %d %s, want %d", len(all), k.Plural, s.total[k.Name]))
		default:
			out[name] = all[i]
		}
	}
	return out, errors.Join(errs...)
}

// stands tells whether a resource is what an object stands for.
func (s *suite) stands(o *unstructured.Unstructured, f resources.Found) bool {
	s.Helper()
	if k := kindOf(o); k.Keyed() {
		return resources.Stands(k, s.wanted(k, s.specs[nameOf(o)], o.GetName()), f)
	}
	return f.ID == s.ids[nameOf(o)]
}

// all are the resources of an object's kind that nobody but a story makes; of a singleton, of which there is one for
// each project, that which the object names.
func (s *suite) all(ctx context.Context, census *resources.Census, o *unstructured.Unstructured) ([]resources.Found,
	error) {
	s.Helper()
	if k := kindOf(o); k.Shape != d.Singleton {
		all, err := census.Of(ctx, k.Name)
		return slices.DeleteFunc(slices.Clone(all), byItself), err
	}
	f, err := s.one(ctx, o)
	if class := openstack.ClassOf(err); class == openstack.NotFound || class == openstack.Invalid {
		return nil, nil // its project is gone
	}
	return []resources.Found{f}, err
}

// byItself tells whether OpenStack makes a resource with another one.
func byItself(f resources.Found) bool {
	text := func(api string) string { v, _ := f.Fields[api].(string); return v }
	switch f.Kind.Name {
	case "Port":
		return strings.HasPrefix(text("device_owner"), "network:")
	case "SecurityGroup":
		return text("name") == "default"
	case "SecurityGroupRule":
		return text("protocol") == ""
	case "Segment":
		return text("name") == ""
	case "RBACPolicy": // each external network has one
		return text("action") == "access_as_external"
	}
	return false
}

// one looks at what an object stands for by itself.
func (s *suite) one(ctx context.Context, o *unstructured.Unstructured) (resources.Found, error) {
	s.Helper()
	k, id := kindOf(o), s.ids[nameOf(o)]
	wanted := s.wanted(k, s.specs[nameOf(o)], o.GetName())
	path, missing := body.Path(k.Path, wanted)
	if missing != "" {
		return resources.Found{}, fmt.Errorf("%s has no %s", nameOf(o), missing)
	}
	if k.Shape != d.Singleton {
		path += "/" + id
	}
	shown := map[string]any{}
	if err := s.read(ctx, k, strings.TrimPrefix(path, "/"), &shown); err != nil {
		return resources.Found{}, err
	}
	inside, ok := shown[k.Item].(map[string]any)
	if !ok && k.Item == d.None {
		inside = shown
	}
	fields := body.Seen(k, inside)
	for _, f := range k.Fields {
		if in(k.Path, f) {
			fields[f.API] = wanted[f.API]
		}
	}
	return resources.Found{Kind: k, ID: id, Fields: fields}, nil
}

// read decodes what the service of a kind has at a path.
func (s *suite) read(ctx context.Context, k *d.Kind, path string, into any) error {
	r, err := s.door.Do(ctx, openstack.Request{Service: k.Service, Method: http.MethodGet, Path: path,
		Microversion: k.Read})
	if err != nil {
		return err
	}
	return json.Unmarshal(r.Body, into)
}

// in tells whether a path has a field.
func in(path string, f d.Field) bool { return strings.Contains(path, "{"+f.API+"}") }

// clear deletes what the objects stand for.
func (s *suite) clear(ctx context.Context) error {
	s.Helper()
	ctx, end := context.WithCancel(ctx)
	defer end()
	found, err := s.look(ctx)
	if found == nil {
		return err
	}
	census := s.census(ctx)
	errs := []error{}
	for _, o := range s.objects {
		f, there := found[nameOf(o)]
		if !there || !s.remains(o, f) {
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

// remains tells whether there is something to delete. What always exists has its defaults then.
func (s *suite) remains(o *unstructured.Unstructured, f resources.Found) bool {
	s.Helper()
	if f.Kind.Shape != d.Singleton {
		return true
	}
	want := s.wanted(f.Kind, s.specs[nameOf(o)], o.GetName())
	return !slices.ContainsFunc(f.Kind.Fields, func(field d.Field) bool {
		v, declared := want[field.API]
		return declared && !body.Same(field, v, body.Actual(field, f.Fields))
	})
}

// nothing checks that nothing is left of what the objects stand for.
func (s *suite) nothing(ctx context.Context) error {
	s.Helper()
	found, err := s.look(ctx)
	if found == nil {
		return err
	}
	var left []string
	for _, o := range s.objects {
		if f, there := found[nameOf(o)]; there && s.remains(o, f) {
			left = append(left, nameOf(o))
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("there is left: %s", strings.Join(left, ", "))
	}
	return nil
}

// emptied deletes what can be deleted, and is content when nothing is left: some resources go only after others.
func (s *suite) emptied(ctx context.Context) error {
	s.Helper()
	why := s.clear(ctx)
	if err := s.nothing(ctx); err != nil {
		return errors.Join(err, why)
	}
	return nil
}

// away has no operator at work for as long as f takes.
func (s *suite) away(f func()) {
	s.Helper()
	scale := func(ctx context.Context, replicas string) {
		s.Helper()
		if _, err := s.Cluster.Kubectl(ctx, "-n", operators, "scale", "deployment/stackwright-operator",
			"--replicas="+replicas); err != nil {
			s.Fatal(err)
		}
	}
	scale(s.Context(), "0")
	defer scale(context.WithoutCancel(s.Context()), "1")
	s.Eventually(time.Minute, "the operator is away", func(ctx context.Context) error {
		out, err := s.Cluster.Kubectl(ctx, "-n", operators, "get", "pods", "-o", "name")
		if err == nil && strings.Contains(out, "/stackwright-operator") {
			err = errors.New("there is " + out)
		}
		return err
	})
	f()
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

func (s *suite) mustLook() map[string]resources.Found {
	s.Helper()
	found, err := s.look(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// same checks that the cloud has what it had. In which of the good states it is, and what is said of that, does not
// matter: that of a stack tells what was done last.
func (s *suite) same(now, before map[string]resources.Found) {
	s.Helper()
	for name, was := range before {
		if diff := cmp.Diff(stateless(was), stateless(now[name])); diff != "" {
			s.Errorf("%s differs, -before +now:\n%s", name, diff)
		}
	}
}

// stateless are the fields of a resource without its state and what explains it.
func stateless(f resources.Found) map[string]any {
	out := maps.Clone(f.Fields)
	if f.Kind != nil {
		for _, path := range []string{f.Kind.State.Path, f.Kind.State.Fault} {
			field, _, _ := strings.Cut(path, ".")
			delete(out, field)
		}
	}
	return out
}
