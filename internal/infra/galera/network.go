package galera

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
)

// serviceAccount has no rights; a RabbitMQ may have the same name as a Galera.
func serviceAccount(g *infrav1.Galera) string { return g.Name + "-mariadb" }

// access renders what lets members and the operator reach the pods.
func access(s *scope) ([]client.Object, error) {
	g := s.Owner()
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta(g, serviceAccount(g)), AutomountServiceAccountToken: new(false)},
		// Members find each other, and the operator finds them, before they serve.
		&corev1.Service{ObjectMeta: meta(g, Headless(g.Name)), Spec: corev1.ServiceSpec{
			Selector: labels(g), ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: true,
			Ports: []corev1.ServicePort{port("mysql", Port), port("agent", agent.Port)},
		}},
		networkPolicy(g),
	}, nil
}

func port(name string, number int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
}

// service leads clients to the one member that takes writes.
func service(s *scope) ([]client.Object, error) {
	g := s.Owner()
	r, err := recordOf(g)
	if err != nil {
		return nil, err
	}
	selector := maps.Clone(labels(g))
	selector[appsv1.StatefulSetPodNameLabel] = r.Writer()
	return []client.Object{&corev1.Service{ObjectMeta: meta(g, g.Name), Spec: corev1.ServiceSpec{
		Selector: selector, Ports: []corev1.ServicePort{port("mysql", Port)},
	}}}, nil
}

func networkPolicy(g *infrav1.Galera) *networkingv1.NetworkPolicy {
	members := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: labels(g)}}
	operator := networkingv1.NetworkPolicyPeer{
		NamespaceSelector: &metav1.LabelSelector{},
		PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
			"app.kubernetes.io/name": "stackwright-operator"}},
	}
	namespace := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}}
	return &networkingv1.NetworkPolicy{ObjectMeta: meta(g, g.Name), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: labels(g)},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{From: []networkingv1.NetworkPolicyPeer{namespace}, Ports: ports(Port)},
			{From: []networkingv1.NetworkPolicyPeer{members}, Ports: ports(portCopy, portGroup, portIST)},
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
	g := s.Owner()
	return []client.Object{&policyv1.PodDisruptionBudget{ObjectMeta: meta(g, g.Name),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: new(intstr.FromInt32(1)),
			Selector:       &metav1.LabelSelector{MatchLabels: labels(g)},
		}}}, nil
}
