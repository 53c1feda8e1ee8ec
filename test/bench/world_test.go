//go:build bench

// Package bench measures the resource engine: the real operator, in a process of its own, between a real API server
// and fake clouds that it reaches by HTTP. Each test prints its figures, one `name value unit` a line, and fails when
// one is beyond its target.
package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

const root = "../.."

// figure prints what was measured, and fails the test when it is more than the target.
func figure(t *testing.T, name string, value float64, unit string, target float64) {
	t.Helper()
	fmt.Fprintf(os.Stdout, "%s %.4g %s\n", name, value, unit)
	if target > 0 && value > target {
		t.Errorf("%s is %.4g %s, the target is %.4g", name, value, unit, target)
	}
}

// world is an API server with the kinds of OpenStack resources.
type world struct {
	client.Client
	t          *testing.T
	kubeconfig string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	log.SetLogger(logr.Discard())
	cfg, stop, err := kittest.DevCluster()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, openstackv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(s); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(cfg, client.Options{Scheme: s})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{Client: c, t: t, kubeconfig: kubeconfig(t, cfg)}
	w.define()
	return w
}

// kubeconfig is a file for the operator.
func kubeconfig(t *testing.T, cfg *rest.Config) string {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.CurrentContext = "bench"
	c.Contexts["bench"] = &clientcmdapi.Context{Cluster: "bench", AuthInfo: "bench"}
	c.Clusters["bench"] = &clientcmdapi.Cluster{Server: cfg.Host, CertificateAuthority: cfg.CAFile,
		CertificateAuthorityData: cfg.CAData}
	c.AuthInfos["bench"] = &clientcmdapi.AuthInfo{ClientCertificate: cfg.CertFile, ClientKey: cfg.KeyFile,
		ClientCertificateData: cfg.CertData, ClientKeyData: cfg.KeyData, Token: cfg.BearerToken}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// define brings the definitions of all kinds of OpenStack resources.
func (w *world) define() {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "charts/stackwright-operator/crds/openstack.*.yaml"))
	if err != nil || len(files) == 0 {
		w.t.Fatal("there are no definitions", err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err == nil {
			err = yaml.Unmarshal(raw, crd)
		}
		if err == nil {
			err = w.Create(w.t.Context(), crd)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion(openstackv1.GroupVersion.String())
		list.SetKind(crd.Spec.Names.ListKind)
		w.until(time.Minute, crd.Name+" is served", func() bool { return w.List(w.t.Context(), list) == nil })
	}
}

// until waits for something that is looked at often.
func (w *world) until(limit time.Duration, what string, f func() bool) time.Duration {
	w.t.Helper()
	begin := time.Now()
	for !f() {
		if time.Since(begin) > limit {
			w.t.Fatalf("after %s it is not so that %s", limit, what)
		}
		<-time.After(100 * time.Millisecond) // looking at thousands takes what the cloud would need to answer
	}
	return time.Since(begin)
}

// object of a kind; the spec is JSON.
func (w *world) object(kind, namespace, name, spec string) *unstructured.Unstructured {
	w.t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(openstackv1.GroupVersion.String())
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	m := map[string]any{}
	if err := json.Unmarshal([]byte(spec), &m); err != nil {
		w.t.Fatalf("spec of %s %s: %v", kind, name, err)
	}
	u.Object["spec"] = m
	return u
}

// make creates objects, a few at a time.
func (w *world) make(objects ...client.Object) {
	w.t.Helper()
	var failed atomic.Pointer[error]
	each(16, objects, func(o client.Object) {
		if err := w.Create(w.t.Context(), o); err != nil {
			failed.Store(&err)
		}
	})
	if err := failed.Load(); err != nil {
		w.t.Fatal(*err)
	}
}

// each calls f for all, n at a time.
func each[T any](n int, all []T, f func(T)) {
	next, group := make(chan T), sync.WaitGroup{}
	for range n {
		group.Go(func() {
			for x := range next {
				f(x)
			}
		})
	}
	for _, x := range all {
		next <- x
	}
	close(next)
	group.Wait()
}

// ready waits until all objects of these kinds are ready.
func (w *world) ready(limit time.Duration, names ...string) time.Duration {
	w.t.Helper()
	begin := time.Now()
	for _, kind := range names {
		w.until(limit-time.Since(begin), "each "+kind+" is ready", func() bool {
			if w.unready(kind) == 0 {
				return true
			}
			<-time.After(time.Second)
			return false
		})
	}
	return time.Since(begin)
}

func (w *world) unready(kind string) (n int) {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(openstackv1.GroupVersion.String())
	list.SetKind(kind + "List")
	if err := w.List(w.t.Context(), list); err != nil {
		return -1
	}
	for _, u := range list.Items {
		conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
		ready := false
		for _, c := range conditions {
			m, _ := c.(map[string]any)
			ready = ready || m["type"] == "Ready" && m["status"] == "True"
		}
		if !ready {
			n++
		}
	}
	return n
}

// secret has the clouds.yaml of a cloud, and a password.
func (w *world) secret(namespace string, content map[string]string) *corev1.Secret {
	s := &corev1.Secret{StringData: content}
	s.Namespace, s.Name = namespace, "cloud"
	return s
}

func namespace(name string) *corev1.Namespace {
	n := &corev1.Namespace{}
	n.Name = name
	return n
}

// sky is a fake cloud on the loopback.
type sky struct {
	*fake.Cloud
	asked atomic.Int64
	hangs atomic.Bool
}

func newSky(t *testing.T) *sky {
	t.Helper()
	s := &sky{Cloud: fake.New(kinds.Served())}
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.Host = l.Addr().String()
	server := &httptest.Server{Listener: l, Config: &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}}
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return s
}

// ServeHTTP counts, and answers unless the cloud hangs.
func (s *sky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	if s.hangs.Load() {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices that the client is gone only then
		<-r.Context().Done()
		return
	}
	s.Cloud.ServeHTTP(w, r)
}

// rate is how many requests in a second somebody got in some time.
func rate(ctx context.Context, d time.Duration, count func() float64) float64 {
	before, begin := count(), time.Now()
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return (count() - before) / time.Since(begin).Seconds()
}
