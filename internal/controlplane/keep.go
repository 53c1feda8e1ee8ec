package controlplane

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// References to objects that the control plane has made. Their volumes can neither shrink nor move to another class, so
// that what is there has a say in what the next size and the next storage class give.
const (
	refGalera   = "made-galera"
	refRabbitMQ = "made-rabbitmq"
	refOVN      = "made-ovn"
	refGlance   = "made-glance"
)

func madeRefs() []ref.Ref[*cloud] {
	made := func(name string, kind kubeclient.Object, service string) ref.Ref[*cloud] {
		return ref.Local(name, kind, func(o *cloud) string { return childName(o, service) }, ref.Optional[*cloud](),
			ref.DigestOf[*cloud](digest))
	}
	return []ref.Ref[*cloud]{
		made(refGalera, &infrav1.Galera{}, "galera"), made(refRabbitMQ, &infrav1.RabbitMQ{}, "rabbitmq"),
		made(refOVN, &infrav1.OVN{}, "ovn"), made(refGlance, &servicev1.Glance{}, "glance"),
	}
}

// kept is what is kept of an object.
type kept struct {
	replicas int32 // zero where they can shrink
	storage  infrav1.Storage
	pending  bool // no volume is bound yet
}

// keptOf is nil when there is no object, or none with a volume.
func keptOf(obj kubeclient.Object) *kept {
	switch o := obj.(type) {
	case *infrav1.Galera:
		return &kept{replicas: o.Spec.Replicas, storage: o.Spec.Storage, pending: o.Status.VolumesPending}
	case *infrav1.RabbitMQ:
		return &kept{storage: o.Spec.Storage, pending: o.Status.VolumesPending}
	case *infrav1.OVN:
		return &kept{storage: o.Spec.Storage, pending: o.Status.VolumesPending}
	case *servicev1.Glance:
		// The class of a store is Glance's to keep, which makes the volume itself.
		for _, s := range o.Spec.Stores {
			if s.Name == defaultStore && s.File != nil {
				return &kept{storage: infrav1.Storage{Size: s.File.Size}}
			}
		}
	}
	return nil
}

func digest(obj kubeclient.Object) string {
	k := keptOf(obj)
	if k == nil {
		return ""
	}
	return fmt.Sprintf("%d %s %s %t", k.replicas, k.storage.Size.String(), k.storage.ClassName, k.pending)
}

// members returns the replicas that a person asked for, or else those of the size, or those that are there if they are
// more and cannot become less.
func (k *kept) members(size part, asked *int32) int32 {
	if asked != nil || k == nil {
		return size.count(asked)
	}
	return max(k.replicas, size.replicas)
}

// volume returns the size of a volume that a person asked for, or else the larger one of those that the size gives and
// that is there. Less than is there, when asked for, is refused by the object, which says so.
func (k *kept) volume(size part, asked *resource.Quantity) resource.Quantity {
	want := size.volume(asked)
	if asked == nil && k != nil && k.storage.Size.Cmp(want) > 0 {
		return k.storage.Size.DeepCopy()
	}
	return want
}

// volumes are of that size, and of the class of the control plane unless one of another class is bound already.
func (k *kept) volumes(o *cloud, size part, asked *resource.Quantity) infrav1.Storage {
	s := infrav1.Storage{Size: k.volume(size, asked), ClassName: o.Spec.StorageClass}
	if k != nil && !k.pending {
		s.ClassName = k.storage.ClassName
	}
	return s
}
