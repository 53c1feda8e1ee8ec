package cli

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The namespace of hosts takes their agents, also one that was there before. What somebody has said of it stays, and
// the second time nothing is written.
func TestUpInvitesHosts(t *testing.T) {
	const enforce = "pod-security.kubernetes.io/enforce"
	for name, c := range map[string]struct{ has, want string }{
		"nothing is said": {"", "privileged"},
		"as it has to be": {"privileged", "privileged"},
		"otherwise":       {"restricted", "restricted"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "lab", Labels: map[string]string{"team": "north"}}}
			if c.has != "" {
				ns.Labels[enforce] = c.has
			}
			must(t, w.client.Create(t.Context(), ns))
			u := &ascent{app: &app{namespace: ns.Name}}
			var versions []string
			for range 2 {
				must(t, u.invite(t.Context(), w.client))
				must(t, w.client.Get(t.Context(), client.ObjectKeyFromObject(ns), ns))
				versions = append(versions, ns.ResourceVersion)
			}
			if ns.Labels[enforce] != c.want || ns.Labels["team"] != "north" {
				t.Errorf("its labels are %v, want level %s", ns.Labels, c.want)
			}
			if versions[0] != versions[1] {
				t.Error("the second time writes, too")
			}
		})
	}
}
