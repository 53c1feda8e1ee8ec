package ovnchassis

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/chassis"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/infra/ovn"
	"stackwright.dev/stackwright/internal/nodes"
)

const (
	tlsDir = "/etc/stackwright/tls"
	// Ports on the loopback of the node, by which kubelet asks the daemons how they are.
	databaseHealth, switchHealth, controllerHealth = 16640, 16641, 16642
)

// daemons is the name of the DaemonSet, and of its ServiceAccount, which has no rights.
func daemons(o object) string { return o.Name + "-ovn-chassis" }

func marks(o object) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "ovn-chassis", "app.kubernetes.io/instance": o.Name}
}

func meta(o object) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: daemons(o), Namespace: o.Namespace, Labels: marks(o)}
}

func account(s *scope) ([]client.Object, error) {
	return []client.Object{&corev1.ServiceAccount{ObjectMeta: meta(s.Owner()),
		AutomountServiceAccountToken: new(false)}}, nil
}

// daemonSet runs the daemons on the nodes that have the labels, and on each of those that are chassis by name.
func daemonSet(s *scope) ([]client.Object, error) {
	o := s.Owner()
	asked, err := flags(o)
	if err != nil {
		return nil, err
	}
	most := intstr.FromInt32(1)
	if o.Spec.MaxUnavailable != nil {
		most = *o.Spec.MaxUnavailable
	}
	set := &appsv1.DaemonSet{ObjectMeta: meta(o), Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: marks(o)},
		// Two pods on one node would be two masters of its bridges, so that none can come before the old one has gone.
		UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: &most, MaxSurge: new(intstr.FromInt32(0))}},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: marks(o)}, Spec: pod(o, remote(s), asked)},
	}}
	nodes.Apart(set, "ovn-chassis")
	out := []client.Object{set}
	for _, n := range named(s, o) {
		out = append(out, nodes.Stay(set, n))
	}
	return out, nil
}

// sets are what runs the pods: the set of all, and those of nodes that are chassis by name.
func sets(child func(step, kind, name string) client.Object, o object) []*appsv1.DaemonSet {
	names := []string{daemons(o)}
	for _, n := range o.Spec.Nodes {
		names = append(names, nodes.StayName(daemons(o), n))
	}
	var out []*appsv1.DaemonSet
	for _, n := range names {
		if d, ok := child(stepDaemons, "DaemonSet", n).(*appsv1.DaemonSet); ok && d != nil {
			out = append(out, d)
		}
	}
	return out
}

func remote(s *scope) string {
	c, _ := s.Get(refOVN).(*infrav1.OVN)
	return c.Status.Southbound.Connection
}

func pod(o object, remote string, asked []string) corev1.PodSpec {
	p := corev1.PodSpec{
		ServiceAccountName:           daemons(o),
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		// Guests of the node have no network without it.
		PriorityClassName:             "system-node-critical",
		HostNetwork:                   true,
		DNSPolicy:                     corev1.DNSClusterFirstWithHostNet,
		Tolerations:                   o.Spec.Tolerations,
		TerminationGracePeriodSeconds: new(int64(30)),
		NodeSelector:                  o.Spec.NodeSelector,
		// Sockets and files of Open vSwitch are root's, for those who plug guests into it.
		SecurityContext: &corev1.PodSecurityContext{RunAsUser: new(int64(0)), RunAsGroup: new(int64(0)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{database(o), forwarder(o, remote, asked), controller(o)},
		Volumes: []corev1.Volume{
			folder("run-openvswitch", "/run/openvswitch"), folder("run-ovn", "/run/ovn"),
			folder("data", "/var/lib/openvswitch"),
			{Name: "tun", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{
				Path: "/dev/net/tun", Type: new(corev1.HostPathCharDev)}}},
			member.Secret("tls", ovn.ClientSecret(o.Spec.OVN), "tls.crt", "tls.key", "ca.crt"),
		},
	}
	return p
}

func folder(name, path string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{
		Path: path, Type: new(corev1.HostPathDirectoryOrCreate)}}}
}

// container is what the daemons' have in common.
func container(o object, name string, port int32, command ...string) corev1.Container {
	return corev1.Container{
		Name: name, Image: o.Spec.Image,
		Command:         command,
		Resources:       member.Requests(corev1.ResourceRequirements{}, "10m", "32Mi"),
		ReadinessProbe:  local(member.Probe("/ready", 2, 2), port),
		LivenessProbe:   local(member.Live(), port),
		SecurityContext: member.Contained(),
		VolumeMounts: []corev1.VolumeMount{{Name: "run-openvswitch", MountPath: "/run/openvswitch"},
			{Name: "run-ovn", MountPath: "/run/ovn"}},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// local asks on the node's loopback: the daemons have the network of their node.
func local(p *corev1.Probe, port int32) *corev1.Probe {
	p.HTTPGet.Host, p.HTTPGet.Port = "127.0.0.1", intstr.FromInt32(port)
	return p
}

func health(port int32) string { return fmt.Sprintf("--health=127.0.0.1:%d", port) }

func database(o object) corev1.Container {
	c := container(o, "database", databaseHealth, "stackwright-agent", "chassis", "database", health(databaseHealth))
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "data", MountPath: "/var/lib/openvswitch"})
	return c
}

// forwarder makes bridges and ports of the node, and sends and receives on them. It also sets what is asked for of all
// daemons: they read the same database.
func forwarder(o object, remote string, asked []string) corev1.Container {
	c := container(o, "switch", switchHealth, "stackwright-agent", "chassis", "switch", health(switchHealth),
		"--set="+o.Name, "--remote="+remote, "--datapath="+string(cmp.Or(o.Spec.Datapath, infrav1.DatapathAuto)))
	if o.Spec.Tunnel.Interface != "" {
		c.Command = append(c.Command, "--tunnel="+o.Spec.Tunnel.Interface)
	}
	if o.Spec.Gateway {
		c.Command = append(c.Command, "--gateway")
	}
	for _, m := range o.Spec.BridgeMappings {
		c.Command = append(c.Command, "--mapping="+wire.Mapping{Network: m.PhysicalNetwork,
			Bridge: cmp.Or(m.Bridge, "br-"+m.PhysicalNetwork), Interface: m.Interface, Address: m.Address}.String())
	}
	c.Command = append(c.Command, asked...)
	c.Env = []corev1.EnvVar{member.Field("NODE_NAME", "spec.nodeName"), member.Field("HOST_IP", "status.hostIP")}
	c.Resources = member.Requests(o.Spec.Resources, "50m", "96Mi")
	c.SecurityContext.Capabilities.Add = []corev1.Capability{"NET_ADMIN", "NET_RAW"}
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "tun", MountPath: "/dev/net/tun"})
	return c
}

func controller(o object) corev1.Container {
	const socket = "/run/ovn/ovn-controller.ctl"
	c := container(o, "controller", controllerHealth, "stackwright-agent", "ovs", health(controllerHealth),
		"--socket="+socket, "--ask=connection-status", "--expect=^connected$",
		// As northd does, after it: by then the database has flows again.
		"--remedy=sb-cluster-state-reset", "--after=2m", "--exit=--restart", "--",
		"ovn-controller", "unix:/run/openvswitch/db.sock", "--unixctl="+socket,
		"--private-key="+tlsDir+"/tls.key", "--certificate="+tlsDir+"/tls.crt", "--ca-cert="+tlsDir+"/ca.crt",
		"-vconsole:info", "-vsyslog:off")
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "tls", MountPath: tlsDir, ReadOnly: true})
	return c
}
