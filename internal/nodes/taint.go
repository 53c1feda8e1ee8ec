package nodes

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
)

// own begins the taints that Kubernetes gives to a node that is not well, and takes away again. Pods of DaemonSets stay
// on such a node.
const own = "node.kubernetes.io/"

// taints are those of a node that keep pods of DaemonSets off.
func taints(node client.Object) []corev1.Taint {
	n, ok := node.(*corev1.Node)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectPreferNoSchedule || strings.HasPrefix(t.Key, own)
	})
}

// Taints is all of a node that decides whether pods of agents come to it when it is selected.
func Taints(node client.Object) string {
	var out []string
	for _, t := range taints(node) {
		out = append(out, t.ToString())
	}
	return strings.Join(out, " ")
}

// Open refuses nodes, of those with the given names, that have a taint which agents do not tolerate: no pod comes
// there, and a DaemonSet does not count them. Field is that of the tolerations.
func Open(all []client.Object, names []string, tolerations []corev1.Toleration, field string) *outcome.Outcome {
	closed := map[string][]string{}
	for _, n := range all {
		for _, t := range taints(n) {
			tolerates := func(o corev1.Toleration) bool { return o.ToleratesTaint(logr.Discard(), &t, true) }
			if !slices.ContainsFunc(tolerations, tolerates) && slices.Contains(names, n.GetName()) {
				closed[t.ToString()] = append(closed[t.ToString()], n.GetName())
			}
		}
	}
	if len(closed) == 0 {
		return outcome.Done()
	}
	taint := slices.Min(slices.Collect(maps.Keys(closed)))
	slices.Sort(closed[taint])
	return outcome.Refuse("NodesTainted", "The taint %s keeps agents off %s; add a toleration of it to %s, or run "+
		"kubectl taint node NAME %s- for each.", taint, List(closed[taint]), field, taint)
}
