package rabbitmq

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/infra/member"
)

// uid that the image gives to RabbitMQ.
const uid = 42439

// gracePeriod is how long a member may take to stop: it waits up to 45 seconds until no queue depends on it, and hands
// over its clients and queues in up to 20.
const gracePeriod = 120

func configObjects(s *scope) ([]client.Object, error) {
	r := s.Owner()
	return []client.Object{&corev1.ConfigMap{ObjectMeta: meta(r, configMap(r.Name)), Data: Config(r)}}, nil
}

func size(_ context.Context, s *scope) *outcome.Outcome {
	return member.RememberSize(s, s.Owner().Spec.Storage)
}

func claims(s *scope) ([]client.Object, error) {
	r := s.Owner()
	named := func(name string) metav1.ObjectMeta { return meta(r, name) }
	have := s.All(refVolumes)
	return member.Claims(named, Pods(r.Name, r.Spec.Replicas), r.Spec.Storage, have, s.All(refClasses)),
		member.Strays(have, r.Spec.Storage.ClassName)
}

func volumeSize(r object, _ int) resource.Quantity { return r.Spec.Storage.Size }

func claimNames(r object) []string { return member.ClaimNames(Pods(r.Name, r.Spec.Replicas)) }

func statefulSet(s *scope) ([]client.Object, error) {
	r := s.Owner()
	set := member.Set{
		Meta: meta(r, r.Name), Replicas: r.Spec.Replicas, Service: Headless(r.Name), Digest: digest(Config(r)),
		Pod: member.Pod{Settings: r.Spec.PodSettings, Account: serviceAccount(r), UID: uid, Grace: gracePeriod,
			Container: container(r), Volumes: volumes(r)},
		Storage: r.Spec.Storage, FirstSize: member.FirstSize(r.KitStatus(), stepSize, r.Spec.Storage),
	}
	return []client.Object{set.StatefulSet()}, nil
}

// digest makes pods restart when their configuration changes.
func digest(files map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s\x00%s\x00", name, files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func container(r *infrav1.RabbitMQ) corev1.Container {
	port := corev1.ContainerPort{Name: "amqp", ContainerPort: Port(r)}
	return corev1.Container{
		Name:  "rabbitmq",
		Image: r.Spec.Image,
		Command: []string{"stackwright-agent", "rabbitmq", "--domain=" + domain(r.Name, r.Namespace),
			fmt.Sprintf("--port=%d", Port(r))},
		Env:             []corev1.EnvVar{member.Field("POD_NAME", "metadata.name")},
		Ports:           []corev1.ContainerPort{port, {Name: "agent", ContainerPort: agent.Port}},
		Resources:       r.Spec.Resources,
		ReadinessProbe:  member.Probe("/ready", 2, 2),
		LivenessProbe:   member.Live(),
		SecurityContext: member.Contained(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "data", MountPath: volumeDir},
			{Name: "run", MountPath: runDir},
			{Name: "tmp", MountPath: "/tmp"},
			{Name: "config", MountPath: configDir, ReadOnly: true},
			{Name: "cookie", MountPath: cookieDir, ReadOnly: true},
			{Name: "tls", MountPath: tlsDir, ReadOnly: true},
			{Name: "agent", MountPath: agentDir, ReadOnly: true},
		},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

func volumes(r *infrav1.RabbitMQ) []corev1.Volume {
	// Secrets that the agent prepares for the broker stay in memory.
	memory := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("16Mi"))}
	return []corev1.Volume{
		{Name: "run", VolumeSource: corev1.VolumeSource{EmptyDir: memory}},
		member.Scratch("tmp"),
		member.Config(configMap(r.Name)),
		member.Secret("cookie", cookieSecret(r.Name), "cookie"),
		member.Secret("tls", TLSSecret(r.Name), "tls.crt", "tls.key", "ca.crt"),
		member.Secret("agent", AgentSecret(r.Name), "ca.crt", "server.crt", "server.key"),
	}
}

func meta(r *infrav1.RabbitMQ, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: r.Namespace, Labels: labels(r)}
}
