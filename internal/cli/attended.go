package cli

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/why"
)

// unattended is why nobody looks after objects: a Deployment of operators without a pod that is ready. What objects say
// of themselves stays as it was then. It is nil where one works, where the cluster has none, and for who may not look.
func unattended(ctx context.Context, c client.Client) *why.Finding {
	list := &appsv1.DeploymentList{}
	if c.List(ctx, list, client.MatchingLabels{"app.kubernetes.io/name": operatorRelease}) != nil {
		return nil
	}
	i := slices.IndexFunc(list.Items, func(d appsv1.Deployment) bool { return d.Status.ReadyReplicas == 0 })
	if i < 0 {
		return nil
	}
	d := &list.Items[i]
	f := &why.Finding{Object: why.Object{Kind: "Deployment", Namespace: d.Namespace, Name: d.Name}, Reason: "NoOperator",
		Message: "no pod of the operator is ready: nobody looks after objects, and what they say of themselves is old",
		Do:      "kubectl -n " + d.Namespace + " describe pods -l app.kubernetes.io/name=" + operatorRelease}
	if n := d.Spec.Replicas; n != nil && *n == 0 {
		f.Message = "the operator has no pods: nobody looks after objects, and what they say of themselves is old"
		f.Do = "kubectl -n " + d.Namespace + " scale deployment/" + d.Name + " --replicas=1"
		return f
	}
	gvk := appsv1.SchemeGroupVersion.WithKind("Deployment")
	if of, err := explainer(c).Explain(ctx, gvk, client.ObjectKeyFromObject(d)); err == nil && of != nil {
		f.Since, f.Because = of.Since, of.Because
	}
	return f
}

// blamed is a finding that has another one behind it, before all others.
func blamed(f, first *why.Finding) *why.Finding {
	switch {
	case first == nil:
		return f
	case f == nil:
		return first
	}
	f.Because = slices.Insert(f.Because, 0, first)
	return f
}
