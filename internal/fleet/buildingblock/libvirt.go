package buildingblock

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/service"
)

// libvirtRights are what libvirtd and QEMU take: networks of guests, mounts, priorities, files and processes of others.
func libvirtRights() []corev1.Capability {
	return []corev1.Capability{"AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "KILL", "MKNOD", "NET_ADMIN", "SETGID",
		"SETPCAP", "SETUID", "SYS_ADMIN", "SYS_NICE", "SYS_PTRACE"}
}

// libvirtSet runs libvirtd. It leaves the control groups of its pod, so the node's are mounted, and with them it leaves
// what they forbid: the devices of the node, such as /dev/kvm, are open to it.
func libvirtSet(s *scope) ([]client.Object, error) {
	b := s.Owner()
	asked, err := libvirtOptions(b)
	if err != nil {
		return nil, err
	}
	c := running(s, imageLibvirt)
	c.Command = []string{"stackwright-agent", "libvirt", "--name=$(NODE_NAME)", "--address=$(HOST_IP)",
		"--pki=" + pkiDir, fmt.Sprintf("--owner=%d", uid), "--", "libvirtd", "--listen"}
	c.Env = []corev1.EnvVar{field("NODE_NAME", "spec.nodeName"), field("HOST_IP", "status.hostIP")}
	service.Inspect(&c, "virsh", "--connect", "qemu:///system", "version")
	c.SecurityContext = &corev1.SecurityContext{RunAsUser: new(int64(0)), ReadOnlyRootFilesystem: new(true),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: libvirtRights()}}
	var volumes []corev1.Volume
	volumes, c.VolumeMounts = put([]place{
		{"run", "/run", ""}, {"tmp", "/tmp", ""}, {"cache", "/var/cache/libvirt", ""},
		{"groups", "/sys/fs/cgroup", "/sys/fs/cgroup"}, {"devices", "/dev", "/dev"},
		{"sockets", "/run/libvirt", "/run/libvirt"}, {"openvswitch", "/run/openvswitch", "/run/openvswitch"},
		{"definitions", "/etc/libvirt", state + "/libvirt/definitions"},
		{"libvirt", "/var/lib/libvirt", state + "/libvirt/state"},
		// Not below /run, whose folder goes with the pod, and all that is mounted in it.
		{"certificates", "/etc/stackwright/pki", "/run/stackwright/pki"},
		{"logs", "/var/log/libvirt", state + "/libvirt/logs"}, {"nova", "/var/lib/nova", state + "/nova"},
	})
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "identity", MountPath: pkiDir, ReadOnly: true})
	volumes = append(volumes, identities(b))
	restarts := map[string]string{}
	given := func(what, folder, name string) {
		c.Command = slices.Insert(c.Command, 2, "--"+what+"="+folder)
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: what, MountPath: folder, ReadOnly: true})
		volumes = append(volumes, secret(what, name))
	}
	if onCeph(b) {
		given("keys", keysDir, keysName(b))
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "secrets", MountPath: "/etc/libvirt/secrets"})
		// What libvirtd keeps of keys does not reach the node's disk. Each encrypted volume has one, in two files of a page.
		memory := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory,
			SizeLimit: resource.NewQuantity(16<<20, resource.BinarySI)}
		volumes = append(volumes, corev1.Volume{Name: "secrets", VolumeSource: corev1.VolumeSource{EmptyDir: memory}})
		restarts[annotationKeys] = s.Digest(refKeys)
	}
	if asked != nil {
		given("options", optionsDir, asked.Name)
		restarts[annotationConfig] = hashOf(asked.Data)
	}
	pod := template(b, "libvirt", c, volumes...)
	pod.Annotations = restarts
	// The kernel ends all processes of a namespace with its first.
	pod.Spec.HostPID = true
	pod.Spec.TerminationGracePeriodSeconds = new(int64(30))
	out := daemons(s, libvirtName(b), "libvirt", pod)
	if asked != nil {
		out = append(out, asked)
	}
	return out, nil
}
