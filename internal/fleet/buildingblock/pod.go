package buildingblock

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	"stackwright.dev/stackwright/internal/fleet"
	infra "stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/nodes"
)

const (
	// uid that the images give to nova.
	uid = 64060
	// auto is the virtType that each host finds out for itself.
	auto = "auto"
	// state is the folder of a node that has all that outlives pods.
	state = "/var/lib/stackwright"
	// cellDir and blockDir have what hosts have in common with the cell, and with the block.
	cellDir  = "/etc/stackwright/compute"
	blockDir = "/etc/stackwright/block"
)

// Annotations of pods. A change restarts them.
const (
	annotationCell   = "fleet.stackwright.dev/cell"
	annotationConfig = "fleet.stackwright.dev/config"
	annotationOVN    = "fleet.stackwright.dev/ovn"
	annotationClient = "fleet.stackwright.dev/ovn-client"
	annotationKeys   = "fleet.stackwright.dev/keys"
)

func sharedName(b object) string  { return b.Spec.Cell + "-compute" }
func configName(b object) string  { return b.Name + "-config" }
func computeName(b object) string { return b.Name + "-compute" }
func libvirtName(b object) string { return b.Name + "-libvirt" }

// labels of the pods of an agent.
func marks(b object, agent string) map[string]string {
	m := map[string]string{"app.kubernetes.io/name": "buildingblock", "app.kubernetes.io/instance": b.Name}
	if agent != "" {
		m["app.kubernetes.io/component"] = agent
	}
	return m
}

func meta(b object, name, agent string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: b.Namespace, Labels: marks(b, agent)}
}

// account has no rights.
func account(s *scope) ([]client.Object, error) {
	b := s.Owner()
	if err := taken(s, refBefore); err != nil {
		return nil, err
	}
	a := &corev1.ServiceAccount{ObjectMeta: meta(b, b.Name, ""), AutomountServiceAccountToken: new(false)}
	return []client.Object{a}, nil
}

// daemons runs an agent on each host, and on those that are kept.
func daemons(s *scope, name, agent string, pod corev1.PodTemplateSpec) []client.Object {
	b := s.Owner()
	pod.Spec.HostNetwork, pod.Spec.DNSPolicy = true, corev1.DNSClusterFirstWithHostNet
	pod.Spec.Tolerations = b.Spec.Hosts.Tolerations
	pod.Spec.NodeSelector = fleet.Selector(b)
	// A host without agents keeps its servers, and nobody can do anything about them.
	pod.Spec.PriorityClassName = "system-node-critical"
	set := &appsv1.DaemonSet{ObjectMeta: meta(b, name, agent), Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: marks(b, agent)},
		// Two of an agent on one host would be in each other's way.
		UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{MaxUnavailable: unavailable(b), MaxSurge: new(intstr.FromInt32(0))}},
		Template: pod,
	}}
	nodes.Apart(set, operator)
	out := []client.Object{set}
	for _, host := range kept(s) {
		out = append(out, nodes.Stay(set, host))
	}
	return out
}

// counted adds up how many hosts have an agent, and how many of them are ready.
func counted(v step.View, b object, of, name string) (hosts fleetv1.HostCount, ok bool) {
	names := []string{name}
	for _, h := range hypervisors(v.Referenced(refHosts), b) {
		names = append(names, nodes.StayName(name, h.Name))
	}
	for _, n := range names {
		if set, there := v.Child(of, "DaemonSet", n).(*appsv1.DaemonSet); there && set != nil {
			hosts.Total, hosts.Ready = hosts.Total+set.Status.DesiredNumberScheduled, hosts.Ready+set.Status.NumberReady
			ok = true
		}
	}
	return hosts, ok
}

func template(b object, agent string, c corev1.Container, volumes ...corev1.Volume) corev1.PodTemplateSpec {
	c.Name, c.TerminationMessagePolicy = agent, corev1.TerminationMessageFallbackToLogsOnError
	// In /dev, where it is by default, it would be left on the node by pods that have the node's.
	c.TerminationMessagePath = "/tmp/termination-log"
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: marks(b, agent)}, Spec: corev1.PodSpec{
		ServiceAccountName:           b.Name,
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		SecurityContext: &corev1.PodSecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{c},
		Volumes:    volumes,
	}}
}

// place is a folder of a container, and where it comes from: the node, or nowhere.
type place struct{ name, path, node string }

func (p place) volume() corev1.Volume {
	v := corev1.Volume{Name: p.name}
	if p.node == "" {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
		return v
	}
	v.HostPath = &corev1.HostPathVolumeSource{Path: p.node, Type: new(corev1.HostPathDirectoryOrCreate)}
	return v
}

func put(places []place) (volumes []corev1.Volume, mounts []corev1.VolumeMount) {
	for _, p := range places {
		volumes = append(volumes, p.volume())
		mounts = append(mounts, corev1.VolumeMount{Name: p.name, MountPath: p.path})
	}
	return volumes, mounts
}

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

func virtType(b object) string {
	if b.Spec.Libvirt == nil {
		return auto
	}
	return cmp.Or(b.Spec.Libvirt.VirtType, auto)
}

func secret(name, of string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
		SecretName: of, DefaultMode: new(int32(0o440))}}}
}

// running is a container of the agent that runs an image.
func running(s *scope, image string) corev1.Container {
	agent, _ := agentOf(s.Owner(), image)
	return corev1.Container{Image: imageOf(s, image), Resources: infra.Requests(agent.Resources, "20m", "64Mi")}
}
