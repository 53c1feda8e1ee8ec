package nodes

import (
	"maps"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Agents keep off those of other owners, and off no pod of a namespace that takes no agents, where anybody may have
// made it. Labels of no namespace are not selected: by them the scheduler of Kubernetes 1.36 asks once it has looked up
// the names.
func TestApart(t *testing.T) {
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "cloud", Name: "rack-libvirt"}}
	set.Spec.Template.Labels = map[string]string{labelInstance: "rack"}
	Apart(set, "agents")
	own := set.Spec.Template.Labels
	other, stray := maps.Clone(own), map[string]string{labelTakes: "agents"}
	other[labelFor] = "another"
	takes := map[string]string{enforce: "privileged"}
	for name, c := range map[string]struct {
		namespace, pod map[string]string
		off            bool
	}{
		"another owner's":               {takes, other, true},
		"nobody's":                      {takes, stray, true},
		"its own":                       {takes, own, false},
		"other agents":                  {takes, map[string]string{labelTakes: "others", labelFor: "another"}, false},
		"somebody's":                    {map[string]string{enforce: "restricted"}, other, false},
		"where nothing is said":         {map[string]string{"team": "north"}, stray, false},
		"where no labels are looked up": {nil, other, false},
	} {
		if got := keepsOff(t, set, c.namespace, c.pod); got != c.off {
			t.Errorf("a pod that is %s keeps agents off its node: %t, want %t", name, got, c.off)
		}
	}
}

// keepsOff asks as the scheduler does whether a pod keeps those of a set off its node.
func keepsOff(t *testing.T, set *appsv1.DaemonSet, namespace, pod map[string]string) bool {
	t.Helper()
	matches := func(s *metav1.LabelSelector, set map[string]string) bool {
		selector, err := metav1.LabelSelectorAsSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		return selector.Matches(labels.Set(set))
	}
	terms := set.Spec.Template.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if len(terms) != 1 || terms[0].TopologyKey != corev1.LabelHostname {
		t.Fatalf("the terms are %+v", terms)
	}
	return matches(terms[0].NamespaceSelector, namespace) && matches(terms[0].LabelSelector, pod)
}
