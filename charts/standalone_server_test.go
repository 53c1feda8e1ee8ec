//go:build apiserver

package charts_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/standalone"
)

// Whatever is chosen, the API server takes all objects of mode standalone: they have no field that it does not know.
func TestServerTakesWhatStandaloneRenders(t *testing.T) {
	c, ns := served(t)
	for _, chart := range trials() {
		chart.choices["rotation"] = rotation
		sets := [][]string{nil, slices.Sorted(maps.Keys(chart.choices))}
		for name := range chart.choices {
			sets = append(sets, []string{name})
		}
		for _, set := range sets {
			docs, err := rendered(t, chart.chart, chart.chosen(t, set...))
			must(t, err)
			for _, o := range docs {
				u := &unstructured.Unstructured{Object: o}
				u.SetNamespace(ns)
				if err := c.Create(t.Context(), u, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
					t.Errorf("%s, %q: %s %s: %v", chart.chart, set, u.GetKind(), u.GetName(), err)
				}
			}
		}
	}
}

const rotation = "standalone: {schedule: 0 * * * *}"

// A release by Helm, without what Jobs do, as nobody runs them here.
func TestServerHelmInstallsStandalone(t *testing.T) {
	c, ns := served(t)
	cfg := helm(t, ns)
	add := action.NewInstall(cfg)
	add.ReleaseName, add.Namespace, add.WaitStrategy, add.DisableHooks = "identity", ns, kube.HookOnlyStrategy, true
	_, err := add.RunWithContext(t.Context(), load(t, "keystone"), keystone().chosen(t))
	must(t, err)
	d := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: ns, Name: "identity-api"}
	must(t, c.Get(t.Context(), key, d))
	before := d.Annotations["service.stackwright.dev/config"]

	change := action.NewUpgrade(cfg)
	change.Namespace, change.ResetValues, change.WaitStrategy, change.DisableHooks = ns, true, kube.HookOnlyStrategy, true
	values := keystone().chosen(t, "options", "replicas")
	_, err = change.RunWithContext(t.Context(), "identity", load(t, "keystone"), values)
	must(t, err)
	must(t, c.Get(t.Context(), key, d))
	if after := d.Annotations["service.stackwright.dev/config"]; after == before || *d.Spec.Replicas != 0 {
		t.Errorf("after the upgrade there are %d replicas with configuration %s, before it was %s", *d.Spec.Replicas, after,
			before)
	}
	remove := action.NewUninstall(cfg)
	remove.WaitStrategy, remove.DisableHooks = kube.HookOnlyStrategy, true
	_, err = remove.Run("identity")
	must(t, err)
	if err := c.Get(t.Context(), key, d); !apierrors.IsNotFound(err) {
		t.Errorf("looking for the Deployment of an uninstalled release: %v, want that it is not there", err)
	}
}

// standing is what a chart has rendered into a namespace, as far as the program that makes Secrets needs it.
type standing struct {
	object     []byte
	deployment *unstructured.Unstructured
	revision   string
	// registers tells that the service is registered in Keystone, which a part of another is not.
	registers bool
}

// stand makes the roles of a chart, and what somebody makes before.
func stand(t *testing.T, c client.Client, ns string, chart trial) standing {
	t.Helper()
	changes := []string{chart.choices["authority"], rotation}
	if more, ok := chart.choices["more options"]; ok {
		changes = append(changes, more)
	}
	values := chart.with(t, changes...)
	docs, err := rendered(t, chart.chart, values)
	must(t, err)
	var s standing
	for _, o := range docs {
		u := &unstructured.Unstructured{Object: o}
		u.SetNamespace(ns)
		switch {
		case u.GetKind() == "RoleBinding":
			subject, _ := u.Object["subjects"].([]any)[0].(map[string]any)
			subject["namespace"] = ns
			must(t, c.Create(t.Context(), u))
		case u.GetKind() == "Role":
			must(t, c.Create(t.Context(), u))
			s.registers = s.registers || u.GetName() == "identity-register"
		case u.GetName() == "identity-secrets" && u.GetKind() == "ConfigMap":
			text := fmt.Sprint(at(o, "data", "object.json"))
			s.object = []byte(strings.ReplaceAll(text, `"namespace":"cloud"`, `"namespace":"`+ns+`"`))
		case u.GetKind() == "Deployment" && u.GetName() == "identity-api":
			s.deployment, s.revision = u, u.GetAnnotations()["service.stackwright.dev/config"]
		}
	}
	must(t, copyWorld(t, c, ns))
	return s
}

// account is a client with the rights of an account.
func account(t *testing.T, ns, name string) client.Client {
	t.Helper()
	as := rest.CopyConfig(live)
	as.Impersonate.UserName = "system:serviceaccount:" + ns + ":" + name
	c, err := client.New(as, client.Options{Scheme: operator.Scheme()})
	must(t, err)
	return c
}

// The Jobs work with the rights of their accounts: they are enough, and let them touch nothing else.
func TestServerRightsOfStandalone(t *testing.T) {
	for _, chart := range trials() {
		t.Run(chart.chart, func(t *testing.T) {
			c, ns := served(t)
			s := stand(t, c, ns, chart)
			other := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "other"}}
			must(t, c.Create(t.Context(), other))
			job := account(t, ns, "identity-secrets")
			must(t, standalone.Keep(t.Context(), job, s.object, standalone.Options{Revision: s.revision, Out: io.Discard}))
			for what, err := range beyond(t, job, other) {
				if !apierrors.IsForbidden(err) {
					t.Errorf("the Job may %s: %v", what, err)
				}
			}
			if asks := strings.Contains(string(s.object), `"identity":`); s.registers != (asks && chart.kind != "NovaCell") {
				t.Errorf("the chart registers the service: %t", s.registers)
			}
			if s.registers {
				registers(t, ns, s.object, other)
			}
		})
	}
}

// beyond tries what the program that makes Secrets may not do.
func beyond(t *testing.T, job client.Client, other *corev1.Secret) map[string]error {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: other.Namespace, Name: "identity-db"}
	return map[string]error{
		"read another Secret":   job.Get(t.Context(), client.ObjectKeyFromObject(other), &corev1.Secret{}),
		"list Secrets":          job.List(t.Context(), &corev1.SecretList{}, client.InNamespace(other.Namespace)),
		"change another Secret": job.Update(t.Context(), other),
		"change the account":    job.Update(t.Context(), &corev1.Secret{ObjectMeta: meta}),
		"delete a Secret":       job.Delete(t.Context(), other),
		"make a ConfigMap":      job.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: meta}),
	}
}

// registers finds with the rights of its account what is to be in Keystone.
func registers(t *testing.T, ns string, object []byte, other *corev1.Secret) {
	t.Helper()
	job := account(t, ns, "identity-register")
	r, err := standalone.Register(t.Context(), job, object)
	must(t, err)
	if len(r.Objects) < 6 || len(r.Secrets) < 2 {
		t.Errorf("it registers %d objects, with %d Secrets", len(r.Objects), len(r.Secrets))
	}
	made := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "x"}}
	for what, err := range map[string]error{
		"read another Secret": job.Get(t.Context(), client.ObjectKeyFromObject(other), &corev1.Secret{}),
		"change a Secret":     job.Update(t.Context(), r.Secrets[0]),
		"make a Secret":       job.Create(t.Context(), made),
	} {
		if !apierrors.IsForbidden(err) {
			t.Errorf("the Job that registers may %s: %v", what, err)
		}
	}
}

// The account that stays may renew what is there and make new pods, and cannot make Secrets.
func TestServerRightsOfRotation(t *testing.T) {
	for _, chart := range trials() {
		t.Run(chart.chart, func(t *testing.T) {
			c, ns := served(t)
			s := stand(t, c, ns, chart)
			options := standalone.Options{Revision: s.revision, Out: io.Discard}
			must(t, standalone.Keep(t.Context(), account(t, ns, "identity-secrets"), s.object, options))
			must(t, c.Create(t.Context(), s.deployment))
			rotate := account(t, ns, "identity-rotate")
			options.Roll = true
			must(t, standalone.Keep(t.Context(), rotate, s.object, options))
			must(t, c.Get(t.Context(), client.ObjectKeyFromObject(s.deployment), s.deployment))
			const certificate = "service.stackwright.dev/certificate"
			if at(s.deployment.Object, "spec", "template", "metadata", "annotations", certificate) == nil {
				t.Error("the pods are not those of the certificate")
			}
			other := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "other"}}
			if err := rotate.Create(t.Context(), other); !apierrors.IsForbidden(err) {
				t.Errorf("it may make Secrets: %v", err)
			}
		})
	}
}

// copyWorld makes in a namespace what somebody makes before.
func copyWorld(t *testing.T, c client.Client, ns string) error {
	t.Helper()
	from := world(t)
	var secrets corev1.SecretList
	var maps corev1.ConfigMapList
	err := errors.Join(from.List(t.Context(), &secrets), from.List(t.Context(), &maps))
	for i := range secrets.Items {
		s := &secrets.Items[i]
		s.Namespace, s.ResourceVersion = ns, ""
		err = errors.Join(err, c.Create(t.Context(), s))
	}
	for i := range maps.Items {
		m := &maps.Items[i]
		m.Namespace, m.ResourceVersion = ns, ""
		err = errors.Join(err, c.Create(t.Context(), m))
	}
	return err
}
