package ovn

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/agent"
)

// access renders what lets clients, members and the operator reach the pods.
func access(s *scope) ([]client.Object, error) {
	o := s.Owner()
	labels := map[string]string{"app.kubernetes.io/name": "ovn", "app.kubernetes.io/instance": o.Name}
	out := []client.Object{&corev1.ServiceAccount{ObjectMeta: meta(o, serviceAccount(o), labels),
		AutomountServiceAccountToken: new(false)}}
	for _, d := range databases() {
		out = append(out, d.service(o), d.networkPolicy(o))
	}
	return append(out, &networkingv1.NetworkPolicy{ObjectMeta: meta(o, northdName(o), northdLabels(o)),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: northdLabels(o)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		}}), nil
}

// service has the names of all members. They find each other, and the operator finds them, before they serve.
func (d database) service(o object) *corev1.Service {
	port := func(name string, number int32) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
	}
	return &corev1.Service{ObjectMeta: d.meta(o, d.headless(o)), Spec: corev1.ServiceSpec{
		Selector: d.labels(o), ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: true,
		Ports: []corev1.ServicePort{port("ovsdb", d.port), port("raft", d.raft), port("agent", agent.Port)},
	}}
}

// networkPolicy lets clients in from anywhere: those on nodes have the nodes' addresses, which no policy can name. Each
// has to show a certificate of the CA.
func (d database) networkPolicy(o object) *networkingv1.NetworkPolicy {
	members := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: d.labels(o)}}
	operator := networkingv1.NetworkPolicyPeer{
		NamespaceSelector: &metav1.LabelSelector{},
		PodSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{"app.kubernetes.io/name": "stackwright-operator"}},
	}
	return &networkingv1.NetworkPolicy{ObjectMeta: d.meta(o, d.set(o)), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: d.labels(o)},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{Ports: port(d.port)},
			{From: []networkingv1.NetworkPolicyPeer{members}, Ports: port(d.raft)},
			{From: []networkingv1.NetworkPolicyPeer{members, operator}, Ports: port(agent.Port)},
		},
	}}
}

func port(number int32) []networkingv1.NetworkPolicyPort {
	return []networkingv1.NetworkPolicyPort{{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(number))}}
}

// budgets let one member of each database at a time be evicted. A single member is left to whoever drains its node.
func budgets(s *scope) ([]client.Object, error) {
	o := s.Owner()
	var out []client.Object
	add := func(name string, labels map[string]string) {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: meta(o, name, labels)}
		b.Spec.MaxUnavailable = new(intstr.FromInt32(1))
		b.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		out = append(out, b)
	}
	for _, d := range databases() {
		if o.Spec.Replicas > 1 {
			add(d.set(o), d.labels(o))
		}
	}
	if o.Spec.Northd.Replicas > 1 {
		add(northdName(o), northdLabels(o))
	}
	return out, nil
}
