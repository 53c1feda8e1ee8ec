// Package why finds out why an object is not ready: from its status it walks to what it waits for, and on, down to the
// first cause. It reads what a user of the namespace may read, and says so where a right is missing.
package why

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Object names an object of the cluster.
type Object struct {
	// Group of the kind; empty for those of Kubernetes' core.
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns `Kind namespace/name`.
func (o Object) String() string {
	if o.Namespace == "" {
		return o.Kind + " " + o.Name
	}
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Finding is one object that is not as it should be, and what that comes from.
type Finding struct {
	// Object that is not as it should be.
	Object Object `json:"object"`
	// Part of it that tells: a condition, a container, a step.
	Part string `json:"part,omitempty"`
	// Reason is a word that programs can match.
	Reason string `json:"reason"`
	// Message is a sentence for people.
	Message string `json:"message,omitempty"`
	// Since is when it began, zero when nobody noted it.
	Since metav1.Time `json:"since,omitzero"`
	// Do is what a person can do about it; empty where a deeper finding says more.
	Do string `json:"do,omitempty"`
	// Because lists deeper findings, the likeliest cause first.
	Because []*Finding `json:"because,omitempty"`
}

// First returns the first cause: the finding at the bottom of the likeliest path.
func (f *Finding) First() *Finding {
	for len(f.Because) > 0 {
		f = f.Because[0]
	}
	return f
}

// Explainer explains objects of one cluster.
type Explainer struct {
	// Reader reads the cluster.
	Reader client.Reader
	// Kinds are the kinds of kit controllers, by which `Kind name` in a status is found again.
	Kinds []schema.GroupVersionKind
	// Operator selects the pods of the operators, which are looked at when nobody reconciles an object. May be empty.
	Operator client.MatchingLabels
	// Lacks names the resources that the operator in a pod may not list although it has to, to look at a kind; empty for
	// none. It may be nil.
	Lacks func(ctx context.Context, operator *corev1.Pod, gvk schema.GroupVersionKind) string
}

// depth bounds a walk; the deepest real chain (control plane, service, database, cluster, pod, volume, class) has
// seven.
const depth = 12

// walk is one explanation.
type walk struct {
	Explainer
	seen map[Object]bool
}

// Explain returns what is wrong with an object of kind gvk, nil when nothing is.
func (e Explainer) Explain(ctx context.Context, gvk schema.GroupVersionKind, key client.ObjectKey) (*Finding, error) {
	w := &walk{Explainer: e, seen: map[Object]bool{}}
	f := w.explain(ctx, gvk, key)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("explaining %s %s: %w", gvk.Kind, key.Name, err)
	}
	return f, nil
}

// explain looks at each object once, so that a circle of objects that wait for each other ends.
func (w *walk) explain(ctx context.Context, gvk schema.GroupVersionKind, key client.ObjectKey) *Finding {
	o := Object{Group: gvk.Group, Kind: gvk.Kind, Namespace: key.Namespace, Name: key.Name}
	if w.seen[o] || len(w.seen) >= depth*8 {
		return nil
	}
	w.seen[o] = true
	switch gvk.GroupKind().String() {
	case "Deployment.apps":
		return w.workload(ctx, o, &appsv1.Deployment{})
	case "StatefulSet.apps":
		return w.workload(ctx, o, &appsv1.StatefulSet{})
	case "DaemonSet.apps":
		return w.workload(ctx, o, &appsv1.DaemonSet{})
	case "Job.batch":
		return w.workload(ctx, o, &batchv1.Job{})
	case "Pod":
		return w.podNamed(ctx, o)
	case "PersistentVolumeClaim":
		return w.claim(ctx, o)
	case "Service":
		return w.service(ctx, o)
	case "Node":
		return w.node(ctx, o)
	case "Secret", "ConfigMap":
		return w.existence(ctx, gvk, o)
	}
	return w.owner(ctx, gvk, o)
}
