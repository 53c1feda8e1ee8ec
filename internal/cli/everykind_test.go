package cli

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/cli/install"
)

// Whatever kind we define, diff tells which field of an object would be another; of those that a controller reconciles
// why and tree find one that is not ready.
func TestEveryKindIsKnown(t *testing.T) {
	defs, err := defined()
	must(t, err)
	all := slices.Collect(maps.Keys(defs))
	if len(all) < 100 || len(all) <= len(ownKinds()) {
		t.Fatalf("there are %d kinds, %d of them reconciled", len(all), len(ownKinds()))
	}
	if testing.Short() { // with the race detector a kind takes ten times as long
		all = slices.DeleteFunc(all, func(gvk schema.GroupVersionKind) bool {
			return gvk.Group == openstackv1.GroupVersion.Group
		})
	}
	for _, gvk := range all {
		t.Run(gvk.Kind, func(t *testing.T) {
			w := newWorld(t)
			given := w.broken(gvk)
			if slices.Contains(ownKinds(), gvk) {
				object := strings.ToLower(gvk.Kind) + "." + gvk.Group + "/" + given.GetName()
				w.run("why", object).want(t, exitNo, "First cause: "+gvk.Kind+" ", ": OutOfOrder", "What to do: mend it")
				w.run("tree", object).want(t, exitDone, gvk.Kind+" "+given.GetName()+"  [OutOfOrder]  It is out of order")
			}
			changed, line := w.changed(given)
			text, err := yaml.Marshal(changed.Object)
			must(t, err)
			r := w.run("diff", "-f", write(t, string(text))).want(t, exitNo, "update "+gvk.Kind+" "+given.GetName()+"\n")
			if !regexp.MustCompile(`(?m)^  \+ [ -]*` + regexp.QuoteMeta(line) + `$`).MatchString(r.out) {
				t.Errorf("nothing says that %s comes:\n%s", line, r.out)
			}
		})
	}
}

// Kinds that nobody reconciles are data: what is there is in order, and what is not there is told. So it is with those
// of ours that have a CRD and no controller, and with those that a cluster has besides.
func TestEveryKindWithoutStateIsKnown(t *testing.T) {
	files, err := install.CRDs()
	must(t, err)
	var left []string
	for _, text := range files {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		must(t, yaml.Unmarshal(text, crd))
		gvk := schema.GroupVersionKind{Group: crd.Spec.Group, Version: versionOf, Kind: crd.Spec.Names.Kind}
		if slices.Contains(ownKinds(), gvk) {
			continue
		}
		left = append(left, gvk.Kind)
		t.Run(gvk.Kind, func(t *testing.T) {
			w := newWorld(t)
			u := &unstructured.Unstructured{}
			must(t, yaml.Unmarshal([]byte(sampleOf(t, strings.ToLower(gvk.Kind))), &u.Object))
			if crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
				u.SetNamespace("openstack")
			}
			must(t, w.client.Create(t.Context(), u))
			w.withoutState(strings.ToLower(gvk.Kind)+"."+gvk.Group, gvk.Kind, u.GetName())
		})
	}
	slices.Sort(left)
	if d := cmp.Diff([]string{"OpenStackRelease", "ReferenceGrant"}, left); d != "" {
		t.Errorf("kinds that nobody reconciles (-want +got):\n%s", d)
	}
	t.Run("StorageClass", func(t *testing.T) {
		w := newWorld(t)
		class := &storagev1.StorageClass{Provisioner: "example.org/disks"}
		class.Name = "standard"
		must(t, w.client.Create(t.Context(), class))
		w.withoutState("storageclass", "StorageClass", "standard")
	})
}

// withoutState asks why and tree about an object that is there and about one that is not.
func (w *world) withoutState(word, kind, name string) {
	w.t.Helper()
	w.run("why", word+"/"+name).want(w.t, exitDone, "Everything is ready.")
	if out := w.run("tree", word+"/"+name).want(w.t, exitDone).out; out != kind+" "+name+"\n" {
		w.t.Errorf("the tree is %q", out)
	}
	w.run("why", word+"/nowhere").want(w.t, exitNo, ": NotFound", "What to do: create it, or correct the name")
	w.run("tree", word+"/nowhere").want(w.t, exitFailed, "has no "+kind+" nowhere; see kubectl get "+strings.ToLower(kind))
}

// broken makes the sample of a kind's page, with all that is beside it, and has it say that it is not ready if it says
// anything. It returns the object as it was given.
func (w *world) broken(gvk schema.GroupVersionKind) (given *unstructured.Unstructured) {
	w.t.Helper()
	sample := sampleOf(w.t, strings.ToLower(gvk.Kind))
	for doc := range strings.SplitSeq(sample, "\n---\n") {
		u := &unstructured.Unstructured{}
		must(w.t, yaml.Unmarshal([]byte(doc), &u.Object))
		if namespaced, err := w.client.IsObjectNamespaced(u); err == nil && namespaced {
			u.SetNamespace("openstack")
		}
		if u.GroupVersionKind() == gvk {
			given = u.DeepCopy()
		}
		must(w.t, w.client.Create(w.t.Context(), u))
		if u.GroupVersionKind() != gvk || !slices.Contains(ownKinds(), gvk) {
			continue
		}
		must(w.t, w.client.Status().Patch(w.t.Context(), u, client.RawPatch(types.MergePatchType, []byte(
			`{"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"False","reason":"OutOfOrder",`+
				`"message":"It is out of order; mend it.","observedGeneration":1,`+
				`"lastTransitionTime":"2026-01-02T03:04:05Z"}]}}`))))
	}
	if given == nil {
		w.t.Fatalf("the first sample of its page has no %s:\n%s", gvk.Kind, sample)
	}
	return given
}

// changed is an object with one field that is another, the first of its spec that the API server lets people change,
// and that field's line; or with a label where it lets them change none.
func (w *world) changed(given *unstructured.Unstructured) (*unstructured.Unstructured, string) {
	w.t.Helper()
	for n := 0; ; n++ {
		u, left := given.DeepCopy(), n
		line := another(u.Object["spec"], &left)
		if line == "" {
			u.SetLabels(map[string]string{"changed": "label"})
			return u, "changed: label"
		}
		if w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.DryRunAll,
			client.FieldOwner("person"), client.ForceOwnership) == nil {
			return u, line
		}
	}
}

// another changes one field below a node, after as many as are left, and returns its line; empty when there are no
// more.
func another(node any, left *int) string {
	switch node := node.(type) {
	case []any:
		for _, v := range node {
			if line := another(v, left); line != "" {
				return line
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(node)) {
			if line := another(node[k], left); line != "" {
				return line
			}
			next := other(node[k])
			if next == nil {
				continue
			}
			if *left--; *left < 0 {
				node[k] = next
				text, _ := yaml.Marshal(map[string]any{k: next})
				return strings.TrimSpace(string(text))
			}
		}
	}
	return ""
}

// other is another value of the same type that has one line; nil for none.
func other(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case int64:
		return v + 1
	case float64:
		return v + 1
	case string:
		if !strings.Contains(v, "\n") {
			return v + "x"
		}
	}
	return nil
}

// A word that names a kind of Kubernetes and one of ours means the first, as with kubectl; its group tells them apart.
func TestAWordForTwoKinds(t *testing.T) {
	w := newWorld(t)
	for range 20 { // kinds are looked through in no order
		for word, group := range map[string]string{"service": "",
			"Service.openstack.stackwright.dev": "openstack.stackwright.dev"} {
			if gvk, err := kindNamed(w.client, word); err != nil || gvk.Kind != "Service" || gvk.Group != group {
				t.Fatalf("%s is %s, %v", word, gvk, err)
			}
		}
	}
	if _, err := kindNamed(w.client, "keystone.infra.stackwright.dev"); err == nil {
		t.Error("a kind is found in a group that does not have it")
	}
}
