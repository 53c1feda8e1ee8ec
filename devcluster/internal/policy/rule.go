package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// World is what network policies speak of.
type World struct {
	Pods       []*corev1.Pod
	Namespaces []*corev1.Namespace
	Policies   []*networkingv1.NetworkPolicy
}

// direction tells the two halves of a policy apart.
type direction struct {
	kind  networkingv1.PolicyType
	chain string // prefix of chain names
	own   string // how a packet names the isolated pod
	other string // how it names who the pod speaks with
}

func directions() []direction {
	return []direction{
		{kind: networkingv1.PolicyTypeEgress, chain: "out_", own: "saddr", other: "daddr"},
		{kind: networkingv1.PolicyTypeIngress, chain: "in_", own: "daddr", other: "saddr"},
	}
}

// permission is one rule of a policy, whichever direction: whom the pod may speak with, and where.
type permission struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

// Rules are the packet rules, in the language of nft, by which a node isolates its pods. A packet must pass the chain
// of its sender and that of its receiver; answers pass always.
func (w World) Rules(node string) (string, error) {
	chains, verdicts := &strings.Builder{}, &strings.Builder{}
	for _, d := range directions() {
		var jumps []string
		for _, pod := range w.podsOn(node) {
			body, isolated, err := w.chain(pod, d)
			if err != nil {
				return "", err
			}
			if !isolated {
				continue
			}
			name := d.chain + strings.ReplaceAll(pod.Status.PodIP, ".", "_")
			fmt.Fprintf(chains, "  chain %s {\n%s  }\n", name, body)
			jumps = append(jumps, pod.Status.PodIP+" : jump "+name)
		}
		if len(jumps) > 0 {
			fmt.Fprintf(verdicts, "    ip %s vmap { %s }\n", d.own, strings.Join(jumps, ", "))
		}
	}
	return "table ip devcluster {\n" + chains.String() +
		"  chain forward {\n    type filter hook forward priority filter; policy accept;\n" +
		"    ct state established,related accept\n" + verdicts.String() + "  }\n}\n", nil
}

// chain lets through what some policy allows the pod and drops the rest; a pod that no policy selects is not isolated.
func (w World) chain(pod *corev1.Pod, d direction) (body string, isolated bool, err error) {
	lines := []string{fmt.Sprintf("ip %s %s return", d.other, pod.Status.PodIP)} // nothing keeps a pod from itself
	for _, policy := range w.Policies {
		selected, err := selects(policy, pod)
		if err != nil {
			return "", false, err
		}
		if !selected || !slices.Contains(kinds(policy), d.kind) {
			continue
		}
		isolated = true
		for _, allowed := range permissions(policy, d.kind) {
			more, err := w.lines(policy.Namespace, pod, allowed, d)
			if err != nil {
				return "", false, fmt.Errorf("reading network policy %s/%s: %w", policy.Namespace, policy.Name, err)
			}
			lines = append(lines, more...)
		}
	}
	lines = append(slices.Compact(lines), "drop")
	return "    " + strings.Join(lines, "\n    ") + "\n", isolated, nil
}

// lines are one permission in the language of nft.
func (w World) lines(namespace string, pod *corev1.Pod, allowed permission, d direction) ([]string, error) {
	if len(allowed.peers) == 0 {
		return withPorts("", allowed.ports, []*corev1.Pod{pod}), nil
	}
	var lines []string
	for _, peer := range allowed.peers {
		if peer.IPBlock != nil {
			lines = append(lines, withPorts(block(peer.IPBlock, d), allowed.ports, []*corev1.Pod{pod})...)
			continue
		}
		pods, err := w.peers(namespace, peer)
		if err != nil {
			return nil, err
		}
		for _, group := range groupByPorts(pods, allowed.ports, d) {
			owners := group
			if d.kind == networkingv1.PolicyTypeIngress {
				owners = []*corev1.Pod{pod} // a named port is that of the receiver
			}
			match := fmt.Sprintf("ip %s { %s } ", d.other, strings.Join(addresses(group), ", "))
			lines = append(lines, withPorts(match, allowed.ports, owners)...)
		}
	}
	return lines, nil
}

// groupByPorts keeps pods together, unless a named port may be another number in each of them.
func groupByPorts(pods []*corev1.Pod, ports []networkingv1.NetworkPolicyPort, d direction) [][]*corev1.Pod {
	named := slices.ContainsFunc(ports, func(p networkingv1.NetworkPolicyPort) bool {
		return p.Port != nil && p.Port.Type == intstr.String
	})
	switch {
	case len(pods) == 0:
		return nil
	case named && d.kind == networkingv1.PolicyTypeEgress:
		return slices.Collect(slices.Chunk(pods, 1))
	}
	return [][]*corev1.Pod{pods}
}

// withPorts narrows a match to ports, of which those with a name are looked up in the first of owners.
func withPorts(match string, ports []networkingv1.NetworkPolicyPort, owners []*corev1.Pod) []string {
	if len(ports) == 0 {
		return []string{match + "return"}
	}
	var lines []string
	for _, port := range ports {
		protocol := corev1.ProtocolTCP
		if port.Protocol != nil {
			protocol = *port.Protocol
		}
		name := strings.ToLower(string(protocol))
		if port.Port == nil {
			lines = append(lines, match+"meta l4proto "+name+" return")
			continue
		}
		if number := numberOf(port, protocol, owners[0]); number != "" {
			lines = append(lines, match+name+" dport "+number+" return")
		}
	}
	return lines
}

func numberOf(port networkingv1.NetworkPolicyPort, protocol corev1.Protocol, owner *corev1.Pod) string {
	if port.Port.Type == intstr.Int {
		if port.EndPort != nil {
			return fmt.Sprintf("%d-%d", port.Port.IntVal, *port.EndPort)
		}
		return fmt.Sprint(port.Port.IntVal)
	}
	for _, container := range owner.Spec.Containers {
		for _, offered := range container.Ports {
			if offered.Name == port.Port.StrVal && cmp.Or(offered.Protocol, corev1.ProtocolTCP) == protocol {
				return fmt.Sprint(offered.ContainerPort)
			}
		}
	}
	return ""
}

func block(of *networkingv1.IPBlock, d direction) string {
	match := fmt.Sprintf("ip %s %s ", d.other, of.CIDR)
	if len(of.Except) > 0 {
		match += fmt.Sprintf("ip %s != { %s } ", d.other, strings.Join(of.Except, ", "))
	}
	return match
}

// peers are the pods that a peer without a block selects.
func (w World) peers(namespace string, peer networkingv1.NetworkPolicyPeer) ([]*corev1.Pod, error) {
	pods, err := selector(peer.PodSelector)
	if err != nil {
		return nil, err
	}
	namespaces := map[string]bool{namespace: true}
	if peer.NamespaceSelector != nil {
		chosen, err := selector(peer.NamespaceSelector)
		if err != nil {
			return nil, err
		}
		namespaces = map[string]bool{}
		for _, candidate := range w.Namespaces {
			namespaces[candidate.Name] = chosen.Matches(labels.Set(candidate.Labels))
		}
	}
	var found []*corev1.Pod
	for _, pod := range w.Pods {
		if routed(pod) && namespaces[pod.Namespace] && pods.Matches(labels.Set(pod.Labels)) {
			found = append(found, pod)
		}
	}
	return sorted(found), nil
}

func (w World) podsOn(node string) []*corev1.Pod {
	var found []*corev1.Pod
	for _, pod := range w.Pods {
		if routed(pod) && pod.Spec.NodeName == node {
			found = append(found, pod)
		}
	}
	return sorted(found)
}

// routed tells whether a pod has an address of its own that packets may come to.
func routed(pod *corev1.Pod) bool {
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	return pod.Status.PodIP != "" && !pod.Spec.HostNetwork && !over
}

func sorted(pods []*corev1.Pod) []*corev1.Pod {
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Status.PodIP, b.Status.PodIP) })
	return pods
}

func addresses(pods []*corev1.Pod) []string {
	found := make([]string, 0, len(pods))
	for _, pod := range pods {
		found = append(found, pod.Status.PodIP)
	}
	return found
}

func selects(policy *networkingv1.NetworkPolicy, pod *corev1.Pod) (bool, error) {
	if policy.Namespace != pod.Namespace {
		return false, nil
	}
	chosen, err := selector(&policy.Spec.PodSelector)
	if err != nil {
		return false, fmt.Errorf("reading network policy %s/%s: %w", policy.Namespace, policy.Name, err)
	}
	return chosen.Matches(labels.Set(pod.Labels)), nil
}

// selector of nothing said selects everything, which is what an absent one means here.
func selector(of *metav1.LabelSelector) (labels.Selector, error) {
	if of == nil {
		return labels.Everything(), nil
	}
	return metav1.LabelSelectorAsSelector(of)
}

func kinds(policy *networkingv1.NetworkPolicy) []networkingv1.PolicyType {
	if len(policy.Spec.PolicyTypes) > 0 {
		return policy.Spec.PolicyTypes
	}
	kinds := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(policy.Spec.Egress) > 0 {
		kinds = append(kinds, networkingv1.PolicyTypeEgress)
	}
	return kinds
}

func permissions(policy *networkingv1.NetworkPolicy, kind networkingv1.PolicyType) []permission {
	var found []permission
	if kind == networkingv1.PolicyTypeEgress {
		for _, rule := range policy.Spec.Egress {
			found = append(found, permission{peers: rule.To, ports: rule.Ports})
		}
		return found
	}
	for _, rule := range policy.Spec.Ingress {
		found = append(found, permission{peers: rule.From, ports: rule.Ports})
	}
	return found
}
