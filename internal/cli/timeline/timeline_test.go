package timeline

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

var keystone = schema.GroupVersionKind{Group: "service.example.org", Version: "v1", Kind: "Keystone"}

func object(name, status, reason, message string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(keystone)
	o.SetNamespace("openstack")
	o.SetName(name)
	o.SetUID(types.UID("uid-of-" + name))
	if status != "" {
		_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{
			"type": "Ready", "status": status, "reason": reason, "message": message}}, "status", "conditions")
	}
	return o
}

// What objects say is kept once each, in order; what belongs to another service is not.
func TestRecord(t *testing.T) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(keystone, &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(keystone.GroupVersion().WithKind("KeystoneList"), &unstructured.UnstructuredList{})
	c := fake.NewClientBuilder().WithScheme(scheme).Build()
	r := Record(t.Context(), c, []schema.GroupVersionKind{keystone})
	part := object("part", "False", "WaitingForJob", "Job b runs.")
	part.SetOwnerReferences([]metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Keystone", Name: "a", Controller: new(true)}})
	first := object("openstack-keystone", "", "", "")
	// The watch may begin later than this test.
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true,
		func(ctx context.Context) (bool, error) {
			if err := c.Create(ctx, first.DeepCopy()); err != nil {
				return false, err
			}
			r.mu.Lock()
			seen := len(r.rows)
			r.mu.Unlock()
			return seen > 0, client.IgnoreNotFound(c.Delete(ctx, first.DeepCopy()))
		})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*unstructured.Unstructured{part, first} {
		if err := c.Create(t.Context(), o.DeepCopy()); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []*unstructured.Unstructured{
		object(first.GetName(), "False", "WaitingForGalera", "Galera g is not ready."),
		object(first.GetName(), "False", "WaitingForGalera", "Galera g is not ready."),
		object(first.GetName(), "False", "WaitingForJob", "Job a runs."),
		object(first.GetName(), "True", "Ready", "All is well."),
	} {
		have := object(o.GetName(), "", "", "")
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(o), have); err != nil {
			t.Fatal(err)
		}
		o.SetResourceVersion(have.GetResourceVersion())
		if err := c.Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	err = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true,
		func(context.Context) (bool, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			row := r.rows[first.GetUID()]
			_, ready := row.ReadyAt()
			return ready, nil
		})
	rows := r.Stop()
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows are kept (%v), want that of %s: %+v", len(rows), err, first.GetName(), rows)
	}
	var states []State
	for _, m := range rows[0].Moments {
		states = append(states, m.State)
	}
	want := []State{Waits, Waits, Works, Ready}
	if len(states) != len(want) {
		t.Fatalf("the states are %v, want %v: %+v", states, want, rows[0].Moments)
	}
	for i := range want {
		if states[i] != want[i] {
			t.Errorf("state %d is %v, want %v: %+v", i, states[i], want[i], rows[0].Moments[i])
		}
	}
	if got := rows[0].Label(); got != "Keystone" {
		t.Errorf("the row is called %q", got)
	}
}

func TestStates(t *testing.T) {
	for reason, want := range map[string]State{
		"WaitingForDeployment": Works, "WaitingForDatabase": Waits, "Denied": Troubled, "Progressing": Works,
	} {
		if got := state("False", reason); got != want {
			t.Errorf("%s is state %v, want %v", reason, got, want)
		}
	}
}

// The picture is XML with a bar per moment, whatever objects say, and says when what was ready.
func TestSVG(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(1000, 0).Add(time.Duration(s) * time.Second) }
	rows := []Row{
		{Kind: "Galera", Name: "openstack-galera", Moments: []Moment{{At: at(0), State: Works, Text: "a < b & c"},
			{At: at(20), State: Ready}}},
		{Kind: "Keystone", Name: "openstack-keystone", Moments: []Moment{{At: at(1), State: Waits, Text: "Galera g"},
			{At: at(20), State: Troubled, Text: "no"}}},
	}
	picture := string(SVG("<title>", rows, at(100)))
	d := xml.NewDecoder(strings.NewReader(picture))
	bars := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "title" {
			bars++
		}
	}
	if bars != 3 {
		t.Errorf("there are %d bars, want 3:\n%s", bars, picture)
	}
	for _, want := range []string{"20.0 s: a &lt; b &amp; c", "✓ 20 s", "80.0 s: no", "100 s"} {
		if !strings.Contains(picture, want) {
			t.Errorf("the picture lacks %q:\n%s", want, picture)
		}
	}
	if empty := string(SVG("nothing", nil, at(1))); !strings.Contains(empty, "</svg>") {
		t.Errorf("no rows are drawn as %s", empty)
	}
}
