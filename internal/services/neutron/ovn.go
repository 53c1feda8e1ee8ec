package neutron

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// References beside those that every service has.
const (
	refOVN       = "ovn"
	refOVNClient = "ovn-client"
)

func ovnRefs() []ref.Ref[*neutron] {
	return []ref.Ref[*neutron]{
		ref.Local(refOVN, &infrav1.OVN{}, func(n *neutron) string { return n.Spec.OVN },
			ref.WaitFor[*neutron](connected), ref.DigestOf[*neutron](connections)),
		ref.Local(refOVNClient, &corev1.Secret{}, ovnClient, ref.Fields[*neutron]("ca.crt", "tls.crt", "tls.key")),
	}
}

// ovnClient names the Secret that OVN's operator makes for clients with all rights on both databases.
func ovnClient(n *neutron) string { return n.Spec.OVN + "-client" }

func connected(obj client.Object) (bool, string) {
	o, ok := obj.(*infrav1.OVN)
	if ok && o.Status.Northbound.Connection != "" && o.Status.Southbound.Connection != "" {
		return true, ""
	}
	return false, fmt.Sprintf("OVN %s has no addresses yet; see kubectl -n %s describe ovn/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

// connections is all of an OVN that a configuration has.
func connections(obj client.Object) string {
	if o, ok := obj.(*infrav1.OVN); ok {
		return o.Status.Northbound.Connection + " " + o.Status.Southbound.Connection
	}
	return ""
}
