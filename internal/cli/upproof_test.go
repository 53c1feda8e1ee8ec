package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// A server that was just applied has no status, and does not count as one that runs.
func TestAnUnseenServerIsMissing(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := openstackv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	server := &openstackv1.Server{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web", Generation: 1}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(server).WithStatusSubresource(server).Build()
	asked := &unstructured.Unstructured{}
	asked.SetGroupVersionKind(openstackv1.GroupVersion.WithKind("Server"))
	asked.SetNamespace("demo")
	asked.SetName("web")
	look := func() string {
		t.Helper()
		what, err := missing(t.Context(), c, []*unstructured.Unstructured{asked})
		if err != nil {
			t.Fatal(err)
		}
		return what.line
	}
	if what := look(); !strings.Contains(what, "Server web is not seen by its controller") {
		t.Errorf("before its operator has seen it, what is missing is %q", what)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(server), server); err != nil {
		t.Fatal(err)
	}
	server.Status.ObservedGeneration = 1
	server.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True", Reason: "Ready", ObservedGeneration: 1,
		LastTransitionTime: metav1.Now()}}
	if err := c.Status().Update(t.Context(), server); err != nil {
		t.Fatal(err)
	}
	if what := look(); what != "" {
		t.Errorf("of a server that is ready %q is missing", what)
	}
}

// Each machine draws a password of its own, and an up that is run again keeps it: somebody may have noted it.
func TestThePasswordOfTheVisitorStays(t *testing.T) {
	c := fake.NewClientBuilder().Build()
	first, err := visitor(t.Context(), c)
	if err != nil || len(first) < 20 {
		t.Fatalf("the password is %q, %v", first, err)
	}
	if second, err := visitor(t.Context(), c); err != nil || second == first {
		t.Errorf("two machines have the password %q, %v", second, err)
	}
	kept := &corev1.Secret{Data: map[string][]byte{"password": []byte(first)}}
	kept.Namespace, kept.Name = "demo", "visitor"
	if err := c.Create(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if again, err := visitor(t.Context(), c); err != nil || again != first {
		t.Errorf("run again, up takes %q, %v", again, err)
	}
}

func TestWhatAServerSaid(t *testing.T) {
	console := "SeaBIOS\r\n### guest 6.12 up=1.2\r\n### web says hello\r\n\r\n" +
		"~ # \x1b[6n### web says its volume has kept\r\n~ # "
	want := []string{"web says hello", "web says its volume has kept"}
	if diff := cmp.Diff(want, spoken(console)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
