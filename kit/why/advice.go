package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// split parts a message of the kit into what is and what to do about it.
func split(message string) (what, do string) {
	i := strings.LastIndex(message, "; ")
	if i < 0 {
		return message, ""
	}
	return message[:i], message[i+2:]
}

func adviseContainer(reason string, pod Object, container string) string {
	log := fmt.Sprintf("kubectl -n %s logs %s -c %s --previous", pod.Namespace, pod.Name, container)
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError":
		return "load or push that image, or correct its reference in the OpenStackRelease or in spec.image"
	case "CreateContainerConfigError", "CreateContainerError":
		return "make the Secret or ConfigMap that the message names, or correct the reference to it"
	case "OOMKilled":
		return "raise resources.limits.memory of the service"
	case "RunContainerError", "StartError", "ContainerCannotRun":
		return "the image cannot start: see that its command exists and that it is made for this machine's architecture"
	}
	return "read its log: " + log
}

func adviseSchedule(message string) string {
	switch m := strings.ToLower(message); {
	case strings.Contains(m, "insufficient"):
		return "add a node, or lower the requests: spec.size or the service's resources"
	case strings.Contains(m, "anti-affinity"), strings.Contains(m, "topology spread"):
		return "add a node, or lower replicas: each replica wants a node of its own"
	case strings.Contains(m, "taint"):
		return "add a toleration to the service, or take the taint off a node"
	case strings.Contains(m, "node selector"), strings.Contains(m, "node affinity"):
		return "label a node as the service's nodeSelector asks, or correct the nodeSelector"
	case strings.Contains(m, "persistentvolumeclaim"), strings.Contains(m, "storageclass"):
		return "see the volume claim: kubectl get pvc"
	}
	return "see which nodes there are and what they lack: kubectl describe nodes"
}

func adviseCreate(message string) string {
	switch {
	case strings.Contains(message, "exceeded quota"):
		return "raise the ResourceQuota of the namespace, or lower the requests or replicas of the service"
	case strings.Contains(message, "violates PodSecurity"):
		return "lower the Pod Security level of the namespace, or see which extra setting broke it"
	case strings.Contains(message, "serviceaccount"):
		return "the ServiceAccount comes back when its owner is reconciled; see that the operator runs"
	}
	return "correct what the message names"
}

func adviseEvent(e *corev1.Event) string {
	describe := fmt.Sprintf("kubectl -n %s describe pod %s", e.InvolvedObject.Namespace, e.InvolvedObject.Name)
	switch e.Reason {
	case "FailedMount", "FailedAttachVolume":
		return "make the Secret, ConfigMap or volume that the message names"
	case "Unhealthy":
		return fmt.Sprintf("the probe says no: read the log: kubectl -n %s logs %s",
			e.InvolvedObject.Namespace, e.InvolvedObject.Name)
	case "FailedCreatePodSandBox":
		return "the node cannot start pods: see the log of its container engine and network plugin"
	}
	return describe
}

// weight orders findings: what is broken comes before what merely waits.
func weight(f *Finding) int {
	switch f.First().Reason {
	case "NotReady", "Deleting", "Forbidden":
		return 2
	case "Unhealthy":
		return 1
	}
	return 0
}

// ranked puts the likeliest cause first: broken before waiting, then the oldest.
func ranked(list []*Finding) []*Finding {
	slices.SortStableFunc(list, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)), a.Since.Compare(b.Since.Time),
			strings.Compare(a.Object.Name, b.Object.Name))
	})
	return list
}
