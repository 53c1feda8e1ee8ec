package cli

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

// drawn are values that follow from generated keys, and hashes of them.
var drawn = regexp.MustCompile(`\b([0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{16}|[0-9a-f]{8})\b`)

// A control plane is rendered down to the last object. What is in them the goldens of the operators tell.
func TestRender(t *testing.T) {
	home(t, t.TempDir())
	r := run(t, "", "render", "-f", "testdata/plane.yaml").want(t, exitDone)
	var list strings.Builder
	for doc := range strings.SplitSeq(strings.TrimPrefix(r.out, "---\n"), "\n---\n") {
		u := &unstructured.Unstructured{}
		must(t, yaml.Unmarshal([]byte(doc), &u.Object))
		head, _, _ := strings.Cut(doc, "\n")
		list.WriteString(head + ": " + u.GetKind() + " " + drawn.ReplaceAllString(u.GetName(), "HASH") + "\n")
		data, _, _ := unstructured.NestedStringMap(u.Object, "data")
		for key, value := range data {
			if u.GetKind() == "Secret" && value != base64.StdEncoding.EncodeToString([]byte("hidden")) {
				t.Errorf("the content of Secret %s is shown: %s", u.GetName(), key)
			}
		}
	}
	kittest.Golden(t, "testdata/render.txt", list.String())
	text, err := os.ReadFile("testdata/plane.yaml")
	must(t, err)
	piped := run(t, string(text), "render", "-f", "-").want(t, exitDone)
	if strings.Count(piped.out, "\n") != strings.Count(r.out, "\n") {
		t.Error("what comes from standard input is rendered differently from the same in a file")
	}
}

func TestRenderOnePart(t *testing.T) {
	home(t, t.TempDir())
	cache := run(t, "{apiVersion: infra.stackwright.dev/v1alpha1, kind: Memcached, "+
		"metadata: {name: cache, namespace: here}, spec: {image: a, replicas: 2, tls: {disabled: true}}}",
		"render", "-f", "-").want(t, exitDone, "kind: StatefulSet", "# memcached, step ",
		"for Memcached cache", "namespace: here")
	kittest.Golden(t, "testdata/render.yaml", drawn.ReplaceAllString(cache.out, "HASH"))
	if strings.Contains(cache.out, "kind: Galera") {
		t.Error("a cache renders a database")
	}
	run(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}", "render", "-f", "-").want(t, exitUsage,
		"has no object of ours, such as an OpenStackControlPlane")
	run(t, "{apiVersion: example.org/v1, kind: Spoon}", "render", "-f", "-").want(t, exitUsage,
		"kind Spoon of example.org/v1 is not known")
	run(t, "{apiVersion: controlplane.stackwright.dev/v1alpha1, kind: OpenStackControlPlane, metadata: {name: cloud}, "+
		"spec: {services: {glanze: {}}}}", "render", "-f", "-").want(t, exitUsage, "spec.services has glanze, which is no "+
		"service; services are barbican, cinder, ")
}

// sampleOf is the first sample of a kind's page.
func sampleOf(t *testing.T, kind string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/kinds/" + kind + ".md")
	must(t, err)
	_, sample, _ := strings.Cut(string(page), "```yaml\n")
	sample, _, _ = strings.Cut(sample, "```")
	return sample
}

// Fields that a file leaves out have the values that an API server gives them: the sample of a page is rendered.
func TestRenderSetsDefaults(t *testing.T) {
	home(t, t.TempDir())
	sample := sampleOf(t, "keystone")
	if strings.Contains(sample, "release:") {
		t.Fatal("the sample says what this test wants to be left out")
	}
	run(t, sample, "render", "-f", "-").want(t, exitDone, "kind: Deployment", "for Keystone ")
}

// A bundle is played as everything that makes objects is; what stands for one resource of OpenStack makes none.
func TestRenderResources(t *testing.T) {
	home(t, t.TempDir())
	sample := sampleOf(t, "projectbundle")
	run(t, sample, "render", "-f", "-").want(t, exitDone, "kind: Project\n", "kind: NetworkQuota", "kind: RouterInterface",
		"for ProjectBundle ")
	r := run(t, "{apiVersion: openstack.stackwright.dev/v1alpha1, kind: Project, metadata: {name: shop}}", "render", "-f",
		"-").want(t, exitDone)
	if r.out != "" || !strings.Contains(r.err, "Project shop makes no objects") {
		t.Errorf("a project renders %q, and says %q", r.out, r.err)
	}
}

// Objects that stand for resources of OpenStack are compared one by one.
func TestDiffOfResources(t *testing.T) {
	w := newWorld(t)
	const first = `apiVersion: openstack.stackwright.dev/v1alpha1
kind: Project
metadata: {name: shop, namespace: default}
spec: {resource: {description: a shop}}
`
	const second = `---
apiVersion: openstack.stackwright.dev/v1alpha1
kind: Network
metadata: {name: front, namespace: default}
spec: {resource: {mtu: 1400}}
`
	u := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal([]byte(first), &u.Object))
	must(t, w.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("kubectl")))
	file := t.TempDir() + "/shop.yaml"
	must(t, os.WriteFile(file, []byte(first), 0o600))
	w.run("diff", "-f", file).want(t, exitDone, "Nothing would change.")
	must(t, os.WriteFile(file, []byte(strings.Replace(first, "a shop", "two shops", 1)+second), 0o600))
	w.run("diff", "-f", file).want(t, exitNo, "update Project shop\n", "-     description: a shop",
		"+     description: two shops", "create Network front\n")
}

// diff asks by dry runs: it says what would change and changes nothing.
func TestDiff(t *testing.T) {
	w := newWorld(t, "testdata/plane.yaml")
	before := w.everything()
	var all []change
	must(t, json.Unmarshal([]byte(w.run("diff", "-f", "testdata/plane.yaml", "-o", "json").want(t, exitNo).out), &all))
	if len(all) < 20 {
		t.Errorf("a control plane that nobody has looked at yet has %d differences", len(all))
	}
	for _, ch := range all {
		if ch.Kind == "OpenStackControlPlane" || ch.Change != "create" {
			t.Errorf("%s %s is said to need: %s", ch.Kind, ch.Name, ch.Change)
		}
	}
	r := w.run("diff", "-f", "testdata/larger.yaml").want(t, exitNo, "update OpenStackControlPlane cloud", "-   size: dev",
		"+   size: small", "create Galera cloud-galera")
	if strings.Contains(r.out, "confirmDeletion") {
		t.Errorf("diff tells of what does not change:\n%s", r.out)
	}
	if after := w.everything(); after != before {
		t.Errorf("diff changed the cluster:\n%s\nbefore it was\n%s", after, before)
	}
}

// documents reads the objects of a file of several.
func documents(t *testing.T, text string) (objects []*unstructured.Unstructured) {
	t.Helper()
	for doc := range strings.SplitSeq("\n"+text, "\n---\n") {
		u := &unstructured.Unstructured{}
		must(t, yaml.Unmarshal([]byte(doc), &u.Object))
		if len(u.Object) > 0 {
			objects = append(objects, u)
		}
	}
	return objects
}

func TestDiffOfNothing(t *testing.T) {
	w := newWorld(t)
	const object = "{apiVersion: infra.stackwright.dev/v1alpha1, kind: Memcached, " +
		"metadata: {name: cache, namespace: default}, spec: {image: a, replicas: 2, tls: {disabled: true}}}"
	file := t.TempDir() + "/cache.yaml"
	must(t, os.WriteFile(file, []byte(object), 0o600))
	rendered := w.run("render", "-f", file).want(t, exitDone).out
	for _, u := range documents(t, object+"\n"+rendered) {
		must(t, w.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("memcached")))
	}
	w.run("diff", "-f", file).want(t, exitDone, "Nothing would change.")
	if all := answers[[]change](t, w, exitDone, "diff", "-f", file); len(all) != 0 {
		t.Errorf("the answer is %v", all)
	}
}

// everything is the versions of the objects that a diff of a control plane is about.
func (w *world) everything() string {
	w.t.Helper()
	var out strings.Builder
	for _, kind := range []string{"v1/SecretList", "v1/ServiceList", "apps/v1/DeploymentList",
		"infra.stackwright.dev/v1alpha1/GaleraList", "controlplane.stackwright.dev/v1alpha1/OpenStackControlPlaneList"} {
		l := &unstructured.UnstructuredList{}
		i := strings.LastIndex(kind, "/")
		l.SetAPIVersion(kind[:i])
		l.SetKind(kind[i+1:])
		must(w.t, w.client.List(w.t.Context(), l))
		for _, o := range l.Items {
			out.WriteString(o.GetKind() + " " + o.GetName() + " " + o.GetResourceVersion() + "\n")
		}
	}
	return out.String()
}

// How many pods an autoscaler has made of an API is no difference, as the operator leaves the number alone.
func TestDiffLeavesNumbersToAutoscalers(t *testing.T) {
	w := newWorld(t)
	const object = "{apiVersion: service.stackwright.dev/v1alpha1, kind: Keystone, metadata: {name: identity, " +
		"namespace: default}, spec: {image: a, region: RegionOne, release: epoxy, replicas: 2, database: {galera: db}}}"
	file := t.TempDir() + "/identity.yaml"
	must(t, os.WriteFile(file, []byte(object), 0o600))
	api := &unstructured.Unstructured{}
	for _, u := range documents(t, w.run("render", "-f", file).want(t, exitDone).out) {
		if u.GetKind() == "Deployment" && u.GetName() == "identity-api" {
			api = u
		}
	}
	must(t, w.client.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(api), client.FieldOwner("keystone")))
	replicas := func() string {
		t.Helper()
		var all []change
		must(t, json.Unmarshal([]byte(w.run("diff", "-f", file, "-o", "json").want(t, exitNo).out), &all))
		var lines []string
		for _, ch := range all {
			for _, l := range ch.Lines {
				if ch.Kind == "Deployment" && strings.HasPrefix(strings.TrimLeft(l, "+- "), "replicas:") {
					lines = append(lines, l)
				}
			}
		}
		return strings.Join(lines, ", ")
	}
	scaled := `{"metadata":{"annotations":{"service.stackwright.dev/replicas":"autoscaler"}},"spec":{"replicas":5}}`
	must(t, w.client.Patch(t.Context(), api.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(scaled))))
	if got := replicas(); got != "-   replicas: 5, +   replicas: 2" {
		t.Errorf("without an autoscaler the difference is %q", got)
	}
	scaler := &autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MaxReplicas: 9,
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment",
			Name: "identity-api"}}}
	scaler.Name, scaler.Namespace = "identity-api", "default"
	must(t, w.client.Create(t.Context(), scaler))
	if got := replicas(); got != "" {
		t.Errorf("with an autoscaler the difference is %q", got)
	}
}
