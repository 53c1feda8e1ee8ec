package nodes

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// labelStay is on the pods of sets that Stay makes, so that each set knows its own.
const labelStay = "nodes.stackwright.dev/stays"

// StayName names the set that keeps a pod of another one on a node.
func StayName(set, node string) string { return set + "-" + mark(node) }

// mark stands for the name of a node, which may be too long for a label or a part of a name.
func mark(node string) string {
	sum := sha256.Sum256([]byte(node))
	return hex.EncodeToString(sum[:6])
}

// Stay keeps a pod of a set on a node that the set does not select any more. It is a set of its own: another node in
// that of all would be another template, which makes the pods of all nodes anew. The pods of both keep apart: one comes
// when the other has gone. The set is one that Apart has seen.
func Stay(set *appsv1.DaemonSet, node string) *appsv1.DaemonSet {
	all := set.Spec.Selector.DeepCopy()
	out := set.DeepCopy()
	out.Name = StayName(set.Name, node)
	for _, labels := range []*map[string]string{&out.Labels, &out.Spec.Selector.MatchLabels, &out.Spec.Template.Labels} {
		with := maps.Clone(*labels)
		with[labelStay] = mark(node)
		*labels = with
	}
	pod := &out.Spec.Template.Spec
	pod.NodeSelector = nil
	pod.Affinity.NodeAffinity = &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
				Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}}
	off := &pod.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	*off = append(*off, corev1.PodAffinityTerm{LabelSelector: all, TopologyKey: corev1.LabelHostname})
	return out
}
