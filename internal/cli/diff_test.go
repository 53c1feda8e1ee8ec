package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	kitapply "stackwright.dev/kit/apply"
	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
)

const wholePlane = `apiVersion: controlplane.stackwright.dev/v1alpha1
kind: OpenStackControlPlane
metadata: {name: cloud, namespace: openstack}
spec:
  release: epoxy
  size: dev
  deletionPolicy: Retain
  services:
    keystone: {config: {token: {expiration: "7200"}}}
    heat: {}
`

// released is a world with a release that has all images.
func released(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	r := &controlplanev1.OpenStackRelease{}
	must(t, (&given{}).Get(t.Context(), client.ObjectKey{Name: "epoxy"}, r))
	must(t, w.client.Create(t.Context(), r))
	return w
}

// write makes a file.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "plane.yaml")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// person makes the object of a file, as kubectl apply does.
func (w *world) person(text string, serverSide bool) {
	w.t.Helper()
	u := &unstructured.Unstructured{}
	must(w.t, yaml.Unmarshal([]byte(text), &u.Object))
	if serverSide {
		must(w.t, w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kubectl")))
		return
	}
	u.SetAnnotations(map[string]string{})
	last, err := u.MarshalJSON()
	must(w.t, err)
	u.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: string(last)})
	must(w.t, w.client.Create(w.t.Context(), u, client.FieldOwner(clientSide)))
}

// operators make of the object of a file what they would, and write down what they have made.
func (w *world) operators(text string) {
	w.t.Helper()
	a := &app{in: strings.NewReader(text)}
	docs, err := a.readDocuments("-")
	must(w.t, err)
	result, err := a.rehearse(w.t.Context(), "-", docs, w.client)
	must(w.t, err)
	inventories := map[client.Object][]owner.Item{}
	for _, m := range result.Made {
		if job, ok := m.Object.(*batchv1.Job); ok {
			raw, err := json.Marshal(&job.Spec.Template)
			must(w.t, err)
			job.Name += "-" + kitapply.Hash(raw)[:8]
		}
		u, err := intent(m.Object)
		must(w.t, err)
		labels := map[string]string{kitapply.LabelController: m.Controller}
		maps.Copy(labels, m.Object.GetLabels())
		u.SetLabels(labels)
		must(w.t, w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(u),
			client.FieldOwner(m.Controller), client.ForceOwnership))
		if s, ok := m.Object.(*corev1.Service); ok && s.Spec.Type == corev1.ServiceTypeLoadBalancer {
			must(w.t, w.client.Status().Patch(w.t.Context(), u, client.RawPatch(types.MergePatchType,
				[]byte(`{"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`))))
		}
		inventories[m.Owner] = append(inventories[m.Owner], owner.Item{Step: m.Step, Group: u.GroupVersionKind().Group,
			Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID()})
	}
	for o, items := range inventories {
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"inventory": items}})
		must(w.t, err)
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(o.GetObjectKind().GroupVersionKind())
		u.SetNamespace(o.GetNamespace())
		u.SetName(o.GetName())
		must(w.t, w.client.Status().Patch(w.t.Context(), u, client.RawPatch(types.MergePatchType, patch)))
	}
}

// waysToApply are how people apply files, with a plane whose data stays, or goes.
var waysToApply = map[string]struct {
	policy     string
	serverSide bool
}{"kubectl apply": {"Retain", false}, "kubectl apply --server-side": {"Delete", true}}

// A file that has lost a service has lost its objects, but for what outlives it, however it was applied.
func TestDiffShowsServicesThatAreLost(t *testing.T) {
	for name, c := range waysToApply {
		t.Run(name, func(t *testing.T) {
			w := released(t)
			whole := strings.Replace(wholePlane, "Retain", c.policy, 1)
			w.person(whole, c.serverSide)
			w.operators(whole)
			w.run("diff", "-f", write(t, whole)).want(t, exitDone, "Nothing would change.")
			lost := strings.Replace(whole, "    heat: {}\n", "", 1)
			r := w.run("diff", "-f", write(t, lost)).want(t, exitNo, "update OpenStackControlPlane cloud\n", "-     heat:",
				"delete Heat cloud-heat\n", "delete Deployment cloud-heat-api\n", "delete Database cloud-heat\n")
			// The project is that of all services, of which Heat is the last.
			for _, m := range regexp.MustCompile(`(?m)^delete (.*)$`).FindAllStringSubmatch(r.out, -1) {
				if !strings.Contains(m[1], "cloud-heat") && m[1] != "Project cloud-keystone-service" ||
					strings.HasPrefix(m[1], "Job ") || strings.Count(r.out, m[0]+"\n") > 1 {
					t.Errorf("it would delete %s:\n%s", m[1], r.out)
				}
			}
			kept := !strings.Contains(r.out, "delete Secret cloud-heat-key\n")
			if kept != (c.policy == "Retain") {
				t.Errorf("the key that stored templates are read by would stay: %v\n%s", kept, r.out)
			}
		})
	}
}

// An option that a file has lost goes from all that is made of it, and nothing else changes.
func TestDiffShowsOptionsThatAreLost(t *testing.T) {
	for name, c := range waysToApply {
		t.Run(name, func(t *testing.T) {
			w := released(t)
			w.person(wholePlane, c.serverSide)
			w.operators(wholePlane)
			lost := strings.Replace(wholePlane, `{config: {token: {expiration: "7200"}}}`, "{}", 1)
			r := w.run("diff", "-f", write(t, lost)).want(t, exitNo, "update OpenStackControlPlane cloud\n",
				"update Keystone cloud-keystone\n", `-       expiration: "7200"`)
			if strings.Contains(r.out, "Heat") {
				t.Errorf("Heat would change:\n%s", r.out)
			}
		})
	}
}

// What somebody else has set stays, and so does what is made of it.
func TestDiffKeepsWhatOthersHaveSet(t *testing.T) {
	w := released(t)
	without := strings.Replace(wholePlane, "    heat: {}\n", "", 1)
	w.person(without, false)
	u := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(wholePlane), &u.Object))
	must(t, w.client.Patch(t.Context(), u, client.RawPatch(types.MergePatchType,
		[]byte(`{"spec":{"services":{"heat":{}}}}`)), client.FieldOwner("somebody")))
	w.operators(wholePlane)
	w.run("diff", "-f", write(t, without)).want(t, exitDone, "Nothing would change.")
}
