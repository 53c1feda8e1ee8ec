package nodes

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// labelInstance says of a pod whose it is, among those of its namespace.
	labelInstance = "app.kubernetes.io/instance"
	// labelTakes is on pods that have a node to themselves: none of another owner with the same value comes to it.
	labelTakes = "nodes.stackwright.dev/takes"
)

// Apart keeps the pods of a set off nodes on which those of another owner are, in whatever namespace: a node that gets
// labels which another owner selects, too, is chosen by Kubernetes before anybody is asked. The owner's own pods do not
// count, of whatever set: one that is updated comes when the old one has ended, and as long as one of them is left on a
// node, another may come to it and the other owner's may not.
func Apart(set *appsv1.DaemonSet, agents string) {
	pod := &set.Spec.Template
	pod.Labels[labelTakes] = agents
	off := func(where *metav1.LabelSelector, whose ...metav1.LabelSelectorRequirement) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, NamespaceSelector: where,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{labelTakes: agents}, MatchExpressions: whose}}
	}
	other := func(label, than string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: label, Operator: metav1.LabelSelectorOpNotIn, Values: []string{than}}
	}
	elsewhere := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		other(corev1.LabelMetadataName, set.Namespace)}}
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		// Owners of two namespaces may have one name.
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			off(nil, other(labelInstance, pod.Labels[labelInstance])), off(elsewhere)}}}
}
