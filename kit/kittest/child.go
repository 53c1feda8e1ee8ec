package kittest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Behaviour is what the controller of a child would write into its status; nil leaves the child alone. Fields that are
// not returned stay.
type Behaviour func(p *Play, child *unstructured.Unstructured) map[string]any

// Ready makes a child of any kind ready at once: rolled out, completed, bound, with an address, with condition Ready.
func Ready(_ *Play, u *unstructured.Unstructured) map[string]any {
	switch u.GetKind() {
	case "Deployment", "StatefulSet", "DaemonSet":
		return rolledOut(u)
	case "Job":
		return finished("Complete", "SuccessCriteriaMet", "succeeded")
	case "PersistentVolumeClaim":
		return map[string]any{"phase": "Bound"}
	case "Service":
		if t, _, _ := unstructured.NestedString(u.Object, "spec", "type"); t == "LoadBalancer" {
			return map[string]any{"loadBalancer": map[string]any{"ingress": []any{
				map[string]any{"ip": "192.0.2.10", "ipMode": "VIP"},
			}}}
		}
		return nil
	default:
		return Told("True", "AsExpected", "")(nil, u)
	}
}

// Hold keeps a child as it is.
func Hold(*Play, *unstructured.Unstructured) map[string]any { return nil }

// Fail makes a Job fail with a pod whose last words are text.
func Fail(text string) Behaviour {
	return func(p *Play, u *unstructured.Unstructured) map[string]any {
		p.lastWords(u, text)
		return finished("Failed", "FailureTarget", "failed")
	}
}

// Told makes a custom resource say Ready with that status at its generation, and sets more status fields.
func Told(status, reason, message string) Behaviour {
	return func(_ *Play, u *unstructured.Unstructured) map[string]any {
		return map[string]any{
			"observedGeneration": u.GetGeneration(),
			"conditions": []any{map[string]any{
				"type": "Ready", "status": status, "reason": reason, "message": message,
				"observedGeneration": u.GetGeneration(), "lastTransitionTime": now(),
			}},
		}
	}
}

// With adds status fields to what a behaviour writes.
func With(b Behaviour, status map[string]any) Behaviour {
	return func(p *Play, u *unstructured.Unstructured) map[string]any {
		out := b(p, u)
		maps.Copy(out, status)
		return out
	}
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

func rolledOut(u *unstructured.Unstructured) map[string]any {
	n, ok, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	if !ok {
		n = 1
	}
	g := u.GetGeneration()
	switch u.GetKind() {
	case "DaemonSet":
		return map[string]any{
			"observedGeneration": g, "desiredNumberScheduled": int64(1), "currentNumberScheduled": int64(1),
			"numberReady": int64(1), "updatedNumberScheduled": int64(1), "numberAvailable": int64(1),
			"numberMisscheduled": int64(0),
		}
	case "StatefulSet":
		return map[string]any{
			"observedGeneration": g, "replicas": n, "readyReplicas": n, "currentReplicas": n, "updatedReplicas": n,
			"availableReplicas": n, "currentRevision": "settled", "updateRevision": "settled",
		}
	}
	return map[string]any{
		"observedGeneration": g, "replicas": n, "readyReplicas": n, "updatedReplicas": n, "availableReplicas": n,
		"conditions": []any{
			told("Available", "MinimumReplicasAvailable"), told("Progressing", "NewReplicaSetAvailable"),
		},
	}
}

func told(t, reason string) map[string]any {
	return map[string]any{
		"type": t, "status": "True", "reason": reason, "lastTransitionTime": now(), "lastUpdateTime": now(),
	}
}

func finished(condition, before, count string) map[string]any {
	out := map[string]any{
		"startTime": now(), count: int64(1), "ready": int64(0), "terminating": int64(0),
		"uncountedTerminatedPods": map[string]any{},
		"conditions": []any{
			map[string]any{"type": before, "status": "True", "lastTransitionTime": now(), "lastProbeTime": now()},
			map[string]any{"type": condition, "status": "True", "lastTransitionTime": now(), "lastProbeTime": now()},
		},
	}
	if condition == "Complete" {
		out["completionTime"] = now()
	}
	return out
}

// lastWords gives a failed Job a pod that terminated with that message.
func (p *Play) lastWords(job *unstructured.Unstructured, text string) {
	p.T.Helper()
	pod := &corev1.Pod{}
	pod.Name, pod.Namespace = job.GetName()+"-pod", job.GetNamespace()
	pod.Labels, _, _ = unstructured.NestedStringMap(job.Object, "spec", "template", "metadata", "labels")
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, job.GroupVersionKind())}
	pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "example.test/image"}}
	if err := p.Client.Create(p.T.Context(), pod); err != nil {
		if !apierrors.IsAlreadyExists(err) {
			p.must("making the pod of "+name(job), err)
		}
		return
	}
	pod.Status.Phase = corev1.PodFailed
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Message: text, Reason: "Error"},
	}}}
	p.must("writing the status of the pod of "+name(job), p.Client.Status().Update(p.T.Context(), pod))
}

// act does what the cluster's own controllers would do now, and tells whether that was anything.
func (p *Play) act() bool {
	p.T.Helper()
	if p.Server != nil {
		v := p.Server.Version() // before looking: what changes meanwhile is for the next time
		if v == p.acted {
			return false
		}
		p.acted = v
	}
	all := p.stored()
	moved := p.collect(all)
	for _, u := range all {
		moved = p.drive(u) || moved
	}
	return moved
}

// drive brings the status of a child to what its behaviour says.
func (p *Play) drive(u *unstructured.Unstructured) bool {
	p.T.Helper()
	b := p.behaviour(u)
	if b == nil || u.GetDeletionTimestamp() != nil {
		return false
	}
	u = u.DeepCopy()
	want := b(p, u)
	have, _ := u.Object["status"].(map[string]any)
	done := true
	for k, v := range want {
		done = done && reflect.DeepEqual(timeless(v), timeless(have[k]))
	}
	if done {
		return false
	}
	raw, err := json.Marshal(map[string]any{"status": want})
	p.must("encoding a status", err)
	err = p.Client.Status().Patch(p.T.Context(), u, client.RawPatch(types.MergePatchType, raw))
	p.must("writing the status of "+name(u), client.IgnoreNotFound(err))
	return true
}

// behaviour of an object: what the scenario says of it or of its kind, else that of the cluster's own controllers.
func (p *Play) behaviour(u *unstructured.Unstructured) Behaviour {
	for _, ref := range []string{name(u), u.GetKind()} {
		if b, ok := p.children[ref]; ok && !p.world.owned(u.GroupVersionKind()) {
			return b
		}
	}
	switch u.GetKind() {
	case "Deployment", "StatefulSet", "DaemonSet", "Job", "PersistentVolumeClaim", "Service":
		if g := u.GroupVersionKind().Group; g == "" || g == "apps" || g == "batch" {
			return Ready
		}
	}
	return nil
}

// timeless returns a JSON value without its times, for comparison.
func timeless(v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range t {
			out[k] = timeless(e)
		}
		return out
	case []any:
		out := make([]any, len(t))
		for i, e := range t {
			out[i] = timeless(e)
		}
		return out
	case string:
		if _, err := time.Parse(time.RFC3339, t); err == nil {
			return "TIME"
		}
	}
	return v
}

// collect is the garbage collector: it deletes what has lost its owner and finishes foreground and orphan deletions.
func (p *Play) collect(all []*unstructured.Unstructured) bool {
	p.T.Helper()
	alive := map[types.UID]*unstructured.Unstructured{}
	for _, u := range all {
		alive[u.GetUID()] = u
	}
	moved := false
	for _, u := range all {
		if p.orphaned(u, alive) && u.GetDeletionTimestamp() == nil {
			p.sweep(u)
			moved = true
		}
		for _, f := range collected {
			if u.GetDeletionTimestamp() != nil && slices.Contains(u.GetFinalizers(), f) {
				moved = p.finish(u, f, all) || moved
			}
		}
	}
	return moved
}

// collected are the finalizers that the cluster's own controllers take away.
var collected = []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents,
	"kubernetes.io/pvc-protection", "kubernetes.io/pv-protection"}

// orphaned tells whether all owners of an object are gone; those of kinds that the world does not list are not.
func (p *Play) orphaned(u *unstructured.Unstructured, alive map[types.UID]*unstructured.Unstructured) bool {
	refs := u.GetOwnerReferences()
	for _, r := range refs {
		if alive[r.UID] != nil || !p.listed(r.Kind) {
			return false
		}
	}
	return len(refs) > 0
}

func (p *Play) listed(kind string) bool {
	for _, k := range p.world.kinds {
		if k.Kind == kind {
			return true
		}
	}
	return false
}

func (p *Play) sweep(u *unstructured.Unstructured) {
	p.T.Helper()
	err := p.Client.Delete(p.T.Context(), u, client.PropagationPolicy(metav1.DeletePropagationBackground),
		client.Preconditions{UID: new(u.GetUID())})
	if !apierrors.IsConflict(err) {
		p.must("collecting "+name(u), client.IgnoreNotFound(err))
	}
}

// finish lets go of an object that waits for the garbage collector, when its dependents are dealt with.
func (p *Play) finish(u *unstructured.Unstructured, finalizer string, all []*unstructured.Unstructured) bool {
	p.T.Helper()
	moved, blocked := false, false
	for _, d := range all {
		d = d.DeepCopy()
		refs := d.GetOwnerReferences()
		i := slices.IndexFunc(refs, func(r metav1.OwnerReference) bool { return r.UID == u.GetUID() })
		if i < 0 {
			continue
		}
		switch finalizer {
		case metav1.FinalizerDeleteDependents:
			blocked = blocked || refs[i].BlockOwnerDeletion != nil && *refs[i].BlockOwnerDeletion
			if d.GetDeletionTimestamp() == nil {
				p.sweep(d)
				moved = true
			}
		case metav1.FinalizerOrphanDependents:
			base := d.DeepCopy()
			d.SetOwnerReferences(slices.Delete(refs, i, i+1))
			p.must("orphaning "+name(d), client.IgnoreNotFound(p.Client.Patch(p.T.Context(), d, client.MergeFrom(base))))
			moved = true
		}
	}
	if blocked {
		return moved
	}
	base := u.DeepCopy()
	u = u.DeepCopy()
	u.SetFinalizers(slices.DeleteFunc(u.GetFinalizers(), func(f string) bool { return f == finalizer }))
	p.must("finishing "+name(u), client.IgnoreNotFound(p.Client.Patch(p.T.Context(), u, client.MergeFrom(base))))
	return true
}
