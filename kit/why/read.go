package why

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// read gets an object. A finding is the answer where it cannot be read: it is missing, or a right is.
func (w *walk) read(ctx context.Context, o Object, into client.Object) *Finding {
	err := w.Reader.Get(ctx, client.ObjectKey{Namespace: o.Namespace, Name: o.Name}, into)
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return &Finding{Object: o, Reason: "NotFound", Message: o.Kind + " " + o.Name + " does not exist",
			Do: "create it, or correct the name by which it is referred to"}
	case meta.IsNoMatchError(err):
		return &Finding{Object: o, Reason: "NoDefinition", Message: "the cluster does not know the kind " + o.Kind,
			Do: "install its CustomResourceDefinition"}
	case apierrors.IsForbidden(err):
		return denied(o, "get", strings.ToLower(o.Kind)+"s")
	}
	return &Finding{Object: o, Reason: "Unreadable", Message: fmt.Sprintf("reading %s: %v", o, err),
		Do: "see whether the API server answers: kubectl get --raw /readyz"}
}

func denied(o Object, verb, resource string) *Finding {
	return &Finding{Object: o, Reason: "Forbidden", Message: "you may not " + verb + " " + resource + " here",
		Do: fmt.Sprintf("ask for the right to %s %s in namespace %s, or look as somebody who has it",
			verb, resource, o.Namespace)}
}

// existence looks at kinds that only have to be there. To a person who may not see them it says nothing: what waits for
// them has said already whether they are there.
func (w *walk) existence(ctx context.Context, gvk schema.GroupVersionKind, o Object) *Finding {
	record := &metav1.PartialObjectMetadata{}
	record.SetGroupVersionKind(gvk)
	switch f := w.read(ctx, o, record); {
	case f == nil:
		return held(o, record)
	case f.Reason == "Forbidden":
		return nil
	default:
		return f
	}
}

// event returns the newest warning about an object, nil when there is none or events cannot be read.
func (w *walk) event(ctx context.Context, o Object, reasons ...string) *corev1.Event {
	var list corev1.EventList
	err := w.Reader.List(ctx, &list, client.InNamespace(o.Namespace),
		client.MatchingFields{"involvedObject.name": o.Name, "involvedObject.kind": o.Kind})
	if err != nil {
		return nil
	}
	events := slices.DeleteFunc(list.Items, func(e corev1.Event) bool {
		return e.Type != corev1.EventTypeWarning || len(reasons) > 0 && !slices.Contains(reasons, e.Reason)
	})
	if len(events) == 0 {
		return nil
	}
	newest := slices.MaxFunc(events, func(a, b corev1.Event) int { return cmp.Compare(last(a).Unix(), last(b).Unix()) })
	return &newest
}

// last is when an event was seen last; events of the newer API have only the series or the event time.
func last(e corev1.Event) metav1.Time {
	switch {
	case e.Series != nil:
		return metav1.Time{Time: e.Series.LastObservedTime.Time}
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp
	case !e.EventTime.IsZero():
		return metav1.Time{Time: e.EventTime.Time}
	}
	return e.CreationTimestamp
}

// first is when an event was seen first.
func first(e *corev1.Event) metav1.Time {
	switch {
	case !e.FirstTimestamp.IsZero():
		return e.FirstTimestamp
	case !e.EventTime.IsZero():
		return metav1.Time{Time: e.EventTime.Time}
	}
	return e.CreationTimestamp
}

func podRef(p *corev1.Pod) Object { return Object{Kind: "Pod", Namespace: p.Namespace, Name: p.Name} }

// held is the finding about an object that is being deleted and cannot go, nil for any other.
func held(o Object, obj client.Object) *Finding {
	t := obj.GetDeletionTimestamp()
	if t == nil {
		return nil
	}
	f := &Finding{Object: o, Reason: "Deleting", Since: *t, Message: o.Kind + " " + o.Name + " is being deleted",
		Do: "wait until it is gone"}
	if list := obj.GetFinalizers(); len(list) > 0 {
		f.Reason = "HeldByFinalizer"
		f.Message += " and held by finalizer " + strings.Join(list, ", ")
		f.Do = "see whether the controller that owns the finalizer runs and what it waits for; remove the finalizer by " +
			"hand only when that controller is gone for good"
	}
	return f
}
