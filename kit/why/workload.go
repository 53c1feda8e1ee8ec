package why

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
)

// workload explains what makes pods. A failure to make them is in the conditions of some kinds, and in events of all.
func (w *walk) workload(ctx context.Context, o Object, obj client.Object) *Finding {
	if f := w.read(ctx, o, obj); f != nil {
		return f
	}
	f := gated(o, obj)
	if f == nil {
		return nil
	}
	selector := &metav1.LabelSelector{}
	switch obj := obj.(type) {
	case *appsv1.Deployment:
		selector = obj.Spec.Selector
		if cause := since(o, f, obj.Status.Conditions); cause != nil {
			f.Because = []*Finding{cause}
			return f
		}
	case *appsv1.StatefulSet:
		selector = obj.Spec.Selector
	case *appsv1.DaemonSet:
		selector = obj.Spec.Selector
	case *batchv1.Job:
		selector = obj.Spec.Selector
		jobFailed(o, f, obj.Status.Conditions)
	}
	f.Because = w.pods(ctx, o, selector)
	if e := w.event(ctx, o, "FailedCreate"); len(f.Because) == 0 && e != nil {
		f.Because = append(f.Because, failedCreate(o, e.Reason, e.Message, first(e)))
	}
	return f
}

// since notes since when a Deployment is not available, and returns the finding that its pods are refused.
func since(o Object, f *Finding, conditions []appsv1.DeploymentCondition) *Finding {
	for _, c := range conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			return failedCreate(o, c.Reason, c.Message, c.LastTransitionTime)
		}
		if c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionFalse {
			f.Since = c.LastTransitionTime
		}
	}
	return nil
}

func jobFailed(o Object, f *Finding, conditions []batchv1.JobCondition) {
	f.Do = fmt.Sprintf("read its log: kubectl -n %s logs job/%s", o.Namespace, o.Name)
	for _, c := range conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			f.Reason, f.Message, f.Since = "JobFailed", c.Message, c.LastTransitionTime
		}
	}
}

// gated is the finding about an object that does not pass the gate of its kind.
func gated(o Object, obj client.Object) *Finding {
	if f := held(o, obj); f != nil {
		return f
	}
	ready, message := gate.For(obj)(obj)
	if ready {
		return nil
	}
	what, do := split(message)
	return &Finding{Object: o, Reason: "NotReady", Message: what, Do: do}
}

func failedCreate(o Object, reason, message string, since metav1.Time) *Finding {
	return &Finding{Object: o, Part: "pods", Reason: reason, Message: message, Since: since,
		Do: advise(hints, o, "FailedCreate", message, "")}
}

// pods explains the pods of a workload that are not ready, the longest waiting first.
func (w *walk) pods(ctx context.Context, o Object, selector *metav1.LabelSelector) []*Finding {
	sel, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil || sel.Empty() {
		return nil
	}
	var list corev1.PodList
	opts := []client.ListOption{client.InNamespace(o.Namespace), client.MatchingLabelsSelector{Selector: sel}}
	if err := w.Reader.List(ctx, &list, opts...); err != nil {
		return []*Finding{denied(Object{Kind: "Pod", Namespace: o.Namespace, Name: o.Name}, "list", "pods")}
	}
	var out []*Finding
	for i := range list.Items {
		if f := w.pod(ctx, &list.Items[i]); f != nil {
			out = append(out, f)
		}
	}
	return ranked(out)
}
