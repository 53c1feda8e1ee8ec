package buildingblock

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/service"
)

// connected is the readiness of nova-compute: all hosts of the process have started, and it has a connection to the
// bus. The kernel's table of connections is the whole node's, so ss looks for those of processes that it can see, which
// are the pod's; see docs/adr/0022-workers-are-ready-when-connected.md.
const connected = `test -e /tmp/started || { echo not started yet; exit 1; }
bus='( dport = :5671 or dport = :5672 )'
ss -HtnpO state established "$bus" | grep -q pid= || { echo no connection to the bus; exit 1; }
`

// computeRights are those that tasks of privsep take; nova-compute itself has none.
func computeRights() []corev1.Capability {
	return []corev1.Capability{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "NET_ADMIN", "SETGID",
		"SETUID", "SYS_ADMIN"}
}

// computeSet runs nova-compute beside libvirtd.
func computeSet(s *scope) ([]client.Object, error) {
	b := s.Owner()
	c := compute(s)
	c.Env = append(c.Env, field("OS_DEFAULT__HOST", "spec.nodeName"), field("OS_DEFAULT__MY_IP", "status.hostIP"),
		field("OS_LIBVIRT__LIVE_MIGRATION_INBOUND_ADDR", "status.hostIP"),
		// Queues of answers are called by it. Nodes whose machines have one name would take each other's answers.
		field("OS_OSLO_MESSAGING_RABBIT__HOSTNAME", "spec.nodeName"))
	if virtType(b) == auto {
		c.Env = append(c.Env, corev1.EnvVar{Name: "STACKWRIGHT_ACCELERATOR", Value: auto})
	}
	c.SecurityContext = &corev1.SecurityContext{ReadOnlyRootFilesystem: new(true),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: computeRights()}}
	volumes, mounts := put([]place{
		{"sockets", "/run/libvirt", "/run/libvirt"}, {"openvswitch", "/run/openvswitch", "/run/openvswitch"},
		{"nova", "/var/lib/nova", state + "/nova"},
	})
	c.VolumeMounts = append(c.VolumeMounts, mounts...)
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "courier", MountPath: courierDir})
	pod := computePod(s, c, append(volumes, courierVolumes(b)...))
	pod.Spec.Containers = append(pod.Spec.Containers, carrier(s))
	return daemons(s, computeName(b), "compute", pod), nil
}

// fakeSet runs all fake hosts in one process. There is never a second one: two would be the same hosts.
func fakeSet(s *scope) ([]client.Object, error) {
	b := s.Owner()
	c := compute(s)
	c.Env = append(c.Env, corev1.EnvVar{Name: "OS_DEFAULT__HOST", Value: b.Name + "-0"},
		corev1.EnvVar{Name: "STACKWRIGHT_BLOCK", Value: b.Name},
		corev1.EnvVar{Name: "STACKWRIGHT_FAKE_HOSTS", Value: fmt.Sprint(b.Spec.Fake.Hosts)})
	if more := keptFakes(s); more != "" {
		c.Env = append(c.Env, corev1.EnvVar{Name: "STACKWRIGHT_KEPT_HOSTS", Value: more})
	}
	c.SecurityContext = &corev1.SecurityContext{ReadOnlyRootFilesystem: new(true), AllowPrivilegeEscalation: new(false),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
	volumes, mounts := put([]place{{"nova", "/var/lib/nova", ""}})
	c.VolumeMounts = append(c.VolumeMounts, mounts...)
	pod := computePod(s, c, volumes)
	pod.Spec.NodeSelector, pod.Spec.Tolerations = fleet.Selector(b), b.Spec.Hosts.Tolerations
	set := &appsv1.StatefulSet{ObjectMeta: meta(b, computeName(b), "compute"), Spec: appsv1.StatefulSetSpec{
		Replicas:    new(int32(1)),
		ServiceName: computeName(b),
		Selector:    &metav1.LabelSelector{MatchLabels: marks(b, "compute")},
		Template:    pod,
	}}
	return []client.Object{set}, nil
}

// compute is the container of nova-compute.
func compute(s *scope) corev1.Container {
	c := running(s, imageCompute)
	c.Command = []string{"tini", "--", "python3", blockDir + "/" + launcherFile,
		"--config-file", cellDir + "/nova.conf", "--config-file", blockDir + "/" + configFile}
	// Nothing can be written beside the modules.
	c.Env = []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}, {Name: "PYTHONDONTWRITEBYTECODE", Value: "1"}}
	service.Inspect(&c, "sh", "-c", connected)
	c.VolumeMounts = []corev1.VolumeMount{{Name: "cell", MountPath: cellDir, ReadOnly: true},
		{Name: "block", MountPath: blockDir, ReadOnly: true}, {Name: "tmp", MountPath: "/tmp"}}
	return c
}

func computePod(s *scope, c corev1.Container, volumes []corev1.Volume) corev1.PodTemplateSpec {
	b := s.Owner()
	volumes = append([]corev1.Volume{secret("cell", sharedName(b)), secret("block", configName(b)),
		place{name: "tmp"}.volume()}, volumes...)
	pod := template(b, "compute", c, volumes...)
	pod.Annotations = map[string]string{
		annotationCell: s.Value(refShared, keyHash), annotationConfig: s.Value(refConfig, keyHash),
	}
	security := pod.Spec.SecurityContext
	security.RunAsNonRoot, security.RunAsUser, security.RunAsGroup = new(true), new(int64(uid)), new(int64(uid))
	security.FSGroup = new(int64(uid))
	// What it has begun, such as the start of a server, is to come to an end.
	pod.Spec.TerminationGracePeriodSeconds = new(int64(60))
	return pod
}
