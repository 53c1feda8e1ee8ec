package galera

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/infra/member"
)

// uid that the image gives to MariaDB.
const uid = 42434

// gracePeriod is how long a member may take to stop: it hands over its clients and writes its pages.
const gracePeriod = 600

func configObjects(s *scope) ([]client.Object, error) {
	g := s.Owner()
	return []client.Object{&corev1.ConfigMap{ObjectMeta: meta(g, configMap(g.Name)),
		Data: map[string]string{"my.cnf": configFile(g)}}}, nil
}

// digest makes pods restart when a text changes.
func digest(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])[:16]
}

func size(_ context.Context, s *scope) *outcome.Outcome {
	return member.RememberSize(s, s.Owner().Spec.Storage)
}

func claims(s *scope) ([]client.Object, error) {
	g := s.Owner()
	named := func(name string) metav1.ObjectMeta { return meta(g, name) }
	have := s.All(refVolumes)
	return member.Claims(named, Pods(g.Name, g.Spec.Replicas), g.Spec.Storage, have, s.All(refClasses)),
		member.Strays(have, g.Spec.Storage.ClassName)
}

func volumeSize(g object, _ int) resource.Quantity { return g.Spec.Storage.Size }

func claimNames(g object) []string { return member.ClaimNames(Pods(g.Name, g.Spec.Replicas)) }

func statefulSet(s *scope) ([]client.Object, error) {
	g := s.Owner()
	set := member.Set{
		Meta: meta(g, g.Name), Replicas: g.Spec.Replicas, Service: Headless(g.Name), Digest: digest(configFile(g)),
		Pod: member.Pod{Settings: g.Spec.PodSettings, Account: serviceAccount(g), UID: uid, Grace: gracePeriod,
			Container: container(g), Volumes: volumes(g)},
		Storage: g.Spec.Storage, FirstSize: member.FirstSize(g.KitStatus(), stepSize, g.Spec.Storage),
	}
	return []client.Object{set.StatefulSet()}, nil
}

func container(g *infrav1.Galera) corev1.Container {
	command := []string{"stackwright-agent", "mariadb", "--domain=" + Domain(g.Name, g.Namespace),
		"--volume=" + volumeDir, "--config=" + configDir + "/my.cnf", "--agent-tls=" + agentDir, "--run=" + runDir}
	mounts := []corev1.VolumeMount{
		{Name: "data", MountPath: volumeDir},
		{Name: "run", MountPath: runDir},
		{Name: "tmp", MountPath: "/tmp"},
		{Name: "config", MountPath: configDir, ReadOnly: true},
		{Name: "agent", MountPath: agentDir, ReadOnly: true},
	}
	if !g.Spec.TLS.Disabled {
		command = append(command, "--tls="+tlsDir)
		mounts = append(mounts, corev1.VolumeMount{Name: "tls", MountPath: tlsDir, ReadOnly: true})
	}
	return corev1.Container{
		Name:    "mariadb",
		Image:   g.Spec.Image,
		Command: command,
		Env:     []corev1.EnvVar{member.Field("POD_NAME", "metadata.name"), member.Field("POD_IP", "status.podIP")},
		Ports: []corev1.ContainerPort{
			{Name: "mysql", ContainerPort: Port}, {Name: "copy", ContainerPort: portCopy}, {Name: "group",
				ContainerPort: portGroup},
			{Name: "ist", ContainerPort: portIST}, {Name: "agent", ContainerPort: agent.Port},
		},
		Resources:                g.Spec.Resources,
		ReadinessProbe:           member.Probe("/ready", 2, 1),
		LivenessProbe:            member.Live(),
		SecurityContext:          member.Contained(),
		VolumeMounts:             mounts,
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

func volumes(g *infrav1.Galera) []corev1.Volume {
	out := []corev1.Volume{
		member.Scratch("run"),
		member.Scratch("tmp"),
		member.Config(configMap(g.Name)),
		member.Secret("agent", AgentSecret(g.Name), "ca.crt", "server.crt", "server.key"),
	}
	if !g.Spec.TLS.Disabled {
		out = append(out, member.Secret("tls", TLSSecret(g.Name), "tls.crt", "tls.key", "ca.crt"))
	}
	return out
}
