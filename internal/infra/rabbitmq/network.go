package rabbitmq

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
)

// access renders what lets clients, members and the operator reach the pods, and nobody else.
func access(s *scope) ([]client.Object, error) {
	r := s.Owner()
	amqp, orders := servicePort("amqp", Port(r)), servicePort("agent", agent.Port)
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta(r, serviceAccount(r)), AutomountServiceAccountToken: new(false)},
		&corev1.Service{ObjectMeta: meta(r, r.Name), Spec: corev1.ServiceSpec{
			Selector: labels(r), Ports: []corev1.ServicePort{amqp},
		}},
		// Members find each other, and the operator finds them, before they serve.
		&corev1.Service{ObjectMeta: meta(r, Headless(r.Name)), Spec: corev1.ServiceSpec{
			Selector: labels(r), ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: true,
			Ports: []corev1.ServicePort{amqp, orders},
		}},
		networkPolicy(r),
	}, nil
}

func servicePort(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
}

// networkPolicy lets clients in from anywhere: nova-compute is on the network of its node, which no policy can name.
// Each client has a password.
func networkPolicy(r *infrav1.RabbitMQ) *networkingv1.NetworkPolicy {
	members := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: labels(r)}}
	operator := networkingv1.NetworkPolicyPeer{
		NamespaceSelector: &metav1.LabelSelector{},
		PodSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{"app.kubernetes.io/name": "stackwright-operator"}},
	}
	return &networkingv1.NetworkPolicy{ObjectMeta: meta(r, r.Name), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: labels(r)},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{Ports: ports(Port(r))},
			{From: []networkingv1.NetworkPolicyPeer{members}, Ports: ports(portEPMD, portDistribution)},
			{From: []networkingv1.NetworkPolicyPeer{members, operator}, Ports: ports(agent.Port)},
		},
	}}
}

func ports(numbers ...int32) []networkingv1.NetworkPolicyPort {
	var out []networkingv1.NetworkPolicyPort
	for _, n := range numbers {
		out = append(out, networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(n))})
	}
	return out
}

// budget lets one member at a time be evicted. A single member is left to whoever drains its node.
func budget(s *scope) ([]client.Object, error) {
	r := s.Owner()
	b := &policyv1.PodDisruptionBudget{ObjectMeta: meta(r, r.Name)}
	b.Spec.MaxUnavailable = new(intstr.FromInt32(1))
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels(r)}
	return []client.Object{b}, nil
}
