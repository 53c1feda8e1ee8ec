package galera

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

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

// size remembers the size that volumes began with: a StatefulSet's claim template can never change, and a volume can
// grow.
func size(_ context.Context, s *scope) *outcome.Outcome {
	if s.Cell().ID != "" {
		return nil
	}
	s.Cell().ID = s.Owner().Spec.Storage.Size.String()
	return outcome.FromError(s.Save())
}

func firstSize(g *infrav1.Galera) resource.Quantity {
	for _, e := range g.Status.Externals {
		if e.Step == stepSize {
			if q, err := resource.ParseQuantity(e.ID); err == nil {
				return q
			}
		}
	}
	return g.Spec.Storage.Size
}

// claims are made beside the StatefulSet, under the names that it looks for, so that they can grow and come back.
func claims(s *scope) ([]client.Object, error) {
	g := s.Owner()
	var out []client.Object
	for _, p := range Pods(g.Name, g.Spec.Replicas) {
		out = append(out, &corev1.PersistentVolumeClaim{ObjectMeta: meta(g, "data-"+p), Spec: claim(g, g.Spec.Storage.Size)})
	}
	return out, nil
}

func claim(g *infrav1.Galera, size resource.Quantity) corev1.PersistentVolumeClaimSpec {
	c := corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: size}},
	}
	if g.Spec.Storage.ClassName != "" {
		c.StorageClassName = new(g.Spec.Storage.ClassName)
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
		return false, "PersistentVolumeClaim " + c.Name +
			" has lost its volume; bring it back, or delete the claim and the pod."
	}
	return false, "PersistentVolumeClaim " + c.Name + " has no storage class, because the cluster has no default one; " +
		"set spec.storage.className, or mark a StorageClass as default."
}

func statefulSet(s *scope) ([]client.Object, error) {
	g := s.Owner()
	return []client.Object{&appsv1.StatefulSet{ObjectMeta: meta(g, g.Name), Spec: appsv1.StatefulSetSpec{
		Replicas:    new(g.Spec.Replicas),
		ServiceName: Headless(g.Name),
		Selector:    &metav1.LabelSelector{MatchLabels: labels(g)},
		// After an outage of all, the operator must hear from all before one starts.
		PodManagementPolicy: appsv1.ParallelPodManagement,
		UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType},
		PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels(g), Annotations: map[string]string{
				"infra.stackwright.dev/config": digest(configFile(g)),
			}},
			Spec: podSpec(g),
		},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec:       claim(g, firstSize(g)),
		}},
	}}}, nil
}

func podSpec(g *infrav1.Galera) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            serviceAccount(g),
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(gracePeriod)),
		NodeSelector:                  g.Spec.NodeSelector,
		Tolerations:                   g.Spec.Tolerations,
		TopologySpreadConstraints:     spread(g),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(uid)), RunAsGroup: new(int64(uid)), FSGroup: new(int64(uid)),
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
			SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{container(g)},
		Volumes:    volumes(g),
	}
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
		Env:     []corev1.EnvVar{fromField("POD_NAME", "metadata.name"), fromField("POD_IP", "status.podIP")},
		Ports: []corev1.ContainerPort{
			{Name: "mysql", ContainerPort: Port}, {Name: "copy", ContainerPort: portCopy}, {Name: "group",
				ContainerPort: portGroup},
			{Name: "ist", ContainerPort: portIST}, {Name: "agent", ContainerPort: agent.Port},
		},
		Resources:      g.Spec.Resources,
		ReadinessProbe: probe("/ready", 2, 1),
		LivenessProbe:  probe("/live", 10, 3),
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		VolumeMounts:             mounts,
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

func fromField(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

func probe(path string, period, failures int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromInt32(agent.HealthPort), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: period, TimeoutSeconds: 2, FailureThreshold: failures, SuccessThreshold: 1,
	}
}

func volumes(g *infrav1.Galera) []corev1.Volume {
	secret := func(name, of string, keys ...string) corev1.Volume {
		v := &corev1.SecretVolumeSource{SecretName: of, DefaultMode: new(int32(0o440))}
		for _, k := range keys {
			v.Items = append(v.Items, corev1.KeyToPath{Key: k, Path: k})
		}
		return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: v}}
	}
	out := []corev1.Volume{
		{Name: "run", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: configMap(g.Name)}}}},
		secret("agent", AgentSecret(g.Name), "ca.crt", "server.crt", "server.key"),
	}
	if !g.Spec.TLS.Disabled {
		out = append(out, secret("tls", TLSSecret(g.Name), "tls.crt", "tls.key", "ca.crt"))
	}
	return out
}

func spread(g *infrav1.Galera) []corev1.TopologySpreadConstraint {
	if g.Spec.TopologySpread == infrav1.SpreadNone {
		return nil
	}
	c := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: corev1.LabelHostname,
		WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: labels(g)}}
	if g.Spec.TopologySpread == infrav1.SpreadRequired {
		c.WhenUnsatisfiable, c.MinDomains = corev1.DoNotSchedule, new(g.Spec.Replicas)
	}
	return []corev1.TopologySpreadConstraint{c}
}
