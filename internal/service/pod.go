package service

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Pod says what a pod of the service runs.
type Pod[T Object] struct {
	// Component of the labels, such as api, and name of the container.
	Component string
	// Config names the Secret with the configuration; empty is the latest.
	Config string
	// Command of the container.
	Command []string
	// Mounts beside those of the service.
	Mounts []Mount[T]
	// Claims are the persistent volumes of the pod.
	Claims []Claim
	// Alone mounts what it takes to reach the database and nothing else, so that a Job about the schema does not run again
	// because something changed that it does not need.
	Alone bool
	// Annotations of the pod. A change of one runs a Job again.
	Annotations map[string]string
	// Restart policy of the pod.
	Restart corev1.RestartPolicy
}

// home and scratch are the only places that a container can write to.
const scratch = "/tmp"

// Template makes the pod: the service's user, no rights, a root file system that cannot be written.
func (s Service[T]) Template(o T, p Pod[T]) corev1.PodTemplateSpec {
	common := o.Common()
	volumes, mounts := s.volumes(o, p)
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: s.Labels(o, p.Component), Annotations: p.Annotations},
		Spec: corev1.PodSpec{
			ServiceAccountName:           o.GetName(),
			AutomountServiceAccountToken: new(false),
			EnableServiceLinks:           new(false),
			RestartPolicy:                p.Restart,
			NodeSelector:                 nodeSelector(o),
			Tolerations:                  common.Tolerations,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(s.UID), RunAsGroup: new(s.UID), FSGroup: new(s.UID),
				FSGroupChangePolicy: new(corev1.FSGroupChangeOnRootMismatch),
				SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: p.Component, Image: common.Image, Command: p.Command,
				Env:          s.environment(),
				Resources:    common.Resources,
				VolumeMounts: mounts,
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
			Volumes: volumes,
		},
	}
}

func nodeSelector(o Object) map[string]string {
	var selector map[string]string
	for k, v := range o.Common().NodeSelector {
		if selector == nil {
			selector = map[string]string{}
		}
		selector[k] = string(v)
	}
	return selector
}

func (s Service[T]) environment() []corev1.EnvVar {
	own := s.Environment(s.file())
	for _, e := range []corev1.EnvVar{
		{Name: "HOME", Value: s.Home},
		{Name: "PYTHONPATH", Value: Folder + "/config"},
		// Nothing can be written beside the modules.
		{Name: "PYTHONDONTWRITEBYTECODE", Value: "1"},
	} {
		if !slices.ContainsFunc(own, func(o corev1.EnvVar) bool { return o.Name == e.Name }) {
			own = append(own, e)
		}
	}
	return own
}

// file is the path of the configuration file in the containers.
func (s Service[T]) file() string { return path("config", s.fileName()) }

// volumes are what all containers have mounted, those of p, and what a person adds.
func (s Service[T]) volumes(o T, p Pod[T]) ([]corev1.Volume, []corev1.VolumeMount) {
	all := s.peers(o, p)
	if !p.Alone {
		all = append(all, s.Mounts...)
	}
	var volumes []corev1.Volume
	var mounts []corev1.VolumeMount
	for _, m := range append(all, p.Mounts...) {
		if m.of(o) == "" {
			continue
		}
		volumes = append(volumes, m.volume(o))
		mounts = append(mounts, corev1.VolumeMount{Name: m.Name, MountPath: Folder + "/" + m.Name, ReadOnly: true})
	}
	for _, writable := range []struct{ name, path string }{{"home", s.Home}, {"tmp", scratch}} {
		volumes = append(volumes, corev1.Volume{Name: writable.name,
			VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
		mounts = append(mounts, corev1.VolumeMount{Name: writable.name, MountPath: writable.path})
	}
	for _, c := range p.Claims {
		volumes = append(volumes, corev1.Volume{Name: c.Name, VolumeSource: c.source(s.Labels(o, p.Component))})
		mounts = append(mounts, corev1.VolumeMount{Name: c.Name, MountPath: c.Path})
	}
	if p.Alone {
		return volumes, mounts
	}
	return extra(o, volumes, mounts)
}

// source of a volume. One of the pod's own has the pod's labels.
func (c Claim) source(labels map[string]string) corev1.VolumeSource {
	if c.Own == nil {
		return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c.Claim}}
	}
	return corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
		VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
			ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: *c.Own}}}
}

// peers are the configuration and what the service knows others by. A peer without TLS has no ca.crt in its Secret, and
// then nobody looks for it.
func (s Service[T]) peers(o T, p Pod[T]) []Mount[T] {
	config := p.Config
	if config == "" {
		config = configName(o)
	}
	named := func(name string) func(T) string { return func(T) string { return name } }
	mounts := []Mount[T]{{Name: "config", Secret: named(config)}}
	database, bus := s.authoritySecrets(o)
	if s.Database != nil {
		mounts = append(mounts,
			Mount[T]{Name: "database", Secret: named(database), Keys: []string{keyCA}, Optional: true})
	}
	if p.Alone {
		return mounts
	}
	mounts = append(mounts, Mount[T]{Name: "memcached", Secret: s.cacheTLS, Keys: clientKeys(), Optional: true})
	if s.Identity != nil {
		mounts = append(mounts,
			Mount[T]{Name: "keystone", Secret: s.authoritySecret, Keys: []string{keyCA}, Optional: true})
	}
	if s.rabbitMQ(o) != "" {
		mounts = append(mounts, Mount[T]{Name: "bus", Secret: named(bus), Keys: []string{keyCA}, Optional: true})
	}
	return mounts
}

// of names what is mounted.
func (m Mount[T]) of(o T) string {
	if m.ConfigMap != nil {
		return m.ConfigMap(o)
	}
	return m.Secret(o)
}

func (m Mount[T]) volume(o T) corev1.Volume {
	var optional *bool
	if m.Optional {
		optional = new(true)
	}
	var items []corev1.KeyToPath
	for _, k := range m.Keys {
		items = append(items, corev1.KeyToPath{Key: k, Path: k})
	}
	volume := corev1.Volume{Name: m.Name}
	if m.ConfigMap != nil {
		volume.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: m.of(o)},
			Items: items, Optional: optional}
	} else {
		volume.Secret = &corev1.SecretVolumeSource{SecretName: m.of(o), DefaultMode: new(int32(0o440)),
			Items: items, Optional: optional}
	}
	return volume
}

// extra adds spec.extraVolumes.
func extra(o Object, volumes []corev1.Volume, mounts []corev1.VolumeMount) ([]corev1.Volume, []corev1.VolumeMount) {
	for _, e := range o.Common().ExtraVolumes {
		v := corev1.Volume{Name: "extra-" + e.Name}
		switch {
		case e.ConfigMap != "":
			v.ConfigMap = &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: e.ConfigMap}}
		case e.Secret != "":
			v.Secret = &corev1.SecretVolumeSource{SecretName: e.Secret, DefaultMode: new(int32(0o440))}
		default:
			v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: e.PersistentVolumeClaim}
		}
		volumes = append(volumes, v)
		mounts = append(mounts, corev1.VolumeMount{Name: v.Name, MountPath: e.MountPath})
	}
	return volumes, mounts
}
