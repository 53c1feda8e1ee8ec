package why_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/examples/app"
	"stackwright.dev/kit/examples/app/api/v1alpha1"
	"stackwright.dev/kit/external"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/kittest"
	"stackwright.dev/kit/kittest/endpoint"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"
	"stackwright.dev/kit/why"
)

type (
	shop  = *v1alpha1.App
	scope = step.Scope[shop]
)

var kind = v1alpha1.GroupVersion.WithKind("App")

// definition is an operator in which much can go wrong. The annotations needs and late of an App name an App and a
// Secret that it waits for. The step late comes first in the list and last in the graph. answer, if there is one, is
// what the account's API says.
func definition(outside http.RoundTripper, answer error) kit.Definition[shop] {
	note := func(k string) func(shop) string { return func(a shop) string { return a.Annotations[k] } }
	maps := step.Makes[shop](&corev1.ConfigMap{})
	return kit.Definition[shop]{
		Name: "shop", New: func() shop { return &v1alpha1.App{} },
		Refs: []ref.Ref[shop]{
			ref.Local("password", &corev1.Secret{}, func(a shop) string { return a.Spec.PasswordSecret },
				ref.Fields[shop]("password")),
			ref.Local("needs", &v1alpha1.App{}, note("needs"), ref.WaitFor[shop](gate.For(&v1alpha1.App{}))),
			ref.Local("late", &corev1.Secret{}, note("late")),
		},
		Steps: []step.Step[shop]{
			step.Objects("late", configMap("late"), maps, step.Reads[shop]("late"), step.After[shop]("config"),
				step.Condition[shop]("LateReady")),
			step.Objects("config", configMap("config"), maps, step.Condition[shop]("ConfigReady")),
			step.Objects("access", configMap("access"), maps, step.Reads[shop]("password"), step.After[shop]("config"),
				step.Condition[shop]("AccessReady")),
			step.Objects("needs", configMap("needs"), maps, step.Reads[shop]("needs"), step.Condition[shop]("NeedsReady")),
			step.Job("migrate", migrate, step.After[shop]("access", "needs"), step.Condition[shop]("MigrationReady")),
			step.External("account", step.Externals[shop, app.Account, app.Account]{
				Dial: func(s *scope) (external.Client[app.Account, app.Account], error) {
					return &app.Directory{URL: s.Owner().Spec.Directory, HTTP: &http.Client{Transport: outside}}, answer
				},
				Want: func(s *scope) (app.Account, error) { return app.Account{Name: s.Owner().Name}, nil },
			}, step.After[shop]("migrate"), step.Condition[shop]("AccountReady")),
			step.Objects("web", web, step.Makes[shop](&appsv1.Deployment{}), step.After[shop]("account"),
				step.Condition[shop]("WebReady")),
		},
	}
}

func configMap(suffix string) func(*scope) ([]client.Object, error) {
	return func(s *scope) ([]client.Object, error) {
		if s.Owner().Spec.Image == "none" {
			return nil, outcome.Invalidf("spec.image %q is no image; take tags such as a:1; digests such as a@sha256:1 are",
				s.Owner().Spec.Image)
		}
		return []client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: s.Owner().Name + "-" + suffix}}}, nil
	}
}

func template(a shop) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": a.Name}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: a.Spec.Image}}}}
}

func migrate(s *scope) (*batchv1.Job, error) {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: s.Owner().Name + "-migrate"},
		Spec: batchv1.JobSpec{Template: template(s.Owner())}}, nil
}

func web(s *scope) ([]client.Object, error) {
	return []client.Object{&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: s.Owner().Name},
		Spec: appsv1.DeploymentSpec{Template: template(s.Owner()),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": s.Owner().Name}}}}}, nil
}

// The objects that states begin with.
const (
	password = "\n---\n{apiVersion: v1, kind: Secret, metadata: {name: db-password, namespace: shop}, " +
		"data: {password: eA==}}"
	webApp = "\n---\n" + `apiVersion: example.kit.stackwright.dev/v1alpha1
kind: App
metadata: {name: web, namespace: shop, annotations: {}}
spec: {image: 'a:1', replicas: 1, passwordSecret: db-password, directory: 'http://directory.test'}`
)

// another is the App of that name with annotations.
func another(name, notes string) string {
	return strings.NewReplacer("name: web", "name: "+name, "annotations: {}", "annotations: {"+notes+"}").Replace(webApp)
}

// state is one way to be stuck.
type state struct {
	given string
	// children of controllers behave so.
	children map[string]kittest.Behaviour
	// fault of the API server, from the start of the play.
	fault kittest.Fault
	// dead tells that nothing outside of Kubernetes answers.
	dead bool
	// answer is an error of what answers outside of Kubernetes.
	answer error
	// script brings the state about.
	script func(*kittest.Play)
	// first is what the first cause has to say: the object, or how its name begins, the reason, and parts of message and
	// advice. plain is what it says to a person who may not see Secrets, Nodes and StorageClasses, where that differs.
	first, plain []string
}

// refused answers writes of a resource as the API server does.
func refused(resource string, err *apierrors.StatusError) kittest.Fault {
	return func(x *kittest.Exchange, send func() (*http.Response, error)) (*http.Response, error) {
		if !x.Write() || !strings.Contains(x.Path, "/"+resource+"/") {
			return send()
		}
		status := err.Status()
		status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
		raw, failed := json.Marshal(status)
		return &http.Response{StatusCode: int(err.ErrStatus.Code), Header: http.Header{"Content-Type": {"application/json"}},
			Body: io.NopCloser(bytes.NewReader(raw))}, failed
	}
}

func forbidden(why string) *apierrors.StatusError {
	return apierrors.NewForbidden(schema.GroupResource{Resource: "configmaps"}, "web-config", errors.New(why))
}

// down is the status of a Deployment whose pods do not become ready.
func down(_ *kittest.Play, u *unstructured.Unstructured) map[string]any {
	return map[string]any{"observedGeneration": u.GetGeneration(), "replicas": int64(1), "updatedReplicas": int64(1),
		"unavailableReplicas": int64(1), "conditions": []any{map[string]any{"type": "Available", "status": "False",
			"reason": "MinimumReplicasUnavailable", "lastTransitionTime": "2026-01-01T00:00:00Z",
			"lastUpdateTime": "2026-01-01T00:00:00Z"}}}
}

// overQuota is the status of a Deployment whose pods are refused.
func overQuota(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
	out := down(p, u)
	out["replicas"] = int64(0)
	out["conditions"] = append(out["conditions"].([]any), map[string]any{"type": "ReplicaFailure", "status": "True",
		"reason": "FailedCreate", "lastTransitionTime": "2026-01-01T00:00:00Z", "lastUpdateTime": "2026-01-01T00:00:00Z",
		"message": `pods "web-1" is forbidden: exceeded quota: small, requested: pods=1, used: pods=5, limited: pods=5`})
	return out
}

// podWith makes the pod of Deployment web as its controllers would.
func podWith(f func(*corev1.Pod)) func(*kittest.Play) {
	return func(p *kittest.Play) {
		pod := &corev1.Pod{}
		pod.Name, pod.Namespace, pod.Labels = "web-5b-x", "shop", map[string]string{"app": "web"}
		pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "a:1"}}
		pod.Status.Phase = corev1.PodPending
		f(pod)
		create(p, pod)
	}
}

// create creates an object with its status.
func create(p *kittest.Play, o client.Object) {
	p.T.Helper()
	status := o.DeepCopyObject().(client.Object)
	if err := p.Client.Create(p.T.Context(), o); err != nil {
		p.T.Fatal(err)
	}
	switch o.(type) {
	case *corev1.Pod, *corev1.Node, *corev1.PersistentVolumeClaim:
	default:
		return
	}
	status.SetResourceVersion(o.GetResourceVersion())
	if err := p.Client.Status().Update(p.T.Context(), status); err != nil {
		p.T.Fatal(err)
	}
}

func waits(reason, message string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}}
	}
}

func unscheduled(message string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: "Unschedulable", Message: message}}
	}
}

// TestStuck is criterion 32: in each state, which the operator itself has come to, why names the true first blocker in
// less than 200 ms, also to a person without the rights of an administrator.
func TestStuck(t *testing.T) {
	var worst time.Duration
	for name, s := range stuck {
		t.Run(name, func(t *testing.T) {
			world(t, s).Run(t, func(p *kittest.Play) {
				if s.script != nil {
					s.script(p)
					p.Settle()
				}
				if s.plain == nil {
					s.plain = s.first
				}
				worst = max(worst, s.explain(p, p.Client, s.first), s.explain(p, limited{p.Client}, s.plain))
			})
		})
	}
	t.Logf("criterion 32: why names the first blocker of %d states in %.1f ms at most", len(stuck), worst.Seconds()*1000)
}

// explain returns the processor time that why took.
func (s state) explain(p *kittest.Play, r client.Reader, want []string) time.Duration {
	p.T.Helper()
	e := why.Explainer{Reader: r, Kinds: []schema.GroupVersionKind{kind},
		Operator: client.MatchingLabels{"app": "operator"}}
	begin := processor(p.T)
	f, err := e.Explain(p.T.Context(), kind, types.NamespacedName{Namespace: "shop", Name: "web"})
	took := processor(p.T) - begin
	if took > 200*time.Millisecond {
		p.T.Errorf("it took %s", took)
	}
	if err != nil || f == nil {
		p.T.Fatalf("why found %v, and error %v", f, err)
	}
	c := f.First()
	if !strings.HasPrefix(c.Object.String(), want[0]) || c.Reason != want[1] || !strings.Contains(c.Message, want[2]) ||
		!strings.Contains(c.Do, want[3]) {
		raw, err := json.MarshalIndent(f, "", " ")
		p.T.Errorf("the first cause is %s, %s, %q, do %q; want %q\n%s%v", c.Object, c.Reason, c.Message, c.Do, want, raw, err)
	}
	return took
}

// processor returns the time that this process has used: the clock of a bubble is not real.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

func world(t *testing.T, s state) *kittest.World {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	if s.given == "" {
		s.given = webApp + password
	}
	file := filepath.Join(t.TempDir(), "given.yaml")
	if err := os.WriteFile(file, []byte(strings.TrimPrefix(s.given, "\n---\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	sc := kittest.Scenario{
		Scheme: scheme,
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(definition(outside, s.answer), scheme)
			return []kit.Controller{c}, err
		},
		CRDs: []string{"../examples/app/crd"}, Files: []string{file}, Children: s.children,
		Outside: func() http.RoundTripper {
			if s.dead {
				return dead{}
			}
			return endpoint.New()
		},
		Fault: s.fault,
	}
	return kittest.New(t, sc)
}

// dead is a service that does not answer.
type dead struct{}

// RoundTrip fails.
func (dead) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("dial tcp 192.0.2.1:80: connect: connection refused")
}

// limited is what a person of the namespace sees, who may not read Secrets or anything of the cluster.
type limited struct{ client.Reader }

// Get refuses what the person may not see.
func (l limited) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	what := o.GetObjectKind().GroupVersionKind().Kind
	if _, ok := o.(*corev1.Node); ok {
		what = "Node"
	}
	if what == "Node" || what == "Secret" {
		return apierrors.NewForbidden(schema.GroupResource{Resource: strings.ToLower(what) + "s"}, key.Name,
			errors.New(`User "jane" cannot get it`))
	}
	return l.Reader.Get(ctx, key, o, opts...)
}

// List refuses what the person may not see.
func (l limited) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*storagev1.StorageClassList); ok {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "storageclasses"}, "",
			errors.New(`User "jane" cannot list it`))
	}
	return l.Reader.List(ctx, list, opts...)
}
