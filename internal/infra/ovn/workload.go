package ovn

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/infra/member"
)

const (
	// uid that the image gives to OVN.
	uid = 42424
	// gracePeriod in seconds: a leader makes another member lead and ends.
	gracePeriod = 30

	volumeDir, runDir, tlsDir, agentDir = "/var/lib/ovn", "/run/ovn", "/etc/stackwright/tls", "/etc/stackwright/agent"
)

func size(_ context.Context, s *scope) *outcome.Outcome {
	return member.RememberSize(s, s.Owner().Spec.Storage)
}

func claims(s *scope) ([]client.Object, error) {
	o, have, classes := s.Owner(), s.All(refVolumes), s.All(refClasses)
	var out []client.Object
	for _, d := range databases() {
		named := func(name string) metav1.ObjectMeta { return d.meta(o, name) }
		out = append(out, member.Claims(named, d.pods(o), o.Spec.Storage, have[min(len(out), len(have)):], classes)...)
	}
	return out, member.Strays(have, o.Spec.Storage.ClassName)
}

func volumeSize(o object, _ int) resource.Quantity { return o.Spec.Storage.Size }

func claimNames(o object) []string {
	var out []string
	for _, d := range databases() {
		out = append(out, member.ClaimNames(d.pods(o))...)
	}
	return out
}

func (d database) statefulSet(s *scope) ([]client.Object, error) {
	o := s.Owner()
	agents := member.Secret("agent", AgentSecret(o.Name), "ca.crt", "server.crt", "server.key")
	set := member.Set{
		Meta: d.meta(o, d.set(o)), Replicas: o.Spec.Replicas, Service: d.headless(o),
		Pod: member.Pod{Settings: o.Spec.PodSettings, Account: serviceAccount(o), UID: uid, Grace: gracePeriod,
			Container: d.container(o), Volumes: append(volumes(o), agents)},
		Storage: o.Spec.Storage, FirstSize: member.FirstSize(o.KitStatus(), stepSize, o.Spec.Storage),
	}
	return []client.Object{set.StatefulSet()}, nil
}

// volumes of members and of northd. Certificates are read again by the daemons when they change.
func volumes(o object) []corev1.Volume {
	return []corev1.Volume{member.Scratch("run"), member.Secret("tls", TLSSecret(o.Name), "tls.crt", "tls.key", "ca.crt")}
}

func (d database) container(o object) corev1.Container {
	return corev1.Container{
		Name:  "ovsdb",
		Image: o.Spec.Image,
		Command: []string{"stackwright-agent", "ovsdb", "--database=" + d.name, "--schema=" + d.schema,
			"--domain=" + d.domain(o), fmt.Sprintf("--port=%d", d.port), fmt.Sprintf("--raft-port=%d", d.raft),
			fmt.Sprintf("--election-timer=%d", o.Spec.ElectionTimer),
			fmt.Sprintf("--inactivity-probe=%d", o.Spec.InactivityProbe)},
		Env: []corev1.EnvVar{member.Field("POD_NAME", "metadata.name"), member.Field("POD_IP", "status.podIP")},
		Ports: []corev1.ContainerPort{{Name: "ovsdb", ContainerPort: d.port}, {Name: "raft", ContainerPort: d.raft},
			{Name: "agent", ContainerPort: agent.Port}},
		Resources:       o.Spec.Resources,
		ReadinessProbe:  member.Probe("/ready", 2, 2),
		LivenessProbe:   member.Live(),
		SecurityContext: member.Contained(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "data", MountPath: volumeDir},
			{Name: "run", MountPath: runDir},
			{Name: "tls", MountPath: tlsDir, ReadOnly: true},
			{Name: "agent", MountPath: agentDir, ReadOnly: true},
		},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// northd renders the daemons that turn the northbound database into the southbound one. One has the lock of the latter
// and works, the others wait for it.
func northd(s *scope) ([]client.Object, error) {
	o := s.Owner()
	labels := northdLabels(o)
	return []client.Object{&appsv1.Deployment{ObjectMeta: meta(o, northdName(o), labels), Spec: appsv1.DeploymentSpec{
		Replicas: new(o.Spec.Northd.Replicas),
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Strategy: appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1))}},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				ServiceAccountName:            serviceAccount(o),
				AutomountServiceAccountToken:  new(false),
				EnableServiceLinks:            new(false),
				TerminationGracePeriodSeconds: new(int64(gracePeriod)),
				NodeSelector:                  o.Spec.NodeSelector,
				Tolerations:                   o.Spec.Tolerations,
				SecurityContext: &corev1.PodSecurityContext{
					RunAsNonRoot: new(true), RunAsUser: new(int64(uid)), RunAsGroup: new(int64(uid)), FSGroup: new(int64(uid)),
					SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
				},
				TopologySpreadConstraints: member.Spread(o.Spec.TopologySpread, labels, o.Spec.Northd.Replicas),
				Containers:                []corev1.Container{northdContainer(o)},
				Volumes:                   volumes(o),
			},
		},
	}}}, nil
}

// northdContainer is not ready while northd lacks one of its databases: it says that it is active then, too.
//
// A client never goes back to a database that knows less than it has seen (min_index in Open vSwitch's lib/ovsdb-cs.c),
// which one that was formed anew does for long, unless it is told to (ovn-northd(8)). It is told late, as what northd
// has made of a northbound database that is lost keeps guests connected until Neutron has filled the new one. The
// southbound one northd fills itself, before ovn-controller takes it.
func northdContainer(o object) corev1.Container {
	const socket = runDir + "/ovn-northd.ctl"
	all := databases()
	return corev1.Container{
		Name:  "northd",
		Image: o.Spec.Image,
		Command: []string{"stackwright-agent", "ovs", "--socket=" + socket, "--ask=status",
			"--expect=^Status: (active|standby)",
			"--ask=nb-connection-status", "--expect=^connected$", "--remedy=nb-cluster-state-reset", "--after=2m",
			"--ask=sb-connection-status", "--expect=^connected$", "--remedy=sb-cluster-state-reset", "--after=1m", "--",
			"ovn-northd", "--ovnnb-db=" + all[0].connection(o), "--ovnsb-db=" + all[1].connection(o), "--unixctl=" + socket,
			"--private-key=" + tlsDir + "/tls.key", "--certificate=" + tlsDir + "/tls.crt", "--ca-cert=" + tlsDir + "/ca.crt",
			fmt.Sprintf("--n-threads=%d", o.Spec.Northd.Threads), "-vconsole:info", "-vsyslog:off"},
		Resources:       member.Requests(o.Spec.Northd.Resources, "10m", "32Mi"),
		ReadinessProbe:  member.Probe("/ready", 2, 2),
		LivenessProbe:   member.Live(),
		SecurityContext: member.Contained(),
		VolumeMounts: []corev1.VolumeMount{{Name: "run", MountPath: runDir},
			{Name: "tls", MountPath: tlsDir, ReadOnly: true}},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}
