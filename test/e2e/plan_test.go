//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/sample"
	"stackwright.dev/stackwright/test/e2e/story"
)

// plan is what a suite plays with.
type plan struct {
	objects []*unstructured.Unstructured
	// services are those whose kinds are played. Other objects are there first and stay to the end.
	services []string
	// edits is the file with the edits of objects, which are named Kind/name. Without one they are made up, for all
	// objects and fields for which that can be done.
	edits string
	// shows checks that the n-th edits of fields are there that lists do not show; nil is that there are no such fields.
	shows func(ctx context.Context, s *suite, n int) error
	// idle are steps that no kind takes part in, each with the reason, as the page of docs has it.
	idle map[string]string
	// also is played after the edits; nil is nothing.
	also func(*suite)
	// more are how many of a kind OpenStack makes with what the objects stand for.
	more map[string]int
	// unfit are kinds that are not played, each with the reason, as the page of docs has it.
	unfit map[string]string
	// tangled resources are in the way of each other when they are deleted: nobody makes any of them again meanwhile.
	tangled bool
	// patience is how long all resources may take to be made.
	patience time.Duration
}

// edit are two values of the fields of an object, as people declare them.
type edit [2]map[string]any

// newSuite makes a suite of a plan, with what the objects need.
func newSuite(w *story.World, p plan) *suite {
	w.Helper()
	for _, service := range p.services {
		everyKind(w, p.objects, service, slices.Collect(maps.Keys(p.unfit))...)
	}
	s := &suite{World: w, plan: p, door: doorOf(w), ids: map[string]string{}, edits: editsOf(w, p),
		specs: map[string]map[string]any{}, named: map[string]map[string]any{}, hidden: map[string]bool{},
		played: map[string][]string{}}
	w.Cleanup(func() {
		if s.Leave(); s.Failed() {
			s.tidy()
		}
	})
	for _, o := range p.objects {
		if k := kindOf(o); k != nil && slices.Contains(p.services, k.Service) && !k.ReadOnly {
			s.objects = append(s.objects, o)
			continue
		}
		s.shared = append(s.shared, o)
		w.Apply(o)
	}
	w.Eventually(p.patience, "what they need is ready", func(ctx context.Context) error {
		return allReady(ctx, w, s.shared)
	})
	return s
}

// tidy deletes what objects were taken away from and a story that failed has left: it would be in the way of others.
func (s *suite) tidy() {
	if len(s.ids) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	for {
		err := s.emptied(ctx)
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			s.Logf("something is left in the cloud: %v", err)
			return
		}
		story.Pause(ctx, time.Second)
	}
}

// doorOf is a session of the administrator with the cloud of all stories, from outside.
func doorOf(w *story.World) resources.Door {
	w.Helper()
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
	return door
}

// editsOf are the edits of a plan by object, Kind/name.
func editsOf(w *story.World, p plan) map[string]edit {
	w.Helper()
	out := map[string]edit{}
	if p.edits == "" {
		for _, o := range p.objects {
			if kindOf(o) != nil {
				out[nameOf(o)] = edit{values(o, 0), values(o, 1)}
			}
		}
		return out
	}
	text, err := os.ReadFile(p.edits)
	if err == nil {
		err = yaml.UnmarshalStrict(text, &out)
	}
	if err != nil {
		w.Fatal(err)
	}
	for name, e := range out {
		i := slices.IndexFunc(p.objects, func(o *unstructured.Unstructured) bool { return nameOf(o) == name })
		if i < 0 {
			w.Fatalf("there is no %s to edit", name)
		}
		checkEdit(w, p, p.objects[i], e)
	}
	return out
}

// checkEdit refuses an edit that does not change each of its fields, or of fields that there are not, or that nobody
// would look at.
func checkEdit(w *story.World, p plan, o *unstructured.Unstructured, e edit) {
	w.Helper()
	known := fieldsOf(o, e)
	if len(known) != len(e[0]) || len(e[0]) != len(e[1]) {
		w.Fatalf("%s has other fields than the edits %v", nameOf(o), e)
	}
	if p.shows == nil && slices.ContainsFunc(known, func(f d.Field) bool { return f.WriteOnly }) {
		w.Fatalf("of the edits of %s there is something that OpenStack does not show", nameOf(o))
	}
	for field, v := range e[0] {
		if other, there := e[1][field]; !there || reflect.DeepEqual(v, other) {
			w.Fatalf("the edits of %s do not have two values of %s", nameOf(o), field)
		}
	}
}

// fieldsOf are the fields of an object that an edit has.
func fieldsOf(o *unstructured.Unstructured, e edit) (out []d.Field) {
	for _, f := range kindOf(o).Fields {
		if _, ok := e[0][f.Spec()]; ok {
			out = append(out, f)
		}
	}
	return out
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

// values are the n-th values of the editable fields of an object, made up.
func values(o *unstructured.Unstructured, n int) map[string]any {
	out := map[string]any{}
	for _, f := range editable(o) {
		if v, ok := sample.Value(f, n); ok {
			out[f.Spec()] = v
		}
	}
	return out
}

// fields are those of an object that are edited.
func (s *suite) fields(o *unstructured.Unstructured) []d.Field {
	return fieldsOf(o, s.edits[nameOf(o)])
}

// withEdits are the objects that have such fields.
func (s *suite) withEdits() []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(s.objects), func(o *unstructured.Unstructured) bool {
		return len(s.fields(o)) == 0
	})
}

// page tells which kinds were played on real services.
const page = "../../docs/explanation/conformance.md"

// idles tells whether no kind has taken part in the step.
func (s *suite) idles() bool {
	return !slices.ContainsFunc(slices.Collect(maps.Values(s.played)), func(steps []string) bool {
		return slices.Contains(steps, s.now)
	})
}

// plays notes that objects take part in the step.
func (s *suite) plays(objects []*unstructured.Unstructured) {
	for _, o := range objects {
		if steps := s.played[o.GetKind()]; !slices.Contains(steps, s.now) {
			s.played[o.GetKind()] = append(steps, s.now)
		}
	}
}

// tell says which kind has passed what, and wants the page to say the same.
func (s *suite) tell() {
	s.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		s.Fatal(err)
	}
	whole, unedited, _ := strings.Cut(string(text), "\n## What is not edited\n")
	var b strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(s.played)) {
		fmt.Fprintf(&b, "\n%-24s %s", kind, strings.Join(s.played[kind], ", "))
		if !strings.Contains(whole, "`"+kind+"`") {
			s.Errorf("%s is played whole, and %s does not have it", kind, page)
		}
		if slices.Contains(s.played[kind], "edited") == strings.Contains(unedited, "`"+kind+"`") {
			s.Errorf("%s is edited or is not, and %s says otherwise", kind, page)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(s.plan.unfit)) {
		why := s.plan.unfit[kind]
		fmt.Fprintf(&b, "\n%-24s is not played: %s", kind, why)
		if !strings.Contains(string(text), "| "+kind+" | "+why+" |") {
			s.Errorf("%s is not played, as %s, and %s does not say so", kind, why, page)
		}
	}
	for step, why := range s.plan.idle {
		fmt.Fprintf(&b, "\n%s is not played: %s", step, why)
		if !strings.Contains(string(text), why) {
			s.Errorf("%s is not played, as %s, and %s does not say so", step, why, page)
		}
	}
	s.Logf("%d kinds were played: %s%s", len(s.played), strings.Join(s.took, ", "), b.String())
}
