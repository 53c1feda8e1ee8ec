package operator

import (
	"context"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lacks names the resources that the operator in a pod may not list although it has to, to look at objects of a kind.
// There are none when the pod's operator is not for that kind, and when the caller may not ask about others.
func Lacks(ctx context.Context, c client.Client, pod *corev1.Pod, gvk schema.GroupVersionKind) string {
	var out []schema.GroupResource
	for _, gr := range listed(pod, gvk) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + pod.Namespace + ":" + pod.Spec.ServiceAccountName,
			Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + pod.Namespace,
				"system:authenticated"},
			ResourceAttributes: attributes(gr)}}
		if err := c.Create(ctx, review); err != nil {
			return ""
		}
		if !review.Status.Allowed {
			out = append(out, gr)
		}
	}
	return join(out)
}

// listed are the resources that the operator in a pod lists for objects of a kind.
func listed(pod *corev1.Pod, gvk schema.GroupVersionKind) []schema.GroupResource {
	known := Registry(Environment{})
	selection, err := Select(selected(pod), known.Components())
	if err != nil {
		return nil
	}
	controllers, err := known.Build(selection)
	if err != nil {
		return nil
	}
	for _, c := range controllers {
		if c.Plan().Kind == gvk {
			return needs(c)
		}
	}
	return nil
}

// selected is the value of --controllers in a pod.
func selected(pod *corev1.Pod) string {
	for i := range pod.Spec.Containers {
		words := slices.Concat(pod.Spec.Containers[i].Command, pod.Spec.Containers[i].Args)
		for n, word := range words {
			switch name, value, set := strings.Cut(strings.TrimLeft(word, "-"), "="); {
			case name != "controllers":
			case set:
				return value
			case n+1 < len(words):
				return words[n+1]
			}
		}
	}
	return ""
}
