package controlplane

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"
)

// The keys of the Secret that Keystone's operator makes for clients.
const (
	cloudsFile = "clouds.yaml"
	cloudsCA   = "ca.crt"
)

// uidClient is the user of the image openstackclient.
const uidClient = 42400

// LabelControlPlane names on a pod the control plane that it serves, for `stackwright openstack`.
const LabelControlPlane = "controlplane.stackwright.dev/name"

// cloudsSecret is the Secret of Keystone's operator with clouds.yaml; there is none without Keystone.
func cloudsSecret(o *cloud) string {
	if !keystoneOn(o) {
		return ""
	}
	return childName(o, "keystone") + "-clouds"
}

// annotationClouds makes the client's pod a new one when its configuration changes: a kubelet hands a changed Secret to
// a running pod only after up to 90 s, and until then every command would be refused.
const annotationClouds = "controlplane.stackwright.dev/clouds"

// client is a pod with the command line client of OpenStack, for `stackwright openstack`.
func client(s *scope) ([]kubeclient.Object, error) {
	o := s.Owner()
	meta := child(o, "client")
	labels := map[string]string{"app.kubernetes.io/name": "openstackclient", LabelControlPlane: o.Name}
	_ = s.Value(refClouds, cloudsFile) // the step waits for it
	meta.Labels = labels
	return []kubeclient.Object{
		&corev1.ServiceAccount{ObjectMeta: meta, AutomountServiceAccountToken: new(false)},
		&appsv1.Deployment{
			ObjectMeta: meta,
			Spec: appsv1.DeploymentSpec{
				Replicas: new(int32(1)),
				Selector: &metav1.LabelSelector{MatchLabels: labels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{
						Labels: labels, Annotations: map[string]string{annotationClouds: s.Digest(refClouds)},
					},
					Spec: clientPod(o, image(s, imageClient)),
				},
			},
		},
	}, nil
}

func clientPod(o *cloud, image string) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:            childName(o, "client"),
		AutomountServiceAccountToken:  new(false),
		EnableServiceLinks:            new(false),
		TerminationGracePeriodSeconds: new(int64(1)),
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(uidClient)), RunAsGroup: new(int64(uidClient)),
			FSGroup:        new(int64(uidClient)),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{{
			Name:    "client",
			Image:   image,
			Command: []string{"sleep", "infinity"},
			Env: []corev1.EnvVar{
				{Name: "OS_CLOUD", Value: "internal"},
				{Name: "OS_CLIENT_CONFIG_FILE", Value: "/etc/openstack/" + cloudsFile},
				{Name: "HOME", Value: "/home/stackwright"},
			},
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("16Mi"),
			}},
			SecurityContext: &corev1.SecurityContext{
				AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			},
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
			VolumeMounts: []corev1.VolumeMount{
				{Name: "clouds", MountPath: "/etc/openstack", ReadOnly: true},
				{Name: "home", MountPath: "/home/stackwright"},
				{Name: "tmp", MountPath: "/tmp"},
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "clouds", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
				SecretName: cloudsSecret(o), DefaultMode: new(int32(0o440))}}},
			{Name: "home", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		},
	}
}
