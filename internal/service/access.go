package service

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"
)

// AccessStep makes what limits the service's pods: an account without rights at the API server, and a policy that lets
// nothing in but requests to the API and to workers that listen.
func (s Service[T]) AccessStep(o ...step.Option[T]) step.Step[T] {
	return step.Objects(StepAccess, func(sc *step.Scope[T]) ([]client.Object, error) {
		owner := sc.Owner()
		account := &corev1.ServiceAccount{
			ObjectMeta: s.meta(owner, owner.GetName()), AutomountServiceAccountToken: new(false),
		}
		policy := &networkingv1.NetworkPolicy{
			ObjectMeta: s.meta(owner, owner.GetName()),
			Spec: networkingv1.NetworkPolicySpec{
				PodSelector: metav1.LabelSelector{MatchLabels: s.Labels(owner, "")},
				PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
				Ingress:     []networkingv1.NetworkPolicyIngressRule{{Ports: s.ports()}},
			},
		}
		return []client.Object{account, policy}, nil
	}, append(o, step.Makes[T](&corev1.ServiceAccount{}, &networkingv1.NetworkPolicy{}),
		step.Component[T](ComponentSetup))...)
}

// ports are those at which something listens.
func (s Service[T]) ports() []networkingv1.NetworkPolicyPort {
	port := func(p int32) networkingv1.NetworkPolicyPort {
		return networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(p))}
	}
	ports := []networkingv1.NetworkPolicyPort{port(s.Port)}
	for _, w := range s.Workers {
		if w.Port != 0 {
			ports = append(ports, port(w.Port))
		}
	}
	return ports
}
