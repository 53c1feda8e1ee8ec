package reconcile_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/step"
)

var selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}

func meta(kind string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: "one-" + strings.ToLower(kind), Labels: map[string]string{"ours": "yes"}}
}

// drifts has, per kind, an object and a foreign edit of a field that we own.
var drifts = map[string]struct {
	object func() client.Object
	edit   func(client.Object)
}{
	"ConfigMap": {func() client.Object {
		return &corev1.ConfigMap{ObjectMeta: meta("ConfigMap"), Data: map[string]string{"a": "b"}}
	},
		func(o client.Object) { o.(*corev1.ConfigMap).Data["a"] = "c" }},
	"Secret": {func() client.Object {
		return &corev1.Secret{ObjectMeta: meta("Secret"), Data: map[string][]byte{"a": []byte("b")}}
	},
		func(o client.Object) { o.(*corev1.Secret).Data["a"] = []byte("c") }},
	"ServiceAccount": {func() client.Object {
		return &corev1.ServiceAccount{ObjectMeta: meta("ServiceAccount"), AutomountServiceAccountToken: new(false)}
	},
		func(o client.Object) { o.(*corev1.ServiceAccount).AutomountServiceAccountToken = new(true) }},
	"Service": {func() client.Object {
		return &corev1.Service{ObjectMeta: meta("Service"), Spec: corev1.ServiceSpec{Selector: selector.MatchLabels,
			Ports: []corev1.ServicePort{{Name: "http", Port: 80, Protocol: "TCP"}}}}
	}, func(o client.Object) { o.(*corev1.Service).Spec.Ports[0].Name = "evil" }},
	"PersistentVolumeClaim": {func() client.Object {
		return &corev1.PersistentVolumeClaim{ObjectMeta: meta("PersistentVolumeClaim"),
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"},
				Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
					"storage": resource.MustParse("1Gi")}}}}
	}, func(o client.Object) { o.SetLabels(nil) }},
	"Deployment": {func() client.Object {
		return &appsv1.Deployment{ObjectMeta: meta("Deployment"),
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(0)), Selector: selector, Template: pod()}}
	}, func(o client.Object) { o.(*appsv1.Deployment).Spec.Template.Spec.Containers[0].Image = "evil" }},
	"DaemonSet": {func() client.Object {
		return &appsv1.DaemonSet{ObjectMeta: meta("DaemonSet"),
			Spec: appsv1.DaemonSetSpec{Selector: selector, Template: pod()}}
	}, func(o client.Object) { o.(*appsv1.DaemonSet).Spec.Template.Spec.Containers[0].Image = "evil" }},
	"StatefulSet": {func() client.Object {
		return &appsv1.StatefulSet{ObjectMeta: meta("StatefulSet"),
			Spec: appsv1.StatefulSetSpec{Replicas: new(int32(0)), ServiceName: "x", Selector: selector, Template: pod(),
				VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"},
					Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"},
						Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
							"storage": resource.MustParse("1Gi")}}}}}}}
	}, func(o client.Object) { o.(*appsv1.StatefulSet).Spec.Template.Spec.Containers[0].Image = "evil" }},
	"CronJob": {func() client.Object {
		t := pod()
		t.Spec.RestartPolicy = "Never"
		return &batchv1.CronJob{ObjectMeta: meta("CronJob"), Spec: batchv1.CronJobSpec{Schedule: "0 0 * * *",
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: t}}}}
	}, func(o client.Object) { o.(*batchv1.CronJob).Spec.Schedule = "1 0 * * *" }},
	"PodDisruptionBudget": {func() client.Object {
		return &policyv1.PodDisruptionBudget{ObjectMeta: meta("PodDisruptionBudget"),
			Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector, MaxUnavailable: new(intstr.FromInt32(1))}}
	}, func(o client.Object) {
		o.(*policyv1.PodDisruptionBudget).Spec.MaxUnavailable = new(intstr.FromInt32(2))
	}},
	"NetworkPolicy": {func() client.Object {
		return &networkingv1.NetworkPolicy{ObjectMeta: meta("NetworkPolicy"),
			Spec: networkingv1.NetworkPolicySpec{PodSelector: *selector, PolicyTypes: []networkingv1.PolicyType{"Ingress"}}}
	}, func(o client.Object) { o.(*networkingv1.NetworkPolicy).Spec.PodSelector.MatchLabels["app"] = "y" }},
	"Ingress": {func() client.Object {
		return &networkingv1.Ingress{ObjectMeta: meta("Ingress"),
			Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
				Service: &networkingv1.IngressServiceBackend{Name: "x", Port: networkingv1.ServiceBackendPort{Number: 80}}}}}
	}, func(o client.Object) { o.(*networkingv1.Ingress).Spec.DefaultBackend.Service.Name = "y" }},
	"HorizontalPodAutoscaler": {func() client.Object {
		return &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta("HorizontalPodAutoscaler"),
			Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
				MaxReplicas: 3, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "x",
					APIVersion: "apps/v1"}}}
	}, func(o client.Object) { o.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MaxReplicas = 9 }},
	"Role": {func() client.Object {
		return &rbacv1.Role{ObjectMeta: meta("Role"),
			Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}
	}, func(o client.Object) { o.(*rbacv1.Role).Rules[0].Verbs = []string{"delete"} }},
	"RoleBinding": {func() client.Object {
		return &rbacv1.RoleBinding{ObjectMeta: meta("RoleBinding"),
			RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "one-role"},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "x", Namespace: "default"}}}
	}, func(o client.Object) { o.(*rbacv1.RoleBinding).Subjects[0].Name = "evil" }},
	"Job": {func() client.Object {
		t := pod()
		t.Spec.RestartPolicy = "Never"
		return &batchv1.Job{ObjectMeta: meta("Job"), Spec: batchv1.JobSpec{Parallelism: new(int32(1)), Template: t}}
	}, func(o client.Object) { o.(*batchv1.Job).Spec.Parallelism = new(int32(2)) }},
	"CustomResourceDefinition": {func() client.Object {
		return &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "others.test.stackwright.dev"},
			Spec: apiextensionsv1.CustomResourceDefinitionSpec{Group: "test.stackwright.dev", Scope: "Namespaced",
				Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Other", Plural: "others",
					Singular: "other", ListKind: "OtherList"},
				Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
					Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
						Type: "object", Description: "good"}}}}}}
	}, func(o client.Object) {
		o.(*apiextensionsv1.CustomResourceDefinition).Spec.Versions[0].Schema.OpenAPIV3Schema.Description = "evil"
		o.SetLabels(nil)
	}},
	"ValidatingAdmissionPolicy": {func() client.Object {
		return &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: meta("ValidatingAdmissionPolicy"),
			Spec: admissionv1.ValidatingAdmissionPolicySpec{FailurePolicy: new(admissionv1.Fail),
				MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionv1.RuleWithOperations{Operations: []admissionv1.OperationType{"CREATE"},
						Rule: admissionv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"},
							Resources: []string{"deployments"}}}}}},
				Validations: []admissionv1.Validation{{Expression: "object.spec.replicas <= 5"}}}}
	}, func(o client.Object) {
		o.(*admissionv1.ValidatingAdmissionPolicy).Spec.FailurePolicy = new(admissionv1.Ignore)
	}},
	"Thing": {func() client.Object {
		return &thing{ObjectMeta: meta("Thing"), Spec: thingSpec{Size: 3, Hosts: []string{"a", "b"}}}
	}, func(o client.Object) { o.(*thing).Spec.Hosts[1] = "evil" }},
}

// additions has, for some kinds, a foreign edit of a field of spec or data that we do not own.
var additions = map[string]func(client.Object){
	"ConfigMap": func(o client.Object) { o.(*corev1.ConfigMap).Data["more"] = "1" },
	"Secret":    func(o client.Object) { o.(*corev1.Secret).Data["more"] = []byte("1") },
	"Service":   func(o client.Object) { o.(*corev1.Service).Spec.SessionAffinity = "ClientIP" },
	"Deployment": func(o client.Object) {
		o.(*appsv1.Deployment).Spec.Template.Annotations = map[string]string{"more": "1"}
	},
	"DaemonSet": func(o client.Object) { o.(*appsv1.DaemonSet).Spec.Template.Labels["more"] = "1" },
	"StatefulSet": func(o client.Object) {
		o.(*appsv1.StatefulSet).Spec.Template.Annotations = map[string]string{"more": "1"}
	},
	"CronJob": func(o client.Object) { o.(*batchv1.CronJob).Spec.Suspend = new(true) },
	"Ingress": func(o client.Object) { o.(*networkingv1.Ingress).Spec.IngressClassName = new("other") },
	"HorizontalPodAutoscaler": func(o client.Object) {
		o.(*autoscalingv2.HorizontalPodAutoscaler).Spec.MinReplicas = new(int32(2))
	},
	"Thing": func(o client.Object) { o.(*thing).Spec.Color = "red" },
}

// foreign is an edit of everything that somebody may edit and that we do not own.
func foreign(kind string) func(client.Object) {
	return func(o client.Object) {
		addNote(o)
		if add := additions[kind]; add != nil {
			add(o)
		}
	}
}

// TestDrift is criterion 9 for the 19 kinds of KIT.md 5.9 on the in-memory server, which keeps real managed fields.
func TestDrift(t *testing.T) {
	var took []time.Duration
	for kind, tc := range drifts {
		t.Run(kind, func(t *testing.T) {
			render := func(*scope) ([]client.Object, error) { return []client.Object{tc.object()}, nil }
			inWorld(t, define(step.Objects("thing", render, step.Makes[*app](tc.object()),
				step.Ready[*app](kind, gate.Exists))), func(w *world) {
				w.create(newApp("one"))
				w.settled(1)
				path := tc.object().GetName()
				asMade := w.content(tc.object(), path)
				took = append(took, w.drift(path, tc.object(), "foreign edit of an owned field", 1, tc.edit))
				w.wantContent(tc.object(), path, asMade)
				w.drift(path, tc.object(), "foreign edit of other fields", 0, foreign(kind))
				w.do(w.c.Delete(t.Context(), named(tc.object(), path),
					client.PropagationPolicy(metav1.DeletePropagationBackground)))
				w.pass(settle)
				w.wantHealed("deletion", path, 1)
				asMade = w.content(tc.object(), path)
				w.stop()
				change(w, tc.object(), path, tc.edit)
				w.start()
				w.wantHealed("edit of an owned field while the operator was down", path, 1)
				w.wantContent(tc.object(), path, asMade)
				w.stop()
				change(w, tc.object(), path, foreign(kind))
				w.start()
				w.wantHealed("edit of other fields while the operator was down", path, 0)
			})
		})
	}
	if slices.Sort(took); len(took) == 0 {
		t.Fatal("nothing was healed")
	}
	t.Logf("criterion 9: edits of %d kinds were healed by one write after %.1f to %.1f ms", len(took),
		took[0].Seconds()*1000, took[len(took)-1].Seconds()*1000)
}

// content is an object as the API server has it, without what each write changes.
func (w *world) content(o client.Object, name string) map[string]any {
	w.t.Helper()
	w.do(w.c.Get(w.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, o))
	o.SetManagedFields(nil)
	o.SetResourceVersion("")
	o.SetGeneration(0)
	delete(o.GetAnnotations(), appsv1.DeprecatedTemplateGeneration)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	w.do(err)
	return content
}

func (w *world) wantContent(o client.Object, name string, want map[string]any) {
	w.t.Helper()
	if d := cmp.Diff(want, w.content(o, name)); d != "" {
		w.t.Errorf("%s is not as it was (-want +got):\n%s", name, d)
	}
}

func named(o client.Object, name string) client.Object {
	o.SetName(name)
	o.SetNamespace("default")
	return o
}

func addNote(o client.Object) { o.SetAnnotations(merge(o.GetAnnotations(), "foreign", "note")) }

// drift edits an object and returns how long it took until a write healed it: what passed on the clock of the bubble
// and what passed on that of the machine.
func (w *world) drift(name string, o client.Object, what string, applies int,
	edit func(client.Object)) (healed time.Duration) {
	w.t.Helper()
	w.reqs.take()
	begin, wall := time.Now(), clock(unix.CLOCK_MONOTONIC)
	w.reqs.before = func(h *http.Request) {
		if h.Method == http.MethodPatch && strings.HasSuffix(h.URL.Path, "/"+name) {
			healed = time.Since(begin) + clock(unix.CLOCK_MONOTONIC) - wall
		}
	}
	change(w, o, name, edit)
	w.reqs.before = nil
	w.wantHealed(what, name, applies)
	return healed
}

func (w *world) wantHealed(what, name string, applies int) {
	w.t.Helper()
	log := w.reqs.take()
	if got := count(log, "PATCH", "/"+name); got != applies {
		w.t.Errorf("%s: %d applies, want %d: %s", what, got, applies, strings.Join(log, "; "))
	}
	w.wantReady("one")
}

// TestStringDataIsRefused: an edit of a field that is written through another one would never be seen.
func TestStringDataIsRefused(t *testing.T) {
	secret := func(*scope) ([]client.Object, error) {
		return []client.Object{&corev1.Secret{ObjectMeta: meta("Secret"), StringData: map[string]string{"a": "b"}}}, nil
	}
	inWorld(t, define(step.Objects("secret", secret, step.Makes[*app](&corev1.Secret{}))), func(w *world) {
		w.create(newApp("one"))
		if c := w.condition("one", "Ready"); c.Reason != "InvalidSpec" || !strings.Contains(c.Message, "into data") {
			t.Errorf("the condition says %s: %s", c.Reason, c.Message)
		}
		err := w.c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "one-secret"}, &corev1.Secret{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("the Secret was made: %v", err)
		}
	})
}
