package service

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
)

// Annotations of pod templates: a new value restarts the pods one by one. uwsgi reads a certificate when it starts,
// and a reload would leave the pod without workers until the application is loaded again; a roll-out never does.
const (
	annotationCertificate = "service.stackwright.dev/certificate"
	annotationCache       = "service.stackwright.dev/cache-authority"
	annotationKeystone    = "service.stackwright.dev/keystone-authority"
)

// APIStep runs the API.
func (s Service[T]) APIStep(o ...step.Option[T]) step.Step[T] {
	reads := append(s.authorityRefs(), RefConfig, RefTLS, RefAutoscaler)
	return step.Objects(StepAPI, func(sc *step.Scope[T]) ([]client.Object, error) {
		return []client.Object{s.deployment(sc), s.budget(sc.Owner(), ComponentAPI)}, sc.Err()
	}, append(o, step.Reads[T](reads...), seesItself[T],
		step.After[T](StepAccess, StepConfig, StepCertificate, StepGiven),
		step.Makes[T](&appsv1.Deployment{}, &policyv1.PodDisruptionBudget{}),
		step.Condition[T]("DeploymentReady"), step.Component[T](ComponentAPI))...)
}

func (s Service[T]) deployment(sc *step.Scope[T]) *appsv1.Deployment {
	o := sc.Owner()
	hash := sc.Value(RefConfig, keyHash)
	meta := s.meta(o, apiName(o))
	meta.Labels = s.Labels(o, ComponentAPI)
	meta.Annotations = map[string]string{annotationConfig: hash}
	replicas, by := s.replicas(sc)
	if by != "" {
		meta.Annotations[annotationReplicas] = by
	}
	return &appsv1.Deployment{
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: replicas,
			Selector: &metav1.LabelSelector{MatchLabels: s.Labels(o, ComponentAPI)},
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{
					MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1)),
				}},
			Template: s.apiTemplate(sc, revisionName(o, hash)),
		},
	}
}

func (s Service[T]) apiTemplate(sc *step.Scope[T], config string) corev1.PodTemplateSpec {
	o := sc.Owner()
	p := Pod[T]{Component: ComponentAPI, Config: config, Claims: s.claims(o),
		Command: []string{"uwsgi", "--ini", path("config", keyUWSGI)}}
	p.Mounts = s.certificate(o)
	t := s.Template(o, p)
	t.Annotations = s.credentials(sc)
	t.Spec.TerminationGracePeriodSeconds = new(int64(s.grace()))
	t.Spec.TopologySpreadConstraints = s.spread(o, ComponentAPI)
	t.Spec.Affinity = s.together(o)
	c := &t.Spec.Containers[0]
	c.Ports = []corev1.ContainerPort{{Name: "api", ContainerPort: s.Port, Protocol: corev1.ProtocolTCP}}
	c.Lifecycle = drain()
	probes(o, c, s.Health)
	return t
}

// grace is how long a pod of an API may take to stop, in seconds.
func (s Service[T]) grace() int { return drainTime + s.patience() + 5 }

// drain lets load balancers forget a pod before it stops to listen.
func drain() *corev1.Lifecycle {
	return &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{
		Command: []string{"sh", path("config", keyDrain), "/proc/net/snmp"}}}}
}

// certificate is what the pods of a service show to clients; without TLS there is none.
func (s Service[T]) certificate(o T) []Mount[T] {
	if o.Common().TLS.Disabled {
		return nil
	}
	return []Mount[T]{{Name: "tls", Secret: func(o T) string { return tlsName(o) }}}
}

// credentials change when pods of the API have to read a certificate anew.
func (s Service[T]) credentials(sc *step.Scope[T]) map[string]string {
	out := s.authorities(sc)
	if !sc.Owner().Common().TLS.Disabled {
		out[annotationCertificate] = sc.Digest(RefTLS, "tls.crt")
	}
	return out
}

// authorityRefs are those that authorities reads.
func (s Service[T]) authorityRefs() []string {
	refs := slices.Clone(s.Rereads)
	if s.Memcached != nil {
		refs = append(refs, RefMemcached, RefCacheTLS)
	}
	if s.Identity != nil {
		refs = append(refs, RefAuthority)
	}
	return refs
}

// authorities change when pods have to read anew whom they trust.
func (s Service[T]) authorities(sc *step.Scope[T]) map[string]string {
	out := map[string]string{}
	if s.Memcached != nil {
		if m, ok := sc.Get(RefMemcached).(*infrav1.Memcached); ok && m.Status.ClientSecret != "" {
			// The value is not needed; without it the step waits, rather than to roll the pods for a Secret that comes
			// back.
			_ = sc.Value(RefCacheTLS, keyCA)
			out[annotationCache] = sc.Digest(RefCacheTLS, clientKeys()...)
		}
	}
	if s.Identity != nil && len(sc.Content(RefAuthority)) > 0 {
		out[annotationKeystone] = sc.Digest(RefAuthority, keyCA)
	}
	if s.Rolls != nil {
		maps.Copy(out, s.Rolls(sc))
	}
	return out
}

// probes take a dead API out of service in eight seconds. One that hangs gets six more: on a busy machine a pod that
// starts slows down the one that it replaces, which then must not go first. Liveness only asks whether somebody
// listens: workers that wait for a database shall not be restarted, and uwsgi itself ends those that hang.
func probes(o Object, c *corev1.Container, path string) {
	health := asks(o, path)
	c.StartupProbe = &corev1.Probe{ProbeHandler: health, PeriodSeconds: 1, TimeoutSeconds: 5, FailureThreshold: 120}
	c.ReadinessProbe = &corev1.Probe{ProbeHandler: health, PeriodSeconds: 4, TimeoutSeconds: 5, FailureThreshold: 2}
	c.LivenessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("api")}},
		PeriodSeconds: 10, TimeoutSeconds: 5, FailureThreshold: 3,
	}
}

// asks looks whether a path is answered.
func asks(o Object, path string) corev1.ProbeHandler {
	scheme := corev1.URISchemeHTTPS
	if o.Common().TLS.Disabled {
		scheme = corev1.URISchemeHTTP
	}
	return corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("api"), Scheme: scheme}}
}

// spread puts pods on different nodes as long as there are nodes that take them.
func (s Service[T]) spread(o T, component string) []corev1.TopologySpreadConstraint {
	if given := o.Common().TopologySpread; given != nil {
		return given
	}
	if component == ComponentAPI && s.pinned(o) {
		return nil
	}
	return []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector:    &metav1.LabelSelector{MatchLabels: s.Labels(o, component)},
		NodeTaintsPolicy: new(corev1.NodeInclusionPolicyHonor),
		MatchLabelKeys:   []string{"pod-template-hash"},
	}}
}

// pinned tells that the pods have a volume that only one node at a time can have.
func (s Service[T]) pinned(o T) bool {
	return slices.ContainsFunc(s.claims(o), func(c Claim) bool { return !c.Shared && c.Own == nil })
}

// together puts pods that are pinned onto the node on which one of them is, so that a roll-out need not stop the last
// old pod to start the first new one.
func (s Service[T]) together(o T) *corev1.Affinity {
	if !s.pinned(o) {
		return nil
	}
	return &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:   corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: s.Labels(o, ComponentAPI)},
		}},
	}}
}

// budget lets one pod at a time be evicted. Pods that are pinned leave a node together or not at all: the next one
// could start nowhere else as long as another has the volume, and nobody could drain the node.
func (s Service[T]) budget(o T, component string) *policyv1.PodDisruptionBudget {
	meta := s.meta(o, workerName(o, component))
	meta.Labels = s.Labels(o, component)
	most := intstr.FromInt32(1)
	if component == ComponentAPI && s.pinned(o) {
		most = intstr.FromString("100%")
	}
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: meta,
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable:             &most,
			Selector:                   &metav1.LabelSelector{MatchLabels: s.Labels(o, component)},
			UnhealthyPodEvictionPolicy: new(policyv1.AlwaysAllow),
		},
	}
}
