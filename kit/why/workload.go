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

func (w *walk) deployment(ctx context.Context, o Object) *Finding {
	d := &appsv1.Deployment{}
	if f := w.read(ctx, o, d); f != nil {
		return f
	}
	f := gated(o, d)
	if f == nil {
		return nil
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			f.Because = append(f.Because, failedCreate(o, c.Reason, c.Message, c.LastTransitionTime))
			return f
		}
		if c.Type == appsv1.DeploymentAvailable && c.Status == corev1.ConditionFalse {
			f.Since = c.LastTransitionTime
		}
	}
	f.Because = w.pods(ctx, o, d.Spec.Selector)
	return f
}

func (w *walk) statefulSet(ctx context.Context, o Object) *Finding {
	s := &appsv1.StatefulSet{}
	if f := w.read(ctx, o, s); f != nil {
		return f
	}
	return w.set(ctx, o, s, s.Spec.Selector)
}

func (w *walk) daemonSet(ctx context.Context, o Object) *Finding {
	d := &appsv1.DaemonSet{}
	if f := w.read(ctx, o, d); f != nil {
		return f
	}
	return w.set(ctx, o, d, d.Spec.Selector)
}

// set explains workloads that tell a failure to make pods in events only.
func (w *walk) set(ctx context.Context, o Object, obj client.Object, selector *metav1.LabelSelector) *Finding {
	f := gated(o, obj)
	if f == nil {
		return nil
	}
	f.Because = w.pods(ctx, o, selector)
	if len(f.Because) > 0 {
		return f
	}
	if e := w.event(ctx, o, "FailedCreate"); e != nil {
		f.Because = append(f.Because, failedCreate(o, e.Reason, e.Message, first(e)))
	}
	return f
}

func (w *walk) job(ctx context.Context, o Object) *Finding {
	j := &batchv1.Job{}
	if f := w.read(ctx, o, j); f != nil {
		return f
	}
	f := gated(o, j)
	if f == nil {
		return nil
	}
	f.Do = fmt.Sprintf("read its log: kubectl -n %s logs job/%s", o.Namespace, o.Name)
	for _, c := range j.Status.Conditions {
		if c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue {
			f.Reason, f.Message, f.Since = "JobFailed", c.Message, c.LastTransitionTime
		}
	}
	f.Because = w.pods(ctx, o, j.Spec.Selector)
	if e := w.event(ctx, o, "FailedCreate"); len(f.Because) == 0 && e != nil {
		f.Because = append(f.Because, failedCreate(o, e.Reason, e.Message, first(e)))
	}
	return f
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
