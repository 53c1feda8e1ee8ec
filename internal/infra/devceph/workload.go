package devceph

import (
	_ "embed"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/infra/member"
)

const (
	// uid that the image gives to Ceph.
	uid = 64045
	// Port of the monitor, and that for clients of old.
	Port, portV1 = 3300, 6789
	// firstPort and lastPort are those that Ceph takes for other daemons.
	firstPort, lastPort = 6800, 7568
	// gracePeriod in seconds.
	gracePeriod = 30
	// retries of the Job bridge a Ceph that has just been started.
	retries = 4

	gibibyte = 1 << 30
	// monitorSize is left of the volume for the monitor.
	monitorSize = gibibyte
	// osdMemory is the least that Ceph lets a disk's daemon aim at; with little data it takes a tenth.
	osdMemory = 896 << 20

	confDir, dataDir, runDir = "/etc/ceph", "/var/lib/ceph", "/run/ceph"
)

// What runs in the pods.
var (
	//go:embed prepare.sh
	prepareScript string
	//go:embed mon.sh
	monScript string
	//go:embed osd.sh
	osdScript string
	//go:embed content.sh
	contentScript string
	//go:embed answers.py
	answersScript string
)

// blockSize is the size of the file that is the disk. It takes room as data comes.
func blockSize(d object) int64 {
	const step = 4 << 20
	return (d.Spec.Storage.Size.Value() - monitorSize) / step * step
}

// access renders what lets clients reach the pod: the monitor at an address that stays, the disk at the pod's own,
// which the monitor tells. Clients on nodes have the nodes' addresses, which no policy can name.
func access(s *scope) ([]client.Object, error) {
	d := s.Owner()
	account := &corev1.ServiceAccount{ObjectMeta: meta(d, serviceAccount(d)), AutomountServiceAccountToken: new(false)}
	port := func(name string, number int32) corev1.ServicePort {
		return corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(name), Protocol: corev1.ProtocolTCP}
	}
	open := func(first int32, last *int32) networkingv1.NetworkPolicyPort {
		return networkingv1.NetworkPolicyPort{Protocol: new(corev1.ProtocolTCP), Port: new(intstr.FromInt32(first)),
			EndPort: last}
	}
	return []client.Object{
		account,
		&corev1.Service{ObjectMeta: meta(d, d.Name), Spec: corev1.ServiceSpec{
			// The pod's own daemons reach the monitor by it before the pod is ready.
			Selector: labels(d), PublishNotReadyAddresses: true,
			Ports: []corev1.ServicePort{port("msgr2", Port), port("msgr1", portV1)},
		}},
		&networkingv1.NetworkPolicy{ObjectMeta: meta(d, d.Name), Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: labels(d)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
			Ingress: []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{
				open(Port, nil), open(portV1, nil), open(firstPort, new(int32(lastPort)))}}},
		}},
	}, nil
}

func volume(s *scope) ([]client.Object, error) {
	d := s.Owner()
	return []client.Object{&corev1.PersistentVolumeClaim{ObjectMeta: meta(d, volumeName(d)),
		Spec: member.Claim(d.Spec.Storage, d.Spec.Storage.Size)}}, nil
}

func statefulSet(s *scope) ([]client.Object, error) {
	d := s.Owner()
	pod := podSpec(d)
	data := corev1.VolumeMount{Name: "data", MountPath: dataDir}
	prepare := container(d, "prepare", "sh", "-ec", prepareScript)
	prepare.VolumeMounts = append(prepare.VolumeMounts, data)
	pod.InitContainers = []corev1.Container{prepare}
	pod.Containers = []corev1.Container{mon(d), mgr(d), osd(d)}
	for i := range pod.Containers {
		pod.Containers[i].VolumeMounts = append(pod.Containers[i].VolumeMounts, data)
	}
	pod.Volumes = append(pod.Volumes, corev1.Volume{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: volumeName(d)}}})
	return []client.Object{&appsv1.StatefulSet{ObjectMeta: meta(d, d.Name), Spec: appsv1.StatefulSetSpec{
		Replicas:    new(int32(1)),
		ServiceName: d.Name,
		Selector:    &metav1.LabelSelector{MatchLabels: labels(d)},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels(d), Annotations: map[string]string{
				"infra.stackwright.dev/config": s.Digest(refConfig, keyConf, keyKeyring)}},
			Spec: pod,
		},
	}}}, nil
}

// content makes pools and users. It runs again when they change, and on a volume that is another one.
func content(s *scope) (*batchv1.Job, error) {
	d := s.Owner()
	pod := podSpec(d)
	command := []string{"sh", "-ec", contentScript, "content"}
	for _, p := range d.Spec.Pools {
		command = append(command, p.Name)
	}
	pod.RestartPolicy = corev1.RestartPolicyNever
	pod.Containers = []corev1.Container{container(d, "content", command...)}
	of := ""
	if claim, ok := s.Child(stepVolume, "PersistentVolumeClaim", volumeName(d)).(*corev1.PersistentVolumeClaim); ok {
		of = claim.Spec.VolumeName
	}
	jobLabels := labels(d)
	jobLabels["app.kubernetes.io/name"] = "ceph-content"
	return &batchv1.Job{ObjectMeta: meta(d, d.Name+"-content"), Spec: batchv1.JobSpec{
		BackoffLimit: new(int32(retries)), PodReplacementPolicy: new(batchv1.Failed),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: jobLabels, Annotations: map[string]string{
				"infra.stackwright.dev/clients": s.Digest(refConfig, keyClients),
				"infra.stackwright.dev/volume":  of,
			}},
			Spec: pod,
		},
	}}, nil
}

func podSpec(d object) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            serviceAccount(d),
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(gracePeriod)),
		NodeSelector:                  d.Spec.NodeSelector,
		Tolerations:                   d.Spec.Tolerations,
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(uid)), RunAsGroup: new(int64(uid)), FSGroup: new(int64(uid)),
			FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
			SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Volumes: []corev1.Volume{member.Scratch("run"), member.Scratch("tmp"),
			member.Secret("config", configName(d), keyConf, keyKeyring, keyClients)},
	}
}

func container(d object, name string, command ...string) corev1.Container {
	return corev1.Container{
		Name: name, Image: d.Spec.Image, Command: command,
		Env: []corev1.EnvVar{member.Field("POD_IP", "status.podIP"),
			{Name: "BLOCK_SIZE", Value: strconv.FormatInt(blockSize(d), 10)},
			{Name: "PYTHONDONTWRITEBYTECODE", Value: "1"}},
		SecurityContext: member.Contained(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: "config", MountPath: confDir, ReadOnly: true},
			{Name: "run", MountPath: runDir},
			{Name: "tmp", MountPath: "/tmp"},
		},
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	}
}

// mon listens at the pod's address and is known by the Service's.
func mon(d object) corev1.Container {
	c := container(d, "mon", "sh", "-ec", monScript)
	c.Ports = []corev1.ContainerPort{{Name: "msgr2", ContainerPort: Port}, {Name: "msgr1", ContainerPort: portV1}}
	c.ReadinessProbe = &corev1.Probe{PeriodSeconds: 2, TimeoutSeconds: 2, FailureThreshold: 2, ProbeHandler: corev1.
		ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("msgr2")}}}
	return c
}

// mgr tells clients how much room there is. It says its address, as the monitor would see that of the node.
func mgr(d object) corev1.Container {
	return container(d, "mgr", "ceph-mgr", "-f", "-i", "a", "--public-addr=$(POD_IP)")
}

// osd is the disk. With no other one to miss it, the monitor takes it for up long after it is gone, so it is asked
// itself.
func osd(d object) corev1.Container {
	c := container(d, "osd", "sh", "-ec", osdScript)
	c.Resources = d.Spec.Resources
	answers := corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"python3", "-c", answersScript}}}
	c.StartupProbe = &corev1.Probe{ProbeHandler: answers, PeriodSeconds: 1, TimeoutSeconds: 5, FailureThreshold: 300}
	c.ReadinessProbe = &corev1.Probe{ProbeHandler: answers, PeriodSeconds: 10, TimeoutSeconds: 5, FailureThreshold: 2}
	// A busy machine must not end it: only what the daemon itself tells twice does.
	stuck := corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"python3", "-c", answersScript, "stuck"}}}
	c.LivenessProbe = &corev1.Probe{ProbeHandler: stuck, PeriodSeconds: 30, TimeoutSeconds: 25, FailureThreshold: 2}
	return c
}
