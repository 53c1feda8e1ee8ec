package box

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"stackwright.dev/stackwright/test/bench/contender/capture"
)

const bridge = "pods"

// Addresses are what a pod answers at: its own, and those of the services that lead to it. There is nobody else behind
// a service of a cloud of size dev.
func Addresses(cloud *capture.Cloud, pod *corev1.Pod) []string {
	out := []string{pod.Status.PodIP}
	for _, s := range cloud.Services {
		if selects(s, pod) {
			out = append(out, addresses(s)...)
		}
	}
	return out
}

// addresses of a service.
func addresses(s *corev1.Service) (out []string) {
	if ip := s.Spec.ClusterIP; ip != "" && ip != corev1.ClusterIPNone {
		out = append(out, ip)
	}
	for _, i := range s.Status.LoadBalancer.Ingress {
		out = append(out, i.IP)
	}
	return out
}

// selects tells whether a service leads to a pod. Jobs serve nobody.
func selects(s *corev1.Service, pod *corev1.Pod) bool {
	if len(s.Spec.Selector) == 0 || pod.Status.Phase == corev1.PodSucceeded {
		return false
	}
	for k, v := range s.Spec.Selector {
		if pod.Labels[k] != v {
			return false
		}
	}
	return true
}

// Forward leads from a port of a service to that of the pod, which may listen at no other address than its own.
type Forward struct {
	Address  string
	From, To int32
}

// Forwards are those of all services that lead to a pod.
func Forwards(cloud *capture.Cloud, pod *corev1.Pod) []Forward {
	var out []Forward
	for _, s := range cloud.Services {
		if !selects(s, pod) {
			continue
		}
		for _, a := range addresses(s) {
			for _, p := range s.Spec.Ports {
				out = append(out, Forward{a, p.Port, target(pod, p)})
			}
		}
	}
	return out
}

func target(pod *corev1.Pod, p corev1.ServicePort) int32 {
	if p.TargetPort == (intstr.IntOrString{}) {
		return p.Port
	}
	return number(pod, p.TargetPort)
}

// number of a port that may have a name.
func number(pod *corev1.Pod, port intstr.IntOrString) int32 {
	if port.Type == intstr.Int {
		return port.IntVal
	}
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.Name == port.StrVal {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// Hosts is what the resolver of the cluster would tell, as a file. self is how a pod calls itself.
func Hosts(cloud *capture.Cloud, self *corev1.Pod) string {
	var b strings.Builder
	b.WriteString("127.0.0.1 localhost\n")
	line := func(ip, name string) {
		full := name + "." + cloud.Namespace
		fmt.Fprintf(&b, "%s %s.svc.cluster.local %s.svc %s %s\n", ip, full, full, full, name)
	}
	for _, s := range cloud.Services {
		if ip := s.Spec.ClusterIP; ip != corev1.ClusterIPNone {
			line(ip, s.Name)
			continue
		}
		for _, p := range cloud.Pods {
			if selects(s, p) {
				line(p.Status.PodIP, s.Name)
				line(p.Status.PodIP, or(p.Spec.Hostname, p.Name)+"."+s.Name)
			}
		}
	}
	if !self.Spec.HostNetwork {
		fmt.Fprintf(&b, "%s %s\n", self.Status.PodIP, or(self.Spec.Hostname, self.Name))
	}
	return b.String()
}

// Link is one of the node beside that to pods.
type Link struct {
	Name, Address string
}

// join makes the network of the node: a bridge to all pods, and links that lead nowhere.
func (m *Machine) join(ctx context.Context, node string, links []Link) error {
	if err := m.ip(ctx, "link set lo up"); err != nil {
		return err
	}
	steps := []string{"link add " + bridge + " type bridge", "address add " + node + "/32 dev " + bridge,
		"link set " + bridge + " up", "route add default dev " + bridge}
	for _, l := range links {
		steps = append(steps, "link add "+l.Name+" type veth peer name far-"+l.Name, "link set far-"+l.Name+" up",
			"link set "+l.Name+" up")
		if l.Address != "" {
			steps = append(steps, "address add "+l.Address+" dev "+l.Name)
		}
	}
	return m.ip(ctx, steps...)
}

// connect makes the network of a pod and returns its file. All addresses of the replay are neighbours.
func (m *Machine) connect(ctx context.Context, cloud *capture.Cloud, pod *corev1.Pod) (string, error) {
	m.pods++
	name, link := pod.Name, fmt.Sprintf("pod%d", m.pods)
	steps := []string{"netns add " + name, "link add eth0 netns " + name + " type veth peer name " + link,
		"link set " + link + " master " + bridge + " up", "-n " + name + " link set lo up"}
	addresses := Addresses(cloud, pod)
	for _, a := range addresses {
		steps = append(steps, "-n "+name+" address add "+a+"/32 dev eth0")
	}
	steps = append(steps, "-n "+name+" link set eth0 up",
		"-n "+name+" route add default dev eth0 src "+addresses[0])
	if err := m.ip(ctx, steps...); err != nil {
		return "", err
	}
	path := filepath.Join("/run/netns", name)
	if f := Forwards(cloud, pod); len(f) > 0 {
		cmd := exec.CommandContext(ctx, "nsenter", "--net="+path, "nft", "-f", "-")
		cmd.Stdin = strings.NewReader(rules(addresses[0], f))
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("leading services to pod %s: %w: %s", pod.Name, err, out)
		}
	}
	return path, nil
}

// rules of the firewall lead others and the pod itself to its own address.
func rules(own string, all []Forward) string {
	var b strings.Builder
	b.WriteString("table ip services {\n")
	for _, hook := range []string{"prerouting priority dstnat", "output priority -100"} {
		name, _, _ := strings.Cut(hook, " ")
		fmt.Fprintf(&b, "chain %s { type nat hook %s;\n", name, hook)
		for _, f := range all {
			fmt.Fprintf(&b, "ip daddr %s tcp dport %d dnat to %s:%d;\n", f.Address, f.From, own, f.To)
		}
		b.WriteString("}\n")
	}
	return b.String() + "}\n"
}

// ip runs commands of ip(8).
func (m *Machine) ip(ctx context.Context, commands ...string) error {
	for _, c := range commands {
		if out, err := exec.CommandContext(ctx, "ip", strings.Fields(c)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", c, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
