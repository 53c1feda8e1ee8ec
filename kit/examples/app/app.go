// Package app is an example operator: a Deployment with a Service, a Secret it refers to, a migration Job and an
// account at an HTTP service. It has no client, no requeue and no status code; docs/how-to/write-an-operator.md walks
// through it.
package app

import (
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	api "stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/external"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
)

type scope = step.Scope[*api.App]

// Definition is the operator. Requests to the directory service go through rt.
func Definition(rt http.RoundTripper) kit.Definition[*api.App] {
	return kit.Definition[*api.App]{
		Name: "app",
		New:  func() *api.App { return &api.App{} },
		Refs: []ref.Ref[*api.App]{
			ref.Local("password", &corev1.Secret{}, passwordSecret, ref.Fields[*api.App]("password")),
		},
		Steps: []step.Step[*api.App]{
			step.Objects("config", config, step.Makes[*api.App](&corev1.ConfigMap{}, &corev1.ServiceAccount{})),
			step.Job("migrate", migrate, step.After[*api.App]("config"), step.Reads[*api.App]("password"),
				step.Condition[*api.App]("MigrationReady")),
			step.External("account", account(rt), step.Condition[*api.App]("AccountReady")),
			step.Objects("deployment", deployment, step.After[*api.App]("migrate", "account"),
				step.Reads[*api.App]("password"), step.Makes[*api.App](&appsv1.Deployment{}),
				step.Condition[*api.App]("DeploymentReady")),
			step.Objects("service", service, step.Makes[*api.App](&corev1.Service{}),
				step.After[*api.App]("deployment"), step.When(func(a *api.App) bool { return a.Spec.Public })),
		},
	}
}

func account(rt http.RoundTripper) step.Externals[*api.App, Account, Account] {
	return step.Externals[*api.App, Account, Account]{
		Dial: func(s *scope) (external.Client[Account, Account], error) {
			return &Directory{URL: s.Owner().Spec.Directory, HTTP: &http.Client{Transport: rt}}, nil
		},
		Want: func(s *scope) (Account, error) { return Account{Name: s.Owner().Namespace + "-" + s.Owner().Name}, nil },
	}
}

func passwordSecret(a *api.App) string { return a.Spec.PasswordSecret }

func labels(a *api.App) map[string]string { return map[string]string{"app": a.Name} }

func meta(a *api.App, suffix string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: a.Name + suffix, Labels: labels(a)}
}

func config(s *scope) ([]client.Object, error) {
	a := s.Owner()
	return []client.Object{
		&corev1.ConfigMap{ObjectMeta: meta(a, "-config"), Data: map[string]string{"directory": a.Spec.Directory}},
		&corev1.ServiceAccount{ObjectMeta: meta(a, "")},
	}, nil
}

func pod(a *api.App, args ...string) corev1.PodSpec {
	return corev1.PodSpec{
		ServiceAccountName:           a.Name,
		AutomountServiceAccountToken: new(false),
		SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: new(true),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
		Containers: []corev1.Container{{
			Name: "app", Image: a.Spec.Image, Args: args,
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
				Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			VolumeMounts: []corev1.VolumeMount{{Name: "password", MountPath: "/etc/app/password", ReadOnly: true}},
		}},
		Volumes: []corev1.Volume{{Name: "password", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: a.Spec.PasswordSecret}}}},
	}
}

func migrate(s *scope) (*batchv1.Job, error) {
	a := s.Owner()
	return &batchv1.Job{ObjectMeta: meta(a, "-migrate"), Spec: batchv1.JobSpec{
		BackoffLimit: new(int32(2)),
		Template:     corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels(a)}, Spec: pod(a, "migrate")},
	}}, nil
}

func deployment(s *scope) ([]client.Object, error) {
	a := s.Owner()
	return []client.Object{&appsv1.Deployment{ObjectMeta: meta(a, ""), Spec: appsv1.DeploymentSpec{
		Replicas: new(a.Spec.Replicas),
		Selector: &metav1.LabelSelector{MatchLabels: labels(a)},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels(a), Annotations: map[string]string{
				"example.kit.stackwright.dev/password": s.Digest("password", "password")}},
			Spec: pod(a, "serve"),
		},
	}}}, nil
}

func service(s *scope) ([]client.Object, error) {
	a := s.Owner()
	return []client.Object{&corev1.Service{ObjectMeta: meta(a, ""), Spec: corev1.ServiceSpec{
		Selector: labels(a), Ports: []corev1.ServicePort{{Name: "http", Port: 80, Protocol: corev1.ProtocolTCP}},
	}}}, nil
}
