package timeline

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"slices"
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
			"type": "Ready", "status": status, "reason": reason, "message": "Step a: " + message}}, "status", "conditions")
		kind, rest, _ := strings.Cut(message, " ")
		name, _, _ := strings.Cut(rest, " ")
		_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{"name": "a", "waitingFor": kind + " " + name}},
			"status", "steps")
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
	first := object("openstack-keystone", "", "", "")
	// The watch may begin later than this test.
	until(t, func() bool {
		must(t, c.Create(t.Context(), first.DeepCopy()))
		seen := r.row(first) != nil
		must(t, c.Delete(t.Context(), first.DeepCopy()))
		return seen
	})
	part := object("part", "False", "Waiting", "Job b runs.")
	part.SetOwnerReferences([]metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Keystone", Name: "a", Controller: new(true)}})
	must(t, c.Create(t.Context(), part))
	must(t, c.Create(t.Context(), first.DeepCopy()))
	for _, o := range []*unstructured.Unstructured{
		object(first.GetName(), "False", "Waiting", "Galera g is not ready."),
		object(first.GetName(), "False", "Waiting", "Galera g is not ready."),
		object(first.GetName(), "False", "Waiting", "Job a runs."),
		object(first.GetName(), "True", "Ready", "All is well."),
	} {
		have := object(o.GetName(), "", "", "")
		must(t, c.Get(t.Context(), client.ObjectKeyFromObject(o), have))
		o.SetResourceVersion(have.GetResourceVersion())
		must(t, c.Update(t.Context(), o))
	}
	until(t, func() bool {
		_, ready := r.row(first).ReadyAt()
		return ready
	})
	rows := r.Stop()
	if len(rows) != 1 || rows[0].Label() != "Keystone" {
		t.Fatalf("want one row, Keystone, and have %+v", rows)
	}
	var states []State
	for _, m := range rows[0].Moments {
		states = append(states, m.State)
	}
	if want := []State{Waits, Waits, Works, Ready}; !slices.Equal(states, want) {
		t.Errorf("the states are %v, want %v: %+v", states, want, rows[0].Moments)
	}
}

// row is what is kept of an object so far.
func (r *Recorder) row(o *unstructured.Unstructured) *Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.rows[o.GetUID()]
	if row != nil {
		row = &Row{Moments: slices.Clone(row.Moments)}
	}
	return row
}

func until(t *testing.T, done func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true,
		func(context.Context) (bool, error) { return done(), nil })
	must(t, err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestStates(t *testing.T) {
	for says, want := range map[[2]string]State{
		{"Waiting", "Deployment a"}: Works, {"Waiting", "Database a"}: Waits, {"Denied", ""}: Troubled,
		{"Forming", "openstack-ovn-nb-0 to form"}: Works, {"Waiting", ""}: Works,
	} {
		if got := state("False", says[0], says[1]); got != want {
			t.Errorf("%q is state %v, want %v", says, got, want)
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
