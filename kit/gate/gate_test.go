package gate

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/owner"
)

// widget is an object of a kit controller.
type widget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Status owner.Status
}

func (w *widget) KitStatus() *owner.Status       { return &w.Status }
func (w *widget) DeepCopyObject() runtime.Object { c := *w; return &c }

func meta(generation int64) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "os", Name: "x", Generation: generation}
}

func deploymentOf(want, all, updated, available int32, observed int64) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: meta(2), Spec: appsv1.DeploymentSpec{Replicas: new(want)},
		Status: appsv1.DeploymentStatus{ObservedGeneration: observed, Replicas: all, UpdatedReplicas: updated,
			AvailableReplicas: available}}
}

func statefulSetOf(updated int32, strategy appsv1.StatefulSetUpdateStrategy) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: meta(1),
		Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3)), UpdateStrategy: strategy},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 3, AvailableReplicas: 3, UpdatedReplicas: updated,
			CurrentRevision: "a", UpdateRevision: "b"}}
}

func jobOf(t batchv1.JobConditionType) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: meta(1)}
	if t != "" {
		j.Status.Conditions = []batchv1.JobCondition{
			{Type: t, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "too often"}}
	}
	return j
}

func podOf(phase corev1.PodPhase, change func(*corev1.PodStatus)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: meta(1), Status: corev1.PodStatus{Phase: phase}}
	if change != nil {
		change(&p.Status)
	}
	return p
}

func widgetOf(observed int64, conditions ...metav1.Condition) *widget {
	return &widget{ObjectMeta: meta(2), Status: owner.Status{ObservedGeneration: observed, Conditions: conditions}}
}

func foreign(conditions ...any) *unstructured.Unstructured {
	return foreignStatus(map[string]any{"conditions": conditions})
}

func foreignStatus(status map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.org/v1", "kind": "Foo",
		"metadata": map[string]any{"name": "x", "namespace": "os", "generation": int64(2)}, "status": status}}
}

func condition(kind, status string) map[string]any {
	return map[string]any{"type": kind, "status": status, "reason": "Because", "message": "of it"}
}

// An empty want means ready.
type gateCase struct {
	obj  client.Object
	want string
}

func check(t *testing.T, cases map[string]gateCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ready, why := For(c.obj)(c.obj)
			if ready != (c.want == "") || ready != (why == "") {
				t.Fatalf("ready is %t and why %q, want %q", ready, why, c.want)
			}
			if !strings.Contains(why, c.want) {
				t.Errorf("why is %q, want %q in it", why, c.want)
			}
			if why != "" && (!strings.Contains(why, " x ") || !strings.Contains(why, "; ")) {
				t.Errorf("why %q names no object or nothing to do", why)
			}
		})
	}
}

func TestWorkloads(t *testing.T) {
	paused := deploymentOf(3, 3, 0, 3, 2)
	paused.Spec.Paused = true
	refused := deploymentOf(3, 0, 0, 0, 2)
	refused.Status.Conditions = []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "exceeded quota"}}
	onDelete := appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	partition := appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType,
		RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(2))}}
	settled := statefulSetOf(0, appsv1.StatefulSetUpdateStrategy{})
	settled.Status.CurrentRevision = "b"
	daemons := func(updated, available int32) *appsv1.DaemonSet {
		return &appsv1.DaemonSet{ObjectMeta: meta(1), Status: appsv1.DaemonSetStatus{ObservedGeneration: 1,
			DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: updated, NumberAvailable: available}}
	}
	check(t, map[string]gateCase{
		"deployment available":      {deploymentOf(3, 3, 3, 3, 2), ""},
		"deployment scaled to zero": {deploymentOf(0, 0, 0, 0, 2), ""},
		"deployment not observed":   {deploymentOf(3, 3, 3, 3, 1), "current generation"},
		"deployment too few":        {deploymentOf(3, 2, 2, 2, 2), "2 of 3 pods;"},
		"deployment half updated":   {deploymentOf(3, 4, 2, 3, 2), "2 of 3 pods updated"},
		"deployment new pod fails":  {deploymentOf(3, 4, 3, 3, 2), "keeps 1 old pods until all new ones are available"},
		"deployment old pods":       {deploymentOf(3, 4, 3, 4, 2), "1 pods too many"},
		"deployment unavailable":    {deploymentOf(3, 3, 3, 1, 2), "1 of 3 pods available; see kubectl -n os describe"},
		"deployment paused":         {paused, "spec.paused"},
		"deployment refused":        {refused, "exceeded quota"},
		"statefulset half updated":  {statefulSetOf(1, appsv1.StatefulSetUpdateStrategy{}), "1 of 3 pods updated"},
		"statefulset on delete":     {statefulSetOf(0, onDelete), ""},
		"statefulset partition":     {statefulSetOf(1, partition), ""},
		"statefulset partition not": {statefulSetOf(0, partition), "updated"},
		"statefulset settled":       {settled, ""},
		"daemonset available":       {daemons(2, 2), ""},
		"daemonset updating":        {daemons(1, 2), "1 of 2 pods updated"},
		"daemonset unavailable":     {daemons(2, 1), "1 of 2 pods available"},
	})
}

func TestObjects(t *testing.T) {
	balanced := &corev1.Service{ObjectMeta: meta(1)}
	balanced.Spec.Type = corev1.ServiceTypeLoadBalancer
	addressed := balanced.DeepCopy()
	addressed.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	lost := &corev1.PersistentVolumeClaim{ObjectMeta: meta(1)}
	lost.Status.Phase = corev1.ClaimLost
	deleting := &corev1.ConfigMap{ObjectMeta: meta(1)}
	deleting.DeletionTimestamp, deleting.Finalizers = new(metav1.NewTime(time.Unix(1, 0))), []string{"example.org/hold"}
	check(t, map[string]gateCase{
		"job complete":  {jobOf(batchv1.JobComplete), ""},
		"job failed":    {jobOf(batchv1.JobFailed), "failed: BackoffLimitExceeded: too often"},
		"job suspended": {jobOf(batchv1.JobSuspended), "spec.suspend"},
		"job running":   {jobOf(""), "0 of 1 completions"},
		"pod ready": {podOf(corev1.PodRunning, func(s *corev1.PodStatus) {
			s.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}), ""},
		"pod succeeded": {podOf(corev1.PodSucceeded, nil), ""},
		"pod failed":    {podOf(corev1.PodFailed, func(s *corev1.PodStatus) { s.Reason = "Evicted" }), "failed: Evicted"},
		"pod unscheduled": {podOf(corev1.PodPending, func(s *corev1.PodStatus) {
			s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no nodes"}}
		}), "not scheduled: no nodes"},
		"pod pulling": {podOf(corev1.PodPending, func(s *corev1.PodStatus) {
			s.InitContainerStatuses = []corev1.ContainerStatus{{Name: "wait", State: waiting("ImagePullBackOff")}}
			s.ContainerStatuses = []corev1.ContainerStatus{{Name: "api", State: waiting("PodInitializing")}}
		}), "container wait waiting: ImagePullBackOff"},
		"claim unbound":           {&corev1.PersistentVolumeClaim{ObjectMeta: meta(1)}, ""},
		"claim lost":              {lost, "lost its volume"},
		"service":                 {&corev1.Service{ObjectMeta: meta(1)}, ""},
		"load balancer":           {balanced, "no load balancer address"},
		"load balancer addressed": {addressed, ""},
		"cronjob exists":          {&batchv1.CronJob{ObjectMeta: meta(1)}, ""},
		"config map exists":       {&corev1.ConfigMap{ObjectMeta: meta(1)}, ""},
		"being deleted":           {deleting, "held by finalizer example.org/hold"},
		"definition":              {definitionOf(""), "is not served yet"},
		"definition served":       {definitionOf(apiextensionsv1.Established), ""},
		"definition taken":        {definitionOf(apiextensionsv1.NamesAccepted), "names that are taken: foos is in use"},
	})
}

// definitionOf is a definition whose kind is served, or whose names are taken.
func definitionOf(t apiextensionsv1.CustomResourceDefinitionConditionType) *apiextensionsv1.CustomResourceDefinition {
	d := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: meta(1)}
	accepted := apiextensionsv1.CustomResourceDefinitionCondition{Type: apiextensionsv1.NamesAccepted,
		Status: apiextensionsv1.ConditionTrue}
	switch t {
	case apiextensionsv1.NamesAccepted:
		accepted.Status, accepted.Message = apiextensionsv1.ConditionFalse, "foos is in use"
	case apiextensionsv1.Established:
		d.Status.Conditions = append(d.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{Type: t,
			Status: apiextensionsv1.ConditionTrue})
	}
	d.Status.Conditions = append(d.Status.Conditions, accepted)
	return d
}

func waiting(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
}

func TestCustomResources(t *testing.T) {
	ready := metav1.Condition{Type: "Ready", Status: "True", ObservedGeneration: 2}
	stale := metav1.Condition{Type: "Ready", Status: "True", ObservedGeneration: 1}
	blocked := metav1.Condition{Type: "Ready", Status: "False", Reason: "WaitingForSecret",
		Message: "Secret s is missing."}
	check(t, map[string]gateCase{
		"own ready":             {widgetOf(2, ready), ""},
		"own blocked":           {widgetOf(2, blocked), "WaitingForSecret: Secret s is missing; see"},
		"own stale condition":   {widgetOf(2, stale), "current generation"},
		"own not observed":      {widgetOf(1, ready), "current generation"},
		"own without condition": {widgetOf(2), "no Ready condition yet"},
		"foreign ready":         {foreign(condition("Ready", "True")), ""},
		"foreign not ready":     {foreign(condition("Ready", "False")), "it; see kubectl -n os describe foo.example.org/x"},
		"foreign stalled":       {foreign(condition("Stalled", "True")), "Because: of it"},
		"foreign not observed":  {foreignStatus(map[string]any{"observedGeneration": int64(1)}), "current generation"},
		"foreign without":       {foreignStatus(nil), ""},
	})
}

func TestUnstructuredWorkloadsFollowTheTypedRules(t *testing.T) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(deploymentOf(3, 3, 3, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	check(t, map[string]gateCase{"unavailable": {u, "1 of 3 pods available"}})
}

func TestMetadataOnlyRecordOfAWorkloadIsNotReady(t *testing.T) {
	record := &metav1.PartialObjectMetadata{ObjectMeta: meta(1)}
	ready, why := For(&appsv1.Deployment{})(record)
	if ready || !strings.Contains(why, "cache its kind with status") {
		t.Errorf("ready is %t, why %q", ready, why)
	}
}

func TestNeedsStatus(t *testing.T) {
	for name, c := range map[string]struct {
		gvk  schema.GroupVersionKind
		want bool
	}{
		"deployment": {appsv1.SchemeGroupVersion.WithKind("Deployment"), true},
		"pod":        {corev1.SchemeGroupVersion.WithKind("Pod"), true},
		"definition": {apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"), true},
		"secret":     {corev1.SchemeGroupVersion.WithKind("Secret"), false},
		"cronjob":    {batchv1.SchemeGroupVersion.WithKind("CronJob"), false},
		"ingress":    {schema.GroupVersionKind{Group: "networking.k8s.io", Kind: "Ingress"}, false},
		"own":        {schema.GroupVersionKind{Group: "infra.stackwright.dev", Kind: "Galera"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := NeedsStatus(c.gvk); got != c.want {
				t.Errorf("NeedsStatus is %t, want %t", got, c.want)
			}
		})
	}
}
