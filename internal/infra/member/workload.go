package member

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
)

// Set is what the StatefulSets of clusters differ in.
type Set struct {
	// Meta of the StatefulSet; its labels select the pods.
	Meta     metav1.ObjectMeta
	Replicas int32
	// Service is the one without an address that the pods have their names from.
	Service string
	// Digest of the configuration: pods restart when it changes.
	Digest string
	Pod    Pod
	// Storage of each pod, and the size that it began with.
	Storage   infrav1.Storage
	FirstSize resource.Quantity
}

// StatefulSet starts all members together: after an outage of all they need to hear of each other to start.
func (s *Set) StatefulSet() *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: s.Meta, Spec: appsv1.StatefulSetSpec{
		Replicas:            new(s.Replicas),
		ServiceName:         s.Service,
		Selector:            &metav1.LabelSelector{MatchLabels: s.Meta.Labels},
		PodManagementPolicy: appsv1.ParallelPodManagement,
		UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType},
		PersistentVolumeClaimRetentionPolicy: &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: s.Meta.Labels, Annotations: map[string]string{
				"infra.stackwright.dev/config": s.Digest,
			}},
			Spec: s.pod(),
		},
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
			ObjectMeta: metav1.ObjectMeta{Name: "data"},
			Spec:       Claim(s.Storage, s.FirstSize),
		}},
	}}
}

// Pod is what the pods of clusters differ in.
type Pod struct {
	Settings infrav1.PodSettings
	Account  string
	// UID is the user, and the group, that the image runs the daemon as.
	UID int64
	// Grace is how many seconds a member may take to stop.
	Grace     int64
	Container corev1.Container
	Volumes   []corev1.Volume
}

func (s *Set) pod() corev1.PodSpec {
	p := &s.Pod
	return corev1.PodSpec{
		ServiceAccountName:            p.Account,
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(p.Grace),
		NodeSelector:                  p.Settings.NodeSelector,
		Tolerations:                   p.Settings.Tolerations,
		TopologySpreadConstraints:     Spread(p.Settings.TopologySpread, s.Meta.Labels, s.Replicas),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(p.UID), RunAsGroup: new(p.UID), FSGroup: new(p.UID),
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
			SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{p.Container},
		Volumes:    p.Volumes,
	}
}

// Spread puts the pods with these labels on different nodes, as asked.
func Spread(asked infrav1.TopologySpread, labels map[string]string, pods int32) []corev1.TopologySpreadConstraint {
	if asked == infrav1.SpreadNone {
		return nil
	}
	c := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: corev1.LabelHostname,
		WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: labels}}
	if asked == infrav1.SpreadRequired {
		c.WhenUnsatisfiable, c.MinDomains = corev1.DoNotSchedule, new(pods)
	}
	return []corev1.TopologySpreadConstraint{c}
}

// Contained gives the container's process no way to become more than it is.
func Contained() *corev1.SecurityContext {
	return &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
}

// Probe asks the agent.
func Probe(path string, period, failures int32) *corev1.Probe {
	return &corev1.Probe{
		ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: path, Port: intstr.FromInt32(agent.HealthPort), Scheme: corev1.URISchemeHTTP}},
		PeriodSeconds: period, TimeoutSeconds: 2, FailureThreshold: failures, SuccessThreshold: 1,
	}
}

// Live ends what has not answered for a minute. A restart of a database or of a switch costs more than waiting for it,
// and on a busy machine it would make matters worse.
func Live() *corev1.Probe {
	p := Probe("/live", 10, 6)
	p.TimeoutSeconds = 10
	return p
}

// Requests are the resources that somebody asked for, or else these: what asks for nothing gets next to nothing of a
// busy machine.
func Requests(asked corev1.ResourceRequirements, cpu, memory string) corev1.ResourceRequirements {
	if len(asked.Requests) > 0 || len(asked.Limits) > 0 {
		return asked
	}
	return corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory)}}
}

// Field is a variable with a field of the pod.
func Field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
}

// Secret is a volume with these keys of a Secret.
func Secret(name, of string, keys ...string) corev1.Volume {
	v := &corev1.SecretVolumeSource{SecretName: of, DefaultMode: new(int32(0o440))}
	for _, k := range keys {
		v.Items = append(v.Items, corev1.KeyToPath{Key: k, Path: k})
	}
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: v}}
}

// Scratch is an empty folder.
func Scratch(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// Config is a volume with a ConfigMap.
func Config(of string) corev1.Volume {
	return corev1.Volume{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: of}}}}
}
