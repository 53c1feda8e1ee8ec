package nodes

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func namespace(labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cloud", Labels: labels}}
}

// Agents are root on nodes: they come only to a namespace that says itself that it takes such pods.
func TestWelcome(t *testing.T) {
	for name, c := range map[string]struct {
		namespace client.Object
		level     string // of which a refusal speaks
	}{
		"privileged":   {namespace(map[string]string{enforce: "privileged"}), ""},
		"restricted":   {namespace(map[string]string{enforce: "restricted"}), "restricted"},
		"baseline":     {namespace(map[string]string{enforce: "baseline"}), "baseline"},
		"empty":        {namespace(map[string]string{enforce: ""}), "none"},
		"no label":     {namespace(nil), "none"},
		"only a wish":  {namespace(map[string]string{"pod-security.kubernetes.io/warn": "privileged"}), "none"},
		"is not known": {nil, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Welcome(c.namespace, "cloud", "agents")
			if c.level == "" {
				if !got.Ready() {
					t.Errorf("it is refused: %s", got.Message)
				}
				return
			}
			want := "Namespace cloud has Pod Security level " + c.level + ", and agents need privileged; run kubectl label " +
				"namespace cloud pod-security.kubernetes.io/enforce=privileged --overwrite."
			if got.Ready() || got.Reason != "PodSecurity" || got.Message != want {
				t.Errorf("it is %+v\nwant %s", got, want)
			}
		})
	}
}

// A namespace that says nothing is made to take agents; what somebody has said stays.
func TestInvite(t *testing.T) {
	for level, want := range map[string]string{"": "privileged", "privileged": "privileged", "restricted": "restricted"} {
		n := namespace(map[string]string{"team": "north", enforce: level})
		if changed := Invite(n); changed != (level == "") || Level(n) != want || n.Labels["team"] != "north" {
			t.Errorf("of level %q, changed is %t, and its labels are %v", level, changed, n.Labels)
		}
	}
	if n := namespace(nil); !Invite(n) || !Welcome(n, "cloud", "agents").Ready() {
		t.Errorf("without labels it becomes one with %v", n.Labels)
	}
}

// Of two owners one is the older one, whatever they have in common.
func TestOlder(t *testing.T) {
	made := func(namespace, name string, second int64) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name,
			CreationTimestamp: metav1.NewTime(time.Unix(second, 0))}}
	}
	for name, younger := range map[string]*corev1.ConfigMap{
		"later":              made("a", "a", 2),
		"in the same second": made("a", "c", 1),
		"with the same name": made("c", "b", 1),
	} {
		t.Run(name, func(t *testing.T) {
			first := made("b", "b", 1)
			if !Older(first, younger) || Older(younger, first) {
				t.Errorf("%v is not the older one", first.ObjectMeta)
			}
		})
	}
}
