package gate

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/owner"
)

func job(j *batchv1.Job) (bool, string) {
	for _, c := range j.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		switch c.Type {
		case batchv1.JobComplete:
			return true, ""
		case batchv1.JobFailed:
			return wait(j, "failed: %s: %s", c.Reason, c.Message)
		case batchv1.JobSuspended:
			return wait(j, "is suspended; set spec.suspend to false")
		}
	}
	return wait(j, "has %d of %d completions, %d failed pods",
		j.Status.Succeeded, replicas(j.Spec.Completions), j.Status.Failed)
}

func pod(p *corev1.Pod) (bool, string) {
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		return true, ""
	case corev1.PodFailed:
		return wait(p, "failed: %s %s", p.Status.Reason, p.Status.Message)
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return true, ""
		}
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return wait(p, "is not scheduled: %s", c.Message)
		}
	}
	// Init containers come first: while one of them waits, the others wait for it.
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		if w := s.State.Waiting; w != nil && w.Reason != "PodInitializing" {
			return wait(p, "has container %s waiting: %s", s.Name, w.Reason)
		}
	}
	return wait(p, "is not ready")
}

// claim does not ask for Bound: with WaitForFirstConsumer that needs a pod, which may come in a later step.
func claim(c *corev1.PersistentVolumeClaim) (bool, string) {
	if c.Status.Phase == corev1.ClaimLost {
		return wait(c, "has lost its volume %s", c.Spec.VolumeName)
	}
	return true, ""
}

func service(s *corev1.Service) (bool, string) {
	if s.Spec.Type != corev1.ServiceTypeLoadBalancer {
		return true, ""
	}
	for _, i := range s.Status.LoadBalancer.Ingress {
		if i.IP != "" || i.Hostname != "" {
			return true, ""
		}
	}
	return wait(s, "has no load balancer address yet")
}

// definition does not count as ready by being there: its kind is served a moment later, or never, if a name is taken.
func definition(d *apiextensionsv1.CustomResourceDefinition) (bool, string) {
	for _, c := range d.Status.Conditions {
		switch {
		case c.Type == apiextensionsv1.NamesAccepted && c.Status == apiextensionsv1.ConditionFalse:
			return wait(d, "has names that are taken: %s", c.Message)
		case c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue:
			return true, ""
		}
	}
	return wait(d, "is not served yet")
}

// own is the gate of objects that kit controllers reconcile.
func own(o owner.Object) (bool, string) {
	s := o.KitStatus()
	if s.ObservedGeneration < o.GetGeneration() {
		return wait(o, unseen)
	}
	for _, c := range s.Conditions {
		if c.Type != "Ready" {
			continue
		}
		if c.Status == "True" && c.ObservedGeneration >= o.GetGeneration() {
			return true, ""
		}
		if c.Status == "True" {
			return wait(o, unseen)
		}
		return wait(o, "is not ready: %s: %s", c.Reason, c.Message)
	}
	return wait(o, "has no Ready condition yet; check that its controller runs")
}

// kstatus has the rules that tools agree on for kinds nobody knows: a Ready condition counts where there is one,
// Stalled and Reconciling speak against, and an observed generation must not be older than the object.
func kstatus(u *unstructured.Unstructured) (bool, string) {
	observed, found, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	if found && observed < u.GetGeneration() {
		return wait(u, unseen)
	}
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, item := range list {
		c, _ := item.(map[string]any)
		kind, status := c["type"], c["status"]
		against := (kind == "Stalled" || kind == "Reconciling") && status == "True"
		if against || kind == "Ready" && status != "True" {
			return wait(u, "is not ready: %v: %v", c["reason"], c["message"])
		}
	}
	return true, ""
}
