package rabbitmq

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
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

// size remembers the size that volumes began with: a StatefulSet's claim template can never change, and a volume can
// grow.
func size(_ context.Context, s *scope) *outcome.Outcome {
	if s.Cell().ID != "" {
		return nil
	}
	s.Cell().ID = s.Owner().Spec.Storage.Size.String()
	return outcome.FromError(s.Save())
}

func firstSize(r *infrav1.RabbitMQ) resource.Quantity {
	if q, err := resource.ParseQuantity(cell(r, stepSize)); err == nil {
		return q
	}
	return r.Spec.Storage.Size
}

// cell returns what a step has noted in the object's status.
func cell(r *infrav1.RabbitMQ, step string) string {
	for _, e := range r.Status.Externals {
		if e.Step == step {
			return e.ID
		}
	}
	return ""
}

// claims are made beside the StatefulSet, under the names that it looks for, so that they can grow and come back.
func claims(s *scope) ([]client.Object, error) {
	r := s.Owner()
	var out []client.Object
	for _, p := range Pods(r.Name, r.Spec.Replicas) {
		out = append(out, &corev1.PersistentVolumeClaim{ObjectMeta: meta(r, "data-"+p), Spec: claim(r, r.Spec.Storage.Size)})
	}
	return out, nil
}

func claim(r *infrav1.RabbitMQ, size resource.Quantity) corev1.PersistentVolumeClaimSpec {
	c := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
	}
	if r.Spec.Storage.ClassName != "" {
		c.StorageClassName = new(r.Spec.Storage.ClassName)
	}
	return c
}

// hasClass is the gate of claims. Whether one is bound is the scheduler's business; without any class it never will be.
func hasClass(obj client.Object) (bool, string) {
	c, ok := obj.(*corev1.PersistentVolumeClaim)
	switch {
	case !ok || c.Spec.StorageClassName != nil && *c.Spec.StorageClassName != "" || c.Spec.VolumeName != "":
		return true, ""
	case c.Status.Phase == corev1.ClaimLost:
		return false, "PersistentVolumeClaim " + c.Name + " has lost its volume; " +
			"bring it back, or delete the claim and the pod."
	}
	return false, "PersistentVolumeClaim " + c.Name + " has no storage class, because the cluster has no default one; " +
		"set spec.storage.className, or mark a StorageClass as default."
}

func statefulSet(s *scope) ([]client.Object, error) {
	r := s.Owner()
	return []client.Object{&appsv1.StatefulSet{ObjectMeta: meta(r, r.Name), Spec: appsv1.StatefulSetSpec{
		Replicas:    new(r.Spec.Replicas),
		ServiceName: Headless(r.Name),
		Selector:    &metav1.LabelSelector{MatchLabels: labels(r)},
		// After an outage of all, members need each other to start.
		PodManagementPolicy: appsv1.ParallelPodManagement,
		UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType},
		PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels(r), Annotations: map[string]string{
				"infra.stackwright.dev/config": digest(Config(r)),
			}},
			Spec: podSpec(r),
		},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec:       claim(r, firstSize(r)),
		}},
	}}}, nil
}

// digest makes pods restart when their configuration changes.
func digest(files map[string]string) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s\x00%s\x00", name, files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func podSpec(r *infrav1.RabbitMQ) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            serviceAccount(r),
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(gracePeriod)),
		NodeSelector:                  r.Spec.NodeSelector,
		Tolerations:                   r.Spec.Tolerations,
		TopologySpreadConstraints:     spread(r),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(uid)), RunAsGroup: new(int64(uid)), FSGroup: new(int64(uid)),
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
			SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{container(r)},
		Volumes:    volumes(r),
	}
}

func container(r *infrav1.RabbitMQ) corev1.Container {
	port := corev1.ContainerPort{Name: "amqp", ContainerPort: Port(r)}
	return corev1.Container{
		Name:  "rabbitmq",
		Image: r.Spec.Image,
		Command: []string{"stackwright-agent", "rabbitmq", "--domain=" + domain(r.Name, r.Namespace),
			fmt.Sprintf("--port=%d", Port(r))},
		Env: []corev1.EnvVar{{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}}},
		Ports:          []corev1.ContainerPort{port, {Name: "agent", ContainerPort: agent.Port}},
		Resources:      r.Spec.Resources,
		ReadinessProbe: probe("/ready", 2, 2),
		LivenessProbe:  probe("/live", 10, 3),
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
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

func probe(path string, period, failures int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromInt32(agent.HealthPort), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: period, TimeoutSeconds: 2, FailureThreshold: failures, SuccessThreshold: 1,
	}
}

func volumes(r *infrav1.RabbitMQ) []corev1.Volume {
	secret := func(name, of string, keys ...string) corev1.Volume {
		v := &corev1.SecretVolumeSource{SecretName: of, DefaultMode: new(int32(0o440))}
		for _, k := range keys {
			v.Items = append(v.Items, corev1.KeyToPath{Key: k, Path: k})
		}
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: v}}
	}
	// Secrets that the agent prepares for the broker stay in memory.
	memory := &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory, SizeLimit: new(resource.MustParse("16Mi"))}
	return []corev1.Volume{
		{Name: "run", VolumeSource: corev1.VolumeSource{EmptyDir: memory}},
		{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap(r.Name)}}}},
		secret("cookie", cookieSecret(r.Name), "cookie"),
		secret("tls", TLSSecret(r.Name), "tls.crt", "tls.key", "ca.crt"),
		secret("agent", AgentSecret(r.Name), "ca.crt", "server.crt", "server.key"),
	}
}

func spread(r *infrav1.RabbitMQ) []corev1.TopologySpreadConstraint {
	if r.Spec.TopologySpread == infrav1.SpreadNone {
		return nil
	}
	c := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: corev1.LabelHostname,
		WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: labels(r)}}
	if r.Spec.TopologySpread == infrav1.SpreadRequired {
		c.WhenUnsatisfiable, c.MinDomains = corev1.DoNotSchedule, new(r.Spec.Replicas)
	}
	return []corev1.TopologySpreadConstraint{c}
}

func meta(r *infrav1.RabbitMQ, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: r.Namespace, Labels: labels(r)}
}
