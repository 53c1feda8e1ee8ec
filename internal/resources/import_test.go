package resources_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/intake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// planned is what an import of one kind comes to, with these objects in the cluster.
func planned(t *testing.T, c *fake.Cloud, k *d.Kind, policy string,
	objects ...*unstructured.Unstructured) *intake.Plan {
	t.Helper()
	pool := openstack.NewPool(openstack.Options{Transport: c})
	t.Cleanup(pool.Close)
	door, err := resources.Sessions(pool)(t.Context(), "test", openstack.Config{Clouds: []byte(c.CloudsYAML())})
	if err != nil {
		t.Fatal(err)
	}
	all := intake.Objects{Kinds: kinds.Served(), Resources: map[string][]openstackv1.Object{}, Project: fake.Project,
		User: fake.User}
	for _, u := range objects {
		o := openstackv1.New(u.GetKind())
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, o); err != nil {
			t.Fatal(err)
		}
		all.Resources[u.GetKind()] = append(all.Resources[u.GetKind()], o)
	}
	plan, err := intake.New(t.Context(), resources.NewCensus(t.Context(), kinds.Served(), door, resources.Scope{}),
		intake.NewCluster(all), intake.Request{Kinds: []*d.Kind{k}, Asked: true, Namespace: "default", Policy: policy,
			Cloud: openstackv1.CloudReference{Kind: "Cloud", Name: "default"}})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// What is imported is ready at once, differs in nothing and stays as it is; who observes sends nothing but reads. A
// second import finds the objects that stand for it, before the operator has seen them and after.
func TestImport(t *testing.T) {
	for _, policy := range []string{"observe", "managed"} {
		for _, k := range kinds.Served() {
			t.Run(policy+"/"+k.Name, func(t *testing.T) {
				w := newWorld(t, k)
				w.foreign("")
				plan := planned(t, w.cloud(), k, policy)
				if len(plan.Objects) != 1 {
					t.Fatalf("there are %d objects, want 1: %+v", len(plan.Objects), plan)
				}
				o := plan.Objects[0]
				if again := planned(t, w.cloud(), k, policy, o); len(again.Objects) != 0 {
					t.Errorf("a second import makes %v", again.Objects)
				}
				w.object = o.DeepCopy().Object
				kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) { o = w.imported(p, o) })
				if again := planned(t, w.cloud(), k, policy, o); len(again.Objects) != 0 {
					t.Errorf("an import after the operator makes %v", again.Objects)
				}
			})
		}
	}
}

// imported lets the operator look at an imported object for an hour, and returns it.
func (w *world) imported(p *kittest.Play, o *unstructured.Unstructured) *unstructured.Unstructured {
	p.Pass(time.Hour)
	p.Ready()
	after := p.Object(o.GetKind() + "/" + o.GetName())
	if told, _, _ := unstructured.NestedSlice(after.Object, "status", "drift"); len(told) > 0 {
		p.T.Errorf("it differs from what was there: %v", told)
	}
	policy, _, _ := unstructured.NestedString(o.Object, "spec", "policy")
	for _, r := range cloudOf(p).Requests() {
		if r.Method != http.MethodGet && policy == "observe" {
			p.T.Errorf("%s %s was sent", r.Method, r.Path)
		}
	}
	if was, is := bare(w.cloud(), w.kind), bare(cloudOf(p), w.kind); was != is {
		p.T.Errorf("it was\n%s\nand is\n%s", was, is)
	}
	return after
}

// bare is what a cloud has of a kind, without markers and times.
func bare(c *fake.Cloud, k *d.Kind) string {
	all := c.All(k.Name)
	for _, fields := range all {
		delete(fields, "created_at")
		switch v := fields[k.Marker.Field].(type) {
		case nil:
			delete(fields, k.Marker.Field) // as none of them
		case []any:
			fields[k.Marker.Field] = slices.DeleteFunc(slices.Clone(v), func(tag any) bool {
				s, _ := tag.(string)
				return strings.HasPrefix(s, "stackwright_owner=")
			})
		case map[string]any:
			with := maps.Clone(v)
			if delete(with, "stackwright_owner"); len(with) == 0 {
				delete(fields, k.Marker.Field)
				continue
			}
			fields[k.Marker.Field] = with
		}
		if k.Marker.Channel == d.MarkByExtra {
			delete(fields, k.Marker.Field)
		}
	}
	return fmt.Sprint(all)
}

// An import that declares no name leaves the name as it is.
func TestImportKeepsTheName(t *testing.T) {
	w := newWorld(t, kind(t, "Project"))
	w.seeds = append(w.seeds, func(c *fake.Cloud) { c.Put("Project", map[string]any{"id": "there", "name": "Web Shop"}) })
	w.object = w.make("sample", map[string]any{"import": map[string]any{"id": "there"}})
	kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
		p.Ready()
		if name := cloudOf(p).All("Project")[0]["name"]; name != "Web Shop" {
			t.Errorf("the project is named %v", name)
		}
	})
}
