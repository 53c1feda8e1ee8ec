package nodes

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/apply"
)

const (
	// labelInstance says of a pod whose it is, among those of its namespace.
	labelInstance = "app.kubernetes.io/instance"
	// labelTakes is on pods that have a node to themselves: none of another owner with the same value comes to it.
	labelTakes = "nodes.stackwright.dev/takes"
	// labelFor tells apart the owners of such pods, also those of one name in two namespaces.
	labelFor = "nodes.stackwright.dev/for"
)

// Apart keeps the pods of a set off nodes on which those of another owner are, of whatever namespace: a node that gets
// labels which another owner selects, too, is chosen by Kubernetes before anybody is asked. The owner's own pods do not
// count, of whatever set: one that is updated comes when the old one has ended, and as long as one of them is left on a
// node, another may come to it and the other owner's may not.
//
// Namespaces are those that take agents (Welcome). In any other one, who may make pods there would keep agents off a
// node with a pod that has their labels. They are selected by what they are: the scheduler of Kubernetes 1.36 forgets
// that it has looked up the names (mergeAffinityTermNamespacesIfNotEmpty takes its term by value), and takes every
// namespace for one that is selected by what it is not.
func Apart(set *appsv1.DaemonSet, agents string) {
	pod := &set.Spec.Template
	owner := apply.Hash([]byte(set.Namespace + "/" + pod.Labels[labelInstance]))
	pod.Labels[labelTakes], pod.Labels[labelFor] = agents, owner
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:       corev1.LabelHostname,
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{enforce: privileged}},
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{labelTakes: agents},
				MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: labelFor, Operator: metav1.LabelSelectorOpNotIn, Values: []string{owner}}}},
		}}}}
}
