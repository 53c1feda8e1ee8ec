package reconcile

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/why"
)

// podTail is how much of a pod's trouble a condition carries, in bytes.
const podTail = 400

var podKind = corev1.SchemeGroupVersion.WithKind("Pod")

// looksAtPods tells whether some step makes pods, by a workload, and the definition says which pods those are.
func (p *Plan[T]) looksAtPods() bool {
	if p.Pods == nil {
		return false
	}
	for _, gvk := range p.madeKinds {
		if makesPods(gvk.GroupKind()) {
			return true
		}
	}
	return false
}

func makesPods(gk schema.GroupKind) bool {
	switch gk.Group {
	case appsv1.GroupName:
		return gk.Kind == "Deployment" || gk.Kind == "StatefulSet" || gk.Kind == "DaemonSet"
	case batchv1.GroupName:
		return gk.Kind == "Job"
	}
	return false
}

// workloadOf returns what a pod is one of. A Deployment's pods belong to a ReplicaSet, whose name has a hash behind
// that of the Deployment.
func workloadOf(p client.Object) (schema.GroupKind, types.NamespacedName) {
	c := metav1.GetControllerOf(p)
	if c == nil {
		return schema.GroupKind{}, types.NamespacedName{}
	}
	gk, key := schema.FromAPIVersionAndKind(c.APIVersion, c.Kind).GroupKind(),
		types.NamespacedName{Namespace: p.GetNamespace(), Name: c.Name}
	if c.Kind == "ReplicaSet" {
		gk.Kind = "Deployment"
		key.Name = strings.TrimSuffix(c.Name, "-"+p.GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey])
	}
	return gk, key
}

// wakeMaker wakes the owner of a pod's workload when the pod's trouble is another one than before. Either may be nil.
// Objects of other kinds than pods wake nobody.
func (l *Loop[T]) wakeMaker(kind schema.GroupKind, before, after client.Object, q queue) {
	if kind != podKind.GroupKind() || !l.looksAtPods() {
		return
	}
	p := after
	if p == nil {
		p = before
	}
	gk, key := workloadOf(p)
	if !makesPods(gk) || troubleOf(before).what == troubleOf(after).what {
		return
	}
	if rec := l.Store.Get(gk, key); rec != nil && rec.GetLabels()[apply.LabelController] == l.Name {
		l.wakeParent(rec, q)
	}
}

// trouble is why a pod does not start, and what to do about it; both are empty when it starts.
type trouble struct{ what, do string }

func troubleOf(obj client.Object) trouble {
	p, ok := obj.(*corev1.Pod)
	if !ok || p.DeletionTimestamp != nil {
		return trouble{}
	}
	f := why.Pod(p)
	if f == nil {
		return trouble{}
	}
	where := "pod " + p.Name
	if c, ok := strings.CutPrefix(f.Part, "container "); ok {
		where = "container " + c + " of " + where
	}
	return trouble{what: where + ": " + saying(f), do: f.Do}
}

// pulling stands before the reason in what the kubelet says between two tries.
const pulling = "ErrImagePull: "

// saying is what a finding says, the same as long as the cause is the same: a pod that cannot get its image goes back
// and forth between two reasons, and one that crashes between four.
func saying(f *why.Finding) string {
	text := strings.Join(strings.Fields(f.Message), " ")
	switch f.Reason {
	case "ErrImagePull", "ImagePullBackOff":
		if i := strings.Index(text, pulling); i >= 0 {
			text = text[i+len(pulling):]
		}
		text = "its image cannot be pulled: " + text
	case "CrashLoopBackOff", "Error", "Completed", "ContainerCannotRun":
	default:
		text = f.Reason + ": " + text
	}
	if text = strings.TrimRight(text, ". "); len(text) > podTail {
		text = strings.ToValidUTF8(text[:podTail], "") + "..."
	}
	return text
}

// because returns what the first of a workload's pods that do not start says; nothing when all do.
func (r *run[T]) because(it *owner.Item) trouble {
	gk := schema.GroupKind{Group: it.Group, Kind: it.Kind}
	if !r.looksAtPods() || !makesPods(gk) {
		return trouble{}
	}
	for _, p := range r.Store.In(podKind.GroupKind(), it.Namespace) {
		if of, key := workloadOf(p); of != gk || key.Name != it.Name {
			continue
		}
		if t := troubleOf(p); t.what != "" {
			return t
		}
	}
	return trouble{}
}

// waiting puts what a workload's pods say into the sentence that tells of their number.
func (r *run[T]) waiting(it *owner.Item, sentence string) string {
	t := r.because(it)
	if t.what == "" {
		return sentence
	}
	if i := strings.LastIndex(sentence, "; "); i >= 0 {
		sentence = sentence[:i]
	}
	return fmt.Sprintf("%s: %s; %s", strings.TrimRight(sentence, "."), t.what, t.do)
}
