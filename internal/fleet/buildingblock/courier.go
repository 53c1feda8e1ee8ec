package buildingblock

import (
	corev1 "k8s.io/api/core/v1"

	infra "stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service"
)

const (
	// courierDir has the socket at which nova-compute asks the courier. The launcher knows it, too.
	courierDir    = "/run/stackwright"
	courierSocket = courierDir + "/courier"
	courierTLS    = "/etc/stackwright/hosts"
	instances     = "/var/lib/nova/instances"
)

// carrier is the container of the courier, which brings what a server has on a host to another one, see
// internal/agent/courier. The certificate of the hosts is in it and not in that of nova-compute.
func carrier(s *scope) corev1.Container {
	c := corev1.Container{
		Name: "courier", Image: imageOf(s, imageLibvirt),
		Command: []string{"stackwright-agent", "courier", "--folder=" + instances, "--socket=" + courierSocket,
			"--address=$(HOST_IP)", "--tls=" + courierTLS},
		Env:       []corev1.EnvVar{field("HOST_IP", "status.hostIP")},
		Resources: infra.Requests(corev1.ResourceRequirements{}, "5m", "16Mi"),
		SecurityContext: &corev1.SecurityContext{ReadOnlyRootFilesystem: new(true), AllowPrivilegeEscalation: new(false),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		VolumeMounts: []corev1.VolumeMount{{Name: "courier", MountPath: courierDir},
			{Name: "identity", MountPath: courierTLS, ReadOnly: true}, {Name: "instances", MountPath: instances}},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	service.Inspect(&c, "test", "-S", courierSocket)
	return c
}

func courierVolumes(b object) []corev1.Volume {
	identity := secret("identity", identityName(b))
	identity.Secret.Items = []corev1.KeyToPath{{Key: pki.CAKey, Path: "ca.crt"}, {Key: pki.CertKey, Path: "server.crt"},
		{Key: pki.KeyKey, Path: "server.key"}}
	volumes, _ := put([]place{{"courier", courierDir, ""}, {"instances", instances, state + "/nova/instances"}})
	return append(volumes, identity)
}
