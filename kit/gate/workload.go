package gate

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// counters is what the three replicated workloads have in common.
type counters struct {
	want, all, updated, available int32
	// surge tells that old pods are stopped only when new ones are available.
	surge bool
	// manual rollouts replace a pod only when somebody deletes it, so updated pods are not waited for.
	manual bool
}

func seen(obj client.Object, observed int64) bool { return observed >= obj.GetGeneration() }

const unseen = "is not seen by its controller in the current generation"

func deployment(d *appsv1.Deployment) (bool, string) {
	if !seen(d, d.Status.ObservedGeneration) {
		return wait(d, unseen)
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue {
			return wait(d, "cannot make its pods: %s", c.Message)
		}
	}
	ready, why := rolled(d, counters{
		want: replicas(d.Spec.Replicas), all: d.Status.Replicas,
		updated: d.Status.UpdatedReplicas, available: d.Status.AvailableReplicas, surge: true,
	})
	if !ready && d.Spec.Paused {
		return wait(d, "has its rollout paused; set spec.paused to false")
	}
	return ready, why
}

func statefulSet(s *appsv1.StatefulSet) (bool, string) {
	if !seen(s, s.Status.ObservedGeneration) {
		return wait(s, unseen)
	}
	c := counters{
		want: replicas(s.Spec.Replicas), all: s.Status.Replicas,
		updated: s.Status.UpdatedReplicas, available: s.Status.AvailableReplicas,
		manual: s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType,
	}
	if s.Status.UpdateRevision != "" && s.Status.CurrentRevision == s.Status.UpdateRevision {
		// With nothing to roll out the controller leaves updatedReplicas out.
		c.updated = c.all
	}
	if r := s.Spec.UpdateStrategy.RollingUpdate; r != nil && r.Partition != nil {
		// Pods below the partition keep the old template on purpose.
		c.updated += min(*r.Partition, c.want)
	}
	return rolled(s, c)
}

func daemonSet(d *appsv1.DaemonSet) (bool, string) {
	if !seen(d, d.Status.ObservedGeneration) {
		return wait(d, unseen)
	}
	return rolled(d, counters{
		want: d.Status.DesiredNumberScheduled, all: d.Status.CurrentNumberScheduled,
		updated: d.Status.UpdatedNumberScheduled, available: d.Status.NumberAvailable,
		manual: d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType,
	})
}

func rolled(obj client.Object, c counters) (bool, string) {
	switch {
	case c.all < c.want:
		return wait(obj, "has %d of %d pods", c.all, c.want)
	case !c.manual && c.updated < c.want:
		return wait(obj, "has %d of %d pods updated", c.updated, c.want)
	case c.all > c.want && c.surge && c.available < c.all:
		return wait(obj, "keeps %d old pods until all new ones are available", c.all-c.want)
	case c.all > c.want:
		return wait(obj, "has %d pods too many, which are stopping", c.all-c.want)
	case c.available < c.want:
		return wait(obj, "has %d of %d pods available", c.available, c.want)
	}
	return true, ""
}

func replicas(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
