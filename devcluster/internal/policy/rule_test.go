package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func pod(namespace, name, address, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{
			Ports: []corev1.ContainerPort{{Name: "main", ContainerPort: 8000}},
		}}},
		Status: corev1.PodStatus{PodIP: address},
	}
}

func world(t *testing.T, policies string) World {
	t.Helper()
	over, host := pod("a", "web", "10.0.0.8", "node-1"), pod("a", "web", "10.0.0.9", "node-1")
	over.Status.Phase, host.Spec.HostNetwork = corev1.PodSucceeded, true
	w := World{
		Pods: []*corev1.Pod{
			pod("a", "web", "10.0.0.2", "node-1"), pod("a", "db", "10.0.0.1", "node-1"),
			pod("b", "web", "10.0.1.1", "node-2"), pod("b", "job", "", "node-1"), over, host,
		},
		Namespaces: []*corev1.Namespace{
			{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
			{ObjectMeta: metav1.ObjectMeta{Name: "b", Labels: map[string]string{"team": "b"}}},
		},
	}
	for document := range strings.SplitSeq(policies, "---\n") {
		policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p"}}
		if err := yaml.UnmarshalStrict([]byte(document), &policy.Spec); err != nil {
			t.Fatal(err)
		}
		w.Policies = append(w.Policies, policy)
	}
	return w
}

// TestRules compares the rules of node-1 with testdata/NAME.nft for every testdata/NAME.yaml.
func TestRules(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(cases) == 0 {
		t.Fatalf("finding cases: %v, %v", cases, err)
	}
	for _, path := range cases {
		t.Run(filepath.Base(path), func(t *testing.T) {
			policies, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(path, "yaml") + "nft")
			if err != nil {
				t.Fatal(err)
			}
			got, err := world(t, string(policies)).Rules("node-1")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNoPolicyNoRule(t *testing.T) {
	w := world(t, "podSelector: {matchLabels: {app: nobody}}")
	got, err := w.Rules("node-1")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got, "drop") {
		t.Errorf("pods that no policy selects are isolated:\n%s", got)
	}
}

func TestWrongSelectorIsSaid(t *testing.T) {
	w := world(t, "podSelector: {matchExpressions: [{key: app, operator: Near, values: [web]}]}")
	if _, err := w.Rules("node-1"); err == nil || !strings.Contains(err.Error(), "a/p") {
		t.Errorf("Rules() = %v, want the name of the policy", err)
	}
}
