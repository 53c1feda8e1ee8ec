package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func (w *walk) podNamed(ctx context.Context, o Object) *Finding {
	p := &corev1.Pod{}
	if f := w.read(ctx, o, p); f != nil {
		return f
	}
	return w.pod(ctx, p)
}

// pod explains one pod; nil when it is ready or has done its work.
func (w *walk) pod(ctx context.Context, p *corev1.Pod) *Finding {
	o := podRef(p)
	if p.Status.Phase == corev1.PodSucceeded || podCondition(p, corev1.PodReady).Status == corev1.ConditionTrue {
		return nil
	}
	if f := held(o, p); f != nil {
		return w.onNode(ctx, p, f)
	}
	if c := podCondition(p, corev1.PodScheduled); c.Status == corev1.ConditionFalse {
		return w.unscheduled(ctx, p, c)
	}
	if f := container(o, p); f != nil {
		return w.onNode(ctx, p, f)
	}
	f := &Finding{Object: o, Reason: "NotReady", Since: podCondition(p, corev1.PodReady).LastTransitionTime,
		Message: "pod is " + string(p.Status.Phase) + " and not ready",
		Do:      fmt.Sprintf("kubectl -n %s describe pod %s", p.Namespace, p.Name)}
	if p.Status.Reason != "" {
		f.Reason, f.Message = p.Status.Reason, p.Status.Message
	}
	if e := w.event(ctx, o); e != nil {
		f.Reason, f.Message, f.Do = e.Reason, e.Message, advise(hints, o, e.Reason, e.Message, f.Do)
	}
	return w.onNode(ctx, p, f)
}

// Pod returns what a pod says about itself when it is not ready: that no node takes it, which container does not run,
// or which has ceased to work; nil otherwise, as for one that starts. Nothing but the pod is read.
func Pod(p *corev1.Pod) *Finding {
	o := podRef(p)
	if p.Status.Phase == corev1.PodSucceeded || podCondition(p, corev1.PodReady).Status == corev1.ConditionTrue {
		return nil
	}
	if c := podCondition(p, corev1.PodScheduled); c.Status == corev1.ConditionFalse {
		return homeless(o, c)
	}
	return cmp.Or(container(o, p), ceased(o, p))
}

// ceased is the finding that a container runs and was ready, and its probe says no now. Why is in events only.
func ceased(o Object, p *corev1.Pod) *Finding {
	c := podCondition(p, corev1.PodReady)
	if c.Status != corev1.ConditionFalse || p.DeletionTimestamp != nil {
		return nil
	}
	for _, s := range p.Status.ContainerStatuses {
		if r := s.State.Running; r != nil && !s.Ready && r.StartedAt.Before(&c.LastTransitionTime) {
			return &Finding{Object: o, Part: "container " + s.Name, Reason: "Unhealthy", Since: c.LastTransitionTime,
				Message: "it runs, and its probe says that it does not work any more",
				Do:      fmt.Sprintf("see what the probe says: kubectl -n %s describe pod %s", o.Namespace, o.Name)}
		}
	}
	return nil
}

// homeless is the finding that no node takes a pod.
func homeless(o Object, c corev1.PodCondition) *Finding {
	return &Finding{Object: o, Part: string(c.Type), Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime,
		Do: advise(hints, o, c.Reason, c.Message, fmt.Sprintf("kubectl -n %s describe pod %s", o.Namespace, o.Name))}
}

// unscheduled puts a volume that cannot be had before the scheduler's summary of it.
func (w *walk) unscheduled(ctx context.Context, p *corev1.Pod, c corev1.PodCondition) *Finding {
	f := homeless(podRef(p), c)
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim == nil {
			continue
		}
		claim := Object{Kind: "PersistentVolumeClaim", Namespace: p.Namespace, Name: v.PersistentVolumeClaim.ClaimName}
		if cause := cmp.Or(w.claim(ctx, claim), w.stranded(ctx, claim, p)); cause != nil {
			f.Because = append(f.Because, cause)
		}
	}
	return f
}

// onNode adds the node as the cause when it is not ready: whatever its pods say then is old.
func (w *walk) onNode(ctx context.Context, p *corev1.Pod, f *Finding) *Finding {
	if p.Spec.NodeName == "" {
		return f
	}
	o := Object{Kind: "Node", Name: p.Spec.NodeName}
	if cause := w.node(ctx, o); cause != nil && cause.Reason != "Forbidden" {
		f.Because = append(f.Because, cause)
	}
	return f
}

// container returns the first container that does not run, in the order in which they start.
func container(o Object, p *corev1.Pod) *Finding {
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if f := containerState(o, s); f != nil {
			if f.Since.IsZero() {
				f.Since = podCondition(p, corev1.PodReady).LastTransitionTime
			}
			return f
		}
	}
	return nil
}

func containerState(o Object, s corev1.ContainerStatus) *Finding {
	f := &Finding{Object: o, Part: "container " + s.Name}
	switch t, last := s.State.Terminated, s.LastTerminationState.Terminated; {
	case s.State.Waiting != nil && !starting(s.State.Waiting.Reason):
		f.Reason, f.Message = s.State.Waiting.Reason, s.State.Waiting.Message
		if f.Reason == "CrashLoopBackOff" && last != nil {
			ended(f, last)
		}
	case t != nil && t.ExitCode != 0:
		ended(f, t)
	case s.State.Running != nil && !s.Ready && last != nil && s.RestartCount > 0:
		ended(f, last)
	default:
		return nil
	}
	f.Do = advise(hints, o, f.Reason, f.Message,
		fmt.Sprintf("read its log: kubectl -n %s logs %s -c %s --previous", o.Namespace, o.Name, s.Name))
	return f
}

// starting are the reasons of every healthy pod's first seconds; events say more when they last.
func starting(reason string) bool {
	return reason == "ContainerCreating" || reason == "PodInitializing"
}

// ended tells how a container ended: its last words are worth more than the kubelet's.
func ended(f *Finding, t *corev1.ContainerStateTerminated) {
	if f.Reason == "" || t.Reason == "OOMKilled" {
		f.Reason = t.Reason
	}
	f.Since = t.FinishedAt
	f.Message = fmt.Sprintf("ended with exit code %d", t.ExitCode)
	if words := strings.TrimSpace(t.Message); words != "" {
		f.Message += ": " + words
	}
}

func podCondition(p *corev1.Pod, t corev1.PodConditionType) corev1.PodCondition {
	for _, c := range p.Status.Conditions {
		if c.Type == t {
			return c
		}
	}
	return corev1.PodCondition{LastTransitionTime: p.CreationTimestamp}
}

func (w *walk) node(ctx context.Context, o Object) *Finding {
	n := &corev1.Node{}
	if f := w.read(ctx, o, n); f != nil {
		return f
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue {
			return &Finding{Object: o, Part: "Ready", Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime,
				Do: "bring the node back, or remove it from the cluster: kubectl describe node " + o.Name}
		}
	}
	return nil
}

// unentitled tells that an operator leaves a kind alone because it may not list all that it takes.
func (w *walk) unentitled(ctx context.Context, p *corev1.Pod, gvk schema.GroupVersionKind) *Finding {
	if w.Lacks == nil {
		return nil
	}
	lacks := w.Lacks(ctx, p, gvk)
	if lacks == "" {
		return nil
	}
	return &Finding{Object: podRef(p), Part: "rights", Reason: "RightMissing",
		Message: "the operator does not look at objects of kind " + gvk.Kind + ": it may not list " + lacks,
		Do: "give ServiceAccount " + p.Namespace + "/" + p.Spec.ServiceAccountName + " the right to get, list and watch " +
			lacks + ", as the ClusterRole of its chart does"}
}

// operators explains the pods of the operators, for objects that nobody looks at.
func (w *walk) operators(ctx context.Context, gvk schema.GroupVersionKind) []*Finding {
	if len(w.Operator) == 0 {
		return nil
	}
	var list corev1.PodList
	if err := w.Reader.List(ctx, &list, w.Operator); err != nil {
		return nil
	}
	var out []*Finding
	for i := range list.Items {
		if f := w.pod(ctx, &list.Items[i]); f != nil {
			out = append(out, f)
		}
		if f := w.unentitled(ctx, &list.Items[i], gvk); f != nil {
			out = append(out, f)
		}
	}
	if len(list.Items) == 0 {
		out = append(out, &Finding{Object: Object{Kind: "Pod", Name: "stackwright-operator"}, Reason: "NotFound",
			Message: "no pod of the operator is there", Do: "install it: stackwright up, or helm install"})
	}
	return ranked(out)
}
