package memcached

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
)

const (
	// uid that the image gives to memcached.
	uid    = 42457
	tlsDir = "/etc/stackwright/tls"
)

const (
	mebibyte = 1 << 20
	// overhead is what the processes of the container take beside the cache.
	overhead = 16 * mebibyte
	// defaultCache is the size when nothing says otherwise, smallestCache what a small container gets at least.
	defaultCache, smallestCache = 64 * mebibyte, 16 * mebibyte
)

// cacheSize is the memory for items: as the spec says, or what fits into the container's memory.
func cacheSize(m *infrav1.Memcached) int64 {
	if m.Spec.CacheSize != nil {
		return m.Spec.CacheSize.Value()
	}
	given := m.Spec.Resources.Requests.Memory().Value()
	if given == 0 {
		given = m.Spec.Resources.Limits.Memory().Value()
	}
	if given == 0 {
		return defaultCache
	}
	return max((given-overhead)/11*10, smallestCache) / mebibyte * mebibyte
}

// footprint is the memory that a full cache takes: a tenth more for connections and bookkeeping.
func footprint(cache int64) int64 { return cache/10*11 + overhead }

// resources asks for the memory that a full cache takes, unless a person asks for another amount.
func resources(m *infrav1.Memcached) corev1.ResourceRequirements {
	r := *m.Spec.Resources.DeepCopy()
	if r.Requests.Memory().IsZero() && r.Limits.Memory().IsZero() {
		if r.Requests == nil {
			r.Requests = corev1.ResourceList{}
		}
		r.Requests[corev1.ResourceMemory] = *resource.NewQuantity(footprint(cacheSize(m)), resource.BinarySI)
	}
	return r
}

func meta(m *infrav1.Memcached) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: m.Name, Namespace: m.Namespace, Labels: labels(m)}
}

func access(s *scope) ([]client.Object, error) {
	m := s.Owner()
	namespace := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{}}
	account := &corev1.ServiceAccount{ObjectMeta: meta(m), AutomountServiceAccountToken: new(false)}
	account.Name = serviceAccount(m)
	return []client.Object{
		account,
		// Clients have the names of all pods. One that is not ready is left out by themselves.
		&corev1.Service{ObjectMeta: meta(m), Spec: corev1.ServiceSpec{
			Selector: labels(m), ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: true,
			Ports: []corev1.ServicePort{{Name: "memcache", Port: Port, TargetPort: intstr.FromString("memcache"),
				Protocol: corev1.ProtocolTCP}},
		}},
		&networkingv1.NetworkPolicy{ObjectMeta: meta(m), Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: labels(m)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{From: []networkingv1.NetworkPolicyPeer{namespace},
				Ports: []networkingv1.NetworkPolicyPort{{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(Port))}}}},
		}},
	}, nil
}

// serviceAccount has no rights.
func serviceAccount(m *infrav1.Memcached) string { return m.Name + "-memcached" }

// budget lets one cache at a time be evicted: with each, its share of the keys is gone.
func budget(s *scope) ([]client.Object, error) {
	m := s.Owner()
	return []client.Object{&policyv1.PodDisruptionBudget{ObjectMeta: meta(m), Spec: policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: new(intstr.FromInt32(1)),
		Selector:       &metav1.LabelSelector{MatchLabels: labels(m)},
	}}}, nil
}

func statefulSet(s *scope) ([]client.Object, error) {
	m := s.Owner()
	return []client.Object{&appsv1.StatefulSet{ObjectMeta: meta(m), Spec: appsv1.StatefulSetSpec{
		Replicas:            new(m.Spec.Replicas),
		ServiceName:         m.Name,
		Selector:            &metav1.LabelSelector{MatchLabels: labels(m)},
		PodManagementPolicy: appsv1.ParallelPodManagement,
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels(m)},
			Spec:       podSpec(m),
		},
	}}}, nil
}

func podSpec(m *infrav1.Memcached) corev1.PodSpec {
	p := corev1.PodSpec{
		ServiceAccountName:            serviceAccount(m),
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(10)),
		NodeSelector:                  m.Spec.NodeSelector,
		Tolerations:                   m.Spec.Tolerations,
		TopologySpreadConstraints:     spread(m),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(uid)), RunAsGroup: new(int64(uid)), FSGroup: new(int64(uid)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{container(m)},
	}
	if !m.Spec.TLS.Disabled {
		p.Volumes = []corev1.Volume{{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
			SecretName: TLSSecret(m.Name), DefaultMode: new(int32(0o440)),
			Items: []corev1.KeyToPath{{Key: "tls.crt", Path: "tls.crt"}, {Key: "tls.key", Path: "tls.key"},
				{Key: "ca.crt", Path: "ca.crt"}}}}}}
	}
	return p
}

func container(m *infrav1.Memcached) corev1.Container {
	c := corev1.Container{
		Name:  "memcached",
		Image: m.Spec.Image,
		Command: []string{"stackwright-agent", "memcached", fmt.Sprintf("--megabytes=%d", cacheSize(m)/mebibyte),
			fmt.Sprintf("--connections=%d", m.Spec.MaxConnections), fmt.Sprintf("--port=%d", Port)},
		Ports:          []corev1.ContainerPort{{Name: "memcache", ContainerPort: Port}},
		Resources:      resources(m),
		ReadinessProbe: member.Probe("/ready", 2, 2),
		LivenessProbe:  member.Live(),
		SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
	if !m.Spec.TLS.Disabled {
		c.Command = append(c.Command, "--tls="+tlsDir)
		c.VolumeMounts = []corev1.VolumeMount{{Name: "tls", MountPath: tlsDir, ReadOnly: true}}
	}
	return c
}

func spread(m *infrav1.Memcached) []corev1.TopologySpreadConstraint {
	if m.Spec.TopologySpread == infrav1.SpreadNone {
		return nil
	}
	c := corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: corev1.LabelHostname,
		WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: labels(m)}}
	if m.Spec.TopologySpread == infrav1.SpreadRequired {
		c.WhenUnsatisfiable = corev1.DoNotSchedule
	}
	return []corev1.TopologySpreadConstraint{c}
}
