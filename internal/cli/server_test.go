//go:build apiserver

package cli

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/operator"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// onServer is a world on a real API server. It has no controllers, so nothing runs.
func onServer(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, state: t.TempDir(), kubeconfig: t.TempDir() + "/config"}
	home(t, w.state)
	must(t, clientcmd.WriteToFile(clientcmdapi.Config{
		CurrentContext: "test",
		Contexts:       map[string]*clientcmdapi.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		Clusters: map[string]*clientcmdapi.Cluster{"test": {Server: live.Host,
			CertificateAuthorityData: live.CAData, CertificateAuthority: live.CAFile}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{"test": {ClientCertificateData: live.CertData,
			ClientKeyData: live.KeyData, ClientCertificate: live.CertFile, ClientKey: live.KeyFile, Token: live.BearerToken}},
	}, w.kubeconfig))
	var err error
	w.client, err = client.New(live, client.Options{Scheme: operator.Scheme()})
	must(t, err)
	return w
}

// live plays the controllers of the cluster until the test ends: Deployments roll out, control planes become ready,
// and go when they are deleted.
func (w *world) live() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(100 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			w.rollOut(ctx)
			w.becomeReady(ctx)
		}
	}()
	w.t.Cleanup(func() { cancel(); <-done })
}

func (w *world) rollOut(ctx context.Context) {
	var list appsv1.DeploymentList
	if w.client.List(ctx, &list) != nil {
		return
	}
	for i := range list.Items {
		d := &list.Items[i]
		patch := fmt.Sprintf(`{"status":{"observedGeneration":%d,"replicas":1,"readyReplicas":1,"updatedReplicas":1,`+
			`"availableReplicas":1,"conditions":[{"type":"Available","status":"True"},`+
			`{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"}]}}`, d.Generation)
		_ = w.client.Status().Patch(ctx, d, client.RawPatch(types.MergePatchType, []byte(patch)))
	}
}

func (w *world) becomeReady(ctx context.Context) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion("controlplane.stackwright.dev/v1alpha1")
	list.SetKind("OpenStackControlPlaneList")
	if w.client.List(ctx, list) != nil {
		return // the kind is not there yet
	}
	for i := range list.Items {
		clouds := &corev1.Secret{Data: map[string][]byte{cloudsFile: []byte("clouds: {default: {}}"), caFile: []byte("ca")}}
		clouds.Namespace, clouds.Name = list.Items[i].GetNamespace(), "clouds"
		if client.IgnoreAlreadyExists(w.client.Create(ctx, clouds)) != nil {
			return
		}
		patch := fmt.Sprintf(`{"status":{"observedGeneration":%d,"deployedRelease":"epoxy","release":"epoxy",`+
			`"clouds":"clouds","conditions":[`+
			`{"type":"Ready","status":"True","reason":"Ready","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`,
			list.Items[i].GetGeneration())
		_ = w.client.Status().Patch(ctx, &list.Items[i], client.RawPatch(types.MergePatchType, []byte(patch)))
	}
}

// up and down in a cluster that somebody has, from the first check to the last file.
func TestServerUpAndDown(t *testing.T) {
	w := onServer(t)
	w.run("preflight").want(t, exitNo, "0 of 0 ready", "bring a node up", "there is no storage class")
	w.run("up").want(t, exitFailed, "nodes: 0 of 0 ready")
	w.node("one", "8Gi")
	w.class("fast", true)
	w.run("preflight").want(t, exitDone, "default class is fast", "you may install operators")
	if list := answers[[]check](t, w, exitDone, "preflight"); len(list) < 4 {
		t.Errorf("preflight tells programs of %d checks", len(list))
	}
	w.run("status").want(t, exitFailed, "does not know control planes; install the operators with `stackwright up`")
	w.run("up").want(t, exitFailed, "the cluster has no OpenStackRelease epoxy; give --registry")
	w.load("testdata/release.yaml")
	w.run("up", "--timeout", "2s").want(t, exitTimeout, "not done after 2s", "run up again to go on")
	w.live()
	w.run("up", "--timeout", "1m").want(t, exitDone, "OpenStack is ready: openstack/openstack", "operators", "clouds.yaml")
	d := &appsv1.Deployment{}
	must(t, w.client.Get(t.Context(), client.ObjectKey{Namespace: operatorNamespace, Name: operatorRelease}, d))
	if image := d.Spec.Template.Spec.Containers[0].Image; image != "images.test/operator:1" {
		t.Errorf("the operator runs %s, want the image of the release", image)
	}
	// The last up is remembered, so no flag is needed; and a second one changes nothing.
	run(t, "", "status").want(t, exitDone, "openstack/openstack", "ready since")
	w.run("up", "--timeout", "1m").want(t, exitDone, "unchanged")
	run(t, "", "down").want(t, exitUsage, "control plane openstack is live; to delete it give --confirm openstack")
	w.run("down", "--confirm", "openstack").want(t, exitDone)
	if err := w.client.Get(t.Context(), client.ObjectKeyFromObject(d), d); !apierrors.IsNotFound(err) {
		t.Errorf("the operator is still there: %v", err)
	}
	if left, _ := os.ReadDir(w.state); len(left) > 0 {
		t.Errorf("down left %v in the state folder", left)
	}
	run(t, "", "status").want(t, exitUnreachable, "no cluster is configured; start one with `stackwright up`")
}
