//go:build apiserver

package conformance

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// TestServerPlays checks what the real server says.
func TestServerPlays(t *testing.T) {
	prepare(t)
	for _, name := range slices.Sorted(maps.Keys(all())) {
		t.Run(name, func(t *testing.T) {
			c := newTalk(t, live)
			defer c.clean()
			all()[name](c)
			kittest.Golden(t, "testdata/"+name+".txt", c.log.String())
		})
	}
}

// prepare makes the namespace and the custom kind.
func prepare(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	core, err := kubernetes.NewForConfig(live)
	if err != nil {
		t.Fatal(err)
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := core.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ext, err := apiextensionsclient.NewForConfig(live)
	if err != nil {
		t.Fatal(err)
	}
	crds := ext.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := crds.Create(ctx, widgets(t), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	every := time.NewTicker(50 * time.Millisecond)
	defer every.Stop()
	for {
		c := newTalk(t, live)
		resp := c.send(http.MethodGet, path("Widget"), "", "")
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			t.Fatal("the kind Widget was not served in time")
		}
	}
}
