package why

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const defaultClass = "storageclass.kubernetes.io/is-default-class"

// claim explains a volume claim that is not bound.
func (w *walk) claim(ctx context.Context, o Object) *Finding {
	c := &corev1.PersistentVolumeClaim{}
	if f := w.read(ctx, o, c); f != nil {
		return f
	}
	if f := held(o, c); f != nil {
		return f
	}
	if c.Status.Phase == corev1.ClaimBound {
		return nil
	}
	f := &Finding{Object: o, Reason: "NotBound", Message: "volume claim is " + string(c.Status.Phase),
		Since: c.CreationTimestamp, Do: fmt.Sprintf("kubectl -n %s describe pvc %s", o.Namespace, o.Name)}
	class, cause := w.class(ctx, c)
	if cause != nil {
		f.Because = append(f.Because, cause)
	}
	if e := w.event(ctx, o, "ProvisioningFailed", "FailedBinding"); e != nil {
		f.Reason, f.Message, f.Since = e.Reason, e.Message, first(e)
		f.Do = "see the log of the storage provisioner; the message comes from it"
	} else if late(class) && c.Annotations[selectedNode] == "" {
		return nil // it waits for its pod, not the pod for it
	}
	return f
}

// late tells whether volumes of a class are made where the scheduler has put their pods.
func late(class *storagev1.StorageClass) bool {
	return class != nil && class.VolumeBindingMode != nil &&
		*class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
}

// selectedNode is where the scheduler notes for which node the volume of a claim is made.
const selectedNode = "volume.kubernetes.io/selected-node"

// stranded explains a claim whose volume is on a node that is away, or not a part of the cluster any more. Volumes that
// follow their pods do not keep these from being scheduled, so it is asked only about pods that are not.
func (w *walk) stranded(ctx context.Context, o Object, p *corev1.Pod) *Finding {
	c := &corev1.PersistentVolumeClaim{}
	if w.read(ctx, o, c) != nil || c.Annotations[selectedNode] == "" {
		return nil
	}
	cause := w.node(ctx, Object{Kind: "Node", Name: c.Annotations[selectedNode]})
	switch {
	case cause == nil, cause.Reason == "Forbidden":
		return nil
	case cause.Reason != "NotFound":
		return cause
	}
	return &Finding{Object: o, Reason: "NodeGone", Since: podCondition(p, corev1.PodScheduled).LastTransitionTime,
		Message: "its volume is on node " + cause.Object.Name + ", which is not a part of the cluster any more",
		Do: fmt.Sprintf("bring that node back; if it is gone for good, so is what only it had: when other members have a "+
			"copy, have a new volume filled from them: kubectl -n %s delete --wait=false pvc/%s pod/%s", o.Namespace, o.Name,
			p.Name)}
}

// class is the storage class of a claim, or explains that there is none.
func (w *walk) class(ctx context.Context, c *corev1.PersistentVolumeClaim) (*storagev1.StorageClass, *Finding) {
	name := ""
	if c.Spec.StorageClassName != nil {
		name = *c.Spec.StorageClassName
	}
	var list storagev1.StorageClassList
	if err := w.Reader.List(ctx, &list, &client.ListOptions{}); err != nil {
		return nil, nil
	}
	for i := range list.Items {
		s := &list.Items[i]
		if s.Name == name || name == "" && s.Annotations[defaultClass] == "true" {
			return s, nil
		}
	}
	o := Object{Group: storagev1.GroupName, Kind: "StorageClass", Name: name}
	if name == "" {
		o.Name = "(default)"
		return nil, &Finding{Object: o, Reason: "NoDefault", Since: c.CreationTimestamp,
			Message: "the cluster has no default storage class and the claim names none",
			Do:      "set storageClass in the object, or mark one as default with the annotation " + defaultClass + "=true"}
	}
	return nil, &Finding{Object: o, Reason: "NotFound", Message: "storage class " + name + " does not exist",
		Since: c.CreationTimestamp, Do: "create it, or set storageClass to one that exists: kubectl get storageclass"}
}

// service explains a load balancer without an address.
func (w *walk) service(ctx context.Context, o Object) *Finding {
	s := &corev1.Service{}
	if f := w.read(ctx, o, s); f != nil {
		return f
	}
	f := gated(o, s)
	if f != nil && f.Reason == "NotReady" {
		f.Since = s.CreationTimestamp
		f.Do = "install something that gives addresses to Services of type LoadBalancer, or choose another type"
	}
	return f
}
