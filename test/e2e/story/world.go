// Package story is what end-to-end tests are written with: a real cluster with our operators in it, a client, and ways
// to wait for what a user would see.
package story

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgo "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"stackwright.dev/kit/gate"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// World is one test's view of the cluster.
type World struct {
	testing.TB
	client.Client
	Cluster Cluster
	// Namespace is the test's own; it goes when the test ends.
	Namespace string
	// Slack is how many times as long as they say waits may take while somebody is in the way; 0 is once.
	Slack int

	kept sync.Once
	// changed are the control planes that go back to what they were when the test ends.
	changed map[client.ObjectKey]bool
}

// Slow marks a story of several minutes; go test -short leaves it out.
func Slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		leave(t, "takes minutes; run it without -short")
	}
}

// unhurried is how long after its beginning CI still plays stories of the second rank: on a machine that takes as long
// to get to them, it would not end within the 75 minutes that it may take.
const unhurried = 45 * time.Minute

// InCI marks a story of a minute about what shorter ones play in part: CI plays it when it has the time, a make test
// while working does not.
func InCI(t *testing.T) {
	t.Helper()
	if !testing.Short() {
		return
	}
	if os.Getenv("CI") == "" {
		leave(t, "CI plays it; run it without -short, or with CI=true")
	}
	began, err := strconv.ParseInt(os.Getenv("CI_BEGAN"), 10, 64)
	if took := time.Since(time.Unix(began, 0)); err == nil && took > unhurried {
		leave(t, fmt.Sprintf("this machine is slow, CI has taken %s so far; run it without -short", took.Round(time.Second)))
	}
}

func leave(t *testing.T, why string) {
	t.Helper()
	t.Skip(why) //nolint:forbidigo // whoever runs the short ones has asked for it
}

// Start gives a test the shared cluster and a namespace of its own. When the test fails, logs, events and objects are
// kept.
func Start(t *testing.T) *World {
	t.Helper()
	if err := prepare(); err != nil {
		t.Fatal(err)
	}
	return Join(t, Shared())
}

// Join is Start on a cluster that runs.
func Join(t *testing.T, c Cluster) *World {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		t.Fatalf("reading the cluster's kubeconfig: %v", err)
	}
	log.SetLogger(logr.Discard())
	config.QPS = -1 // waiting asks often
	scheme, err := newScheme()
	if err != nil {
		t.Fatal(err)
	}
	api, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatalf("making a client of the cluster: %v", err)
	}
	w := &World{TB: t, Client: client.WithFieldOwner(api, "e2e"), Cluster: c, Namespace: namespace(t.Name()),
		changed: map[client.ObjectKey]bool{}}
	w.makeNamespace()
	// Cleanups run last first: what is kept must be taken before the namespace goes.
	w.Cleanup(w.keep)
	return w
}

// keep takes what is needed to understand a failure, once, before anything is put back.
func (w *World) keep() {
	if w.Failed() {
		w.kept.Do(func() { w.Logf("kept logs, events and objects in %s", w.Cluster.Keep(w.Namespace)) })
	}
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgo.AddToScheme, controlplanev1.AddToScheme, infrav1.AddToScheme, servicev1.AddToScheme,
		openstackv1.AddToScheme, fleetv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("making a scheme: %w", err)
		}
	}
	return scheme, nil
}

// namespace turns the name of a test into one of Kubernetes.
func namespace(test string) string {
	words := regexp.MustCompile(`[A-Z]+[a-z0-9]*|[a-z0-9]+`).FindAllString(strings.TrimPrefix(test, "Test"), -1)
	return strings.ToLower(strings.Join(words, "-"))
}

func (w *World) makeNamespace() {
	w.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace,
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	// One of a play before may still be on its way out.
	w.Eventually(UpToReady, "the namespace is there", func(ctx context.Context) error {
		if err := client.IgnoreAlreadyExists(w.Create(ctx, ns.DeepCopy())); err != nil {
			return err
		}
		have := &corev1.Namespace{}
		err := w.Get(ctx, w.Key(ns), have)
		if err == nil && have.DeletionTimestamp != nil {
			err = fmt.Errorf("namespace %s of a play before is being deleted", ns.Name)
		}
		return err
	})
	w.Cleanup(func() { w.removeNamespace(context.Background()) })
}

func (w *World) removeNamespace(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	if err := client.IgnoreNotFound(w.Delete(ctx, ns)); err != nil {
		w.Errorf("removing namespace %s: %v", w.Namespace, err)
	}
}

// Leave is for what takes away things by which objects of the story are deleted. A story that failed has not deleted
// them itself: they go first, or nobody could delete them any more.
func (w *World) Leave() {
	w.keep()
	if !w.Failed() {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 3*time.Minute)
	defer stop()
	w.removeNamespace(ctx)
	for ctx.Err() == nil {
		if err := w.Get(ctx, client.ObjectKey{Name: w.Namespace}, &corev1.Namespace{}); apierrors.IsNotFound(err) {
			return
		}
		<-time.After(time.Second)
	}
	w.Logf("namespace %s is still there", w.Namespace)
}

// Apply creates obj or changes the fields that it sets.
func (w *World) Apply(obj client.Object) {
	w.Helper()
	w.applyIn(w.Context(), obj)
}

func (w *World) applyIn(ctx context.Context, obj client.Object) {
	w.Helper()
	gvk, err := w.GroupVersionKindFor(obj)
	if err != nil {
		w.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	obj.SetManagedFields(nil)
	obj.SetResourceVersion("")
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		w.Fatal(err)
	}
	delete(content, "status")
	apply := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: content})
	if err := w.Client.Apply(ctx, apply, client.ForceOwnership); err != nil {
		w.Fatalf("applying %s %s: %v", gvk.Kind, obj.GetName(), err)
	}
}

// Key is the name of obj.
func (w *World) Key(obj client.Object) client.ObjectKey { return client.ObjectKeyFromObject(obj) }

// Replace kills a pod of a StatefulSet and waits until the one after it is ready.
func (w *World) Replace(within time.Duration, namespace, name string) {
	w.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := w.Get(w.Context(), w.Key(pod), pod); err != nil {
		w.Fatalf("reading pod %s: %v", name, err)
	}
	old, ready := pod.UID, gate.For(pod)
	if err := w.Delete(w.Context(), pod, client.GracePeriodSeconds(0), client.Preconditions{UID: &old}); err != nil {
		w.Fatalf("killing pod %s: %v", name, err)
	}
	w.Eventually(within, name+" is back", func(ctx context.Context) error {
		if err := w.Get(ctx, w.Key(pod), pod); err != nil {
			return err
		}
		if pod.UID == old {
			return errors.New("it is the one that was killed")
		}
		if ok, why := ready(pod); !ok {
			return errors.New(why)
		}
		return nil
	})
}
