package cli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// node makes a node that is ready, for the checks before an installation.
func (w *world) node(name, memory string) {
	w.t.Helper()
	n := &corev1.Node{}
	n.Name = name
	must(w.t, client.IgnoreAlreadyExists(w.client.Create(w.t.Context(), n)))
	must(w.t, w.client.Status().Patch(w.t.Context(), n, client.RawPatch(types.MergePatchType, fmt.Appendf(nil,
		`{"status":{"allocatable":{"memory":%q},"conditions":[{"type":"Ready","status":"True"}]}}`, memory))))
}

// class makes a storage class, which is the default one or not.
func (w *world) class(name string, standard bool) {
	w.t.Helper()
	c := &storagev1.StorageClass{Provisioner: "example.org/disks"}
	c.Name, c.Annotations = name, map[string]string{"storageclass.kubernetes.io/is-default-class": fmt.Sprint(standard)}
	must(w.t, client.IgnoreAlreadyExists(w.client.Create(w.t.Context(), c)))
}

// withNodes makes some, each with that memory.
func withNodes(count int, memory string) func(*world) {
	return func(w *world) {
		for i := range count {
			w.node(fmt.Sprint("node-", i), memory)
		}
	}
}

// refuses forbids to list objects.
func refuses(resource string) func(*world) {
	return func(w *world) {
		w.forbids = func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/"+resource) }
	}
}

// lacks is without one right.
func lacks(resource string) func(*world) {
	return func(w *world) { w.lists = func(asked string) bool { return asked != resource } }
}

// Each of what may be wrong with a cluster is told with what would make it right.
func TestPreflightOfACluster(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*world)
		state  string
		tells  string
	}{
		"version":      {func(*world) {}, checkOK, "kubernetes  v1.36.3\n"},
		"the oldest":   {func(w *world) { w.version = "v1.34.0" }, checkOK, "kubernetes  v1.34.0\n"},
		"old":          {func(w *world) { w.version = "v1.33.9" }, checkFailed, "too old; upgrade the cluster to 1.34.0"},
		"strange":      {func(w *world) { w.version = "main" }, checkWarning, "version main cannot be read; see that"},
		"all rights":   {func(*world) {}, checkOK, "you may install operators\n"},
		"a right less": {lacks("clusterroles"), checkFailed, "you may not create clusterroles; install as an administrator"},
		"no rights":    {refuses("selfsubjectaccessreviews"), checkFailed, "not allowed; ask as somebody whom"},
		"no node":      {func(*world) {}, checkFailed, "0 of 0 ready, 0 MiB of memory; bring a node up"},
		"small":        {withNodes(3, "682Mi"), checkFailed, "3 of 3 ready, 2046 MiB of memory; add memory: the smallest"},
		"few nodes":    {withNodes(2, "1Gi"), checkWarning, "2 of 2 ready, 2048 MiB of memory; sizes other than dev want 3"},
		"nodes":        {withNodes(3, "1Gi"), checkOK, "3 of 3 ready, 3072 MiB of memory\n"},
		"secret nodes": {refuses("nodes"), checkWarning, "ask somebody who may list nodes whether there is room"},
		"no class":     {func(*world) {}, checkFailed, "there is no storage class; install a provisioner"},
		"no default":   {func(w *world) { w.class("slow", false) }, checkWarning, "no storage class is the default; set"},
		"class":        {func(w *world) { w.class("a", false); w.class("b", true) }, checkOK, "default class is b\n"},
		"secret class": {refuses("storageclasses"), checkWarning, "ask somebody who may list storage classes whether"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.lists = func(string) bool { return true }
			c.change(w)
			r := w.run("preflight")
			for line := range strings.Lines(r.out) {
				if strings.Contains(line, c.tells) {
					if state := strings.Fields(line)[0]; state != c.state {
						t.Errorf("it is %s, want %s: %s", state, c.state, line)
					}
					return
				}
			}
			t.Errorf("nothing tells %q:\n%s%s", c.tells, r.out, r.err)
		})
	}
}

// A warning is no reason not to install.
func TestPreflightWithWarnings(t *testing.T) {
	w := newWorld(t)
	w.lists = func(string) bool { return true }
	w.node("one", "2Gi")
	w.class("slow", false)
	w.run("preflight").want(t, exitDone, "warning  nodes", "warning  storage")
	w.version = "v1.33.0"
	if r := w.run("preflight").want(t, exitNo); strings.Contains(r.out, "storage") {
		t.Errorf("a cluster that is too old is looked at in detail:\n%s", r.out)
	}
}
