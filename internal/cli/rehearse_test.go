package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const (
	computed = `apiVersion: controlplane.stackwright.dev/v1alpha1
kind: OpenStackControlPlane
metadata: {name: cloud, namespace: openstack}
spec:
  release: epoxy
  size: dev
  services: {glance: {}, placement: {}, neutron: {}, nova: {}}
`
	rack = `apiVersion: fleet.stackwright.dev/v1alpha1
kind: BuildingBlock
metadata: {name: rack}
spec:
  cell: cloud-nova-cell1
  hosts: {nodeSelector: {rack: a}}
`
	shop = `apiVersion: openstack.stackwright.dev/v1alpha1
kind: Project
metadata: {name: shop}
spec: {resource: {description: a shop}}
`
	passwords = `apiVersion: v1
kind: Secret
metadata: {name: passwords, namespace: openstack}
stringData: {password: hunter22}
`
)

// released is the release of the world as a file has it.
func (w *world) released() string {
	w.t.Helper()
	u := &unstructured.Unstructured{}
	u.SetAPIVersion("controlplane.stackwright.dev/v1alpha1")
	u.SetKind("OpenStackRelease")
	must(w.t, w.client.Get(w.t.Context(), client.ObjectKey{Name: "epoxy"}, u))
	text, err := yaml.Marshal(map[string]any{"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(),
		"metadata": map[string]any{"name": u.GetName()}, "spec": u.Object["spec"]})
	must(w.t, err)
	return string(text)
}

// All objects of a file are rendered, each with what those before it have made, whatever their order in the file.
func TestRenderAllObjects(t *testing.T) {
	home(t, t.TempDir())
	r := run(t, strings.Join([]string{rack, shop, passwords, computed}, "---\n"), "render", "-f", "-").want(t, exitDone,
		"for OpenStackControlPlane cloud\n", "for NovaCell cloud-nova-cell1\n", "for BuildingBlock rack\n",
		"  name: rack-libvirt\n", "# Project shop makes no objects\n")
	for _, found := range []string{"NovaCell cloud-nova-cell1 has to exist", "cloud-nova-cell1-compute has to"} {
		if strings.Contains(r.err, found) {
			t.Errorf("a cell of the same file is not found:\n%s", r.err)
		}
	}
	if n := strings.Count(r.out, "\nkind: NovaCell\n"); n != 1 {
		t.Errorf("%d cells are rendered", n)
	}
}

// What a file says of an object that another one of the file makes is not rendered beside it.
func TestRenderWhatIsMadeOnce(t *testing.T) {
	home(t, t.TempDir())
	const cache = "apiVersion: infra.stackwright.dev/v1alpha1\nkind: Memcached\n" +
		"metadata: {name: cloud-memcached}\nspec: {image: a, replicas: 3}\n"
	both := run(t, cache+"---\n"+computed, "render", "-f", "-").want(t, exitDone).out
	if strings.Contains(both, "image: a\n") {
		t.Errorf("it is rendered as the file has it:\n%s", both)
	}
	alone := run(t, computed, "render", "-f", "-").want(t, exitDone).out
	if n, want := strings.Count(both, "\n"), strings.Count(alone, "\n"); n != want {
		t.Errorf("%d lines are rendered, without it %d", n, want)
	}
}

// All objects of ours in a file are compared, and what is made of each; of others it is told that they are not.
func TestDiffOfAllObjects(t *testing.T) {
	w := released(t)
	w.person(wholePlane, true)
	w.operators(wholePlane)
	w.person(strings.Replace(shop, "{name: shop}", "{name: shop, namespace: openstack}", 1), true)
	file := func(docs ...string) string { return write(t, strings.Join(docs, "---\n")) }
	r := w.run("diff", "-f", file(shop, passwords, wholePlane, w.released())).want(t, exitDone, "Nothing would change.",
		"# Secret passwords is not of ours and was not compared; see kubectl diff\n")
	if strings.Contains(r.out, "passwords") {
		t.Errorf("a note is among the answer:\n%s", r.out)
	}
	other := regexp.MustCompile(`keystone: .*`).ReplaceAllString(w.released(), "keystone: elsewhere.test/keystone:1")
	r = w.run("diff", "-f", file(rack, strings.Replace(shop, "a shop", "two shops", 1), wholePlane, other)).want(t, exitNo,
		"create BuildingBlock rack\n", "create Secret rack-config\n",
		"update Project shop\n", "+     description: two shops\n",
		"update OpenStackRelease epoxy\n", "+     keystone: elsewhere.test/keystone:1\n",
		"update Keystone cloud-keystone\n", "+   image: elsewhere.test/keystone:1\n")
	if strings.Contains(r.out, "OpenStackControlPlane") || strings.Contains(r.out, "delete ") {
		t.Errorf("what stays is said to change:\n%s", r.out)
	}
}

// What operators would refuse is told in their words, on standard error, and nothing is said to go by it.
func TestDiffTellsWhatIsRefused(t *testing.T) {
	w := released(t)
	w.person(wholePlane, true)
	w.operators(wholePlane)
	w.status("OpenStackControlPlane", "cloud", `{"openstack":"2025.1","release":"epoxy"}`)
	wrong := strings.Replace(wholePlane, "release: epoxy", "release: epoxyy", 1)
	r := w.run("diff", "-f", write(t, wrong)).want(t, exitNo)
	if want := "update OpenStackControlPlane cloud\n  -   release: epoxy\n  +   release: epoxyy\n"; r.out != want {
		t.Errorf("it says\n%s\nwant\n%s", r.out, want)
	}
	if want := "# OpenStackControlPlane cloud, step release: OpenStackRelease epoxyy does not exist; set spec.release " +
		"to one that does: epoxy\n"; r.err != want {
		t.Errorf("it notes\n%s\nwant\n%s", r.err, want)
	}
	const older = "apiVersion: controlplane.stackwright.dev/v1alpha1\nkind: OpenStackRelease\n" +
		"metadata: {name: epoxyy}\nspec: {openstack: \"2024.2\", images: {a: b}}\n"
	w.run("diff", "-f", write(t, wrong+"---\n"+older)).want(t, exitNo, "create OpenStackRelease epoxyy\n",
		"this control plane runs 2025.1: its databases cannot go back")
	newer := strings.Replace(older, "2024.2", "2025.2", 1)
	w.run("diff", "-f", write(t, wrong+"---\n"+newer)).want(t, exitNo, "epoxyy names no image for mariadb")
}

// A refusal is an answer also when nothing changes by what is refused, and of render.
func TestRefusalsAreAnswers(t *testing.T) {
	w := newWorld(t)
	w.person(wholePlane, true)
	w.run("diff", "-f", write(t, wholePlane)).want(t, exitNo, "Nothing would change.", "OpenStackRelease epoxy does not "+
		"exist, nor does any other")
	r := w.run("diff", "-f", write(t, rack)).want(t, exitNo, "create BuildingBlock rack\n", "# BuildingBlock rack, step "+
		"release: OpenStackRelease epoxy names no image for nova-compute, or does not exist")
	if strings.Contains(r.out, "DaemonSet") {
		t.Errorf("agents without images are made:\n%s", r.out)
	}
	const empty = "---\napiVersion: controlplane.stackwright.dev/v1alpha1\nkind: OpenStackRelease\n" +
		"metadata: {name: epoxy}\nspec: {openstack: \"2025.1\", images: {mariadb: a}}\n"
	r = run(t, wholePlane+empty, "render", "-f", "-").want(t, exitNo, "epoxy names no image for rabbitmq")
	if r.out != "" {
		t.Errorf("it renders\n%s", r.out)
	}
}

// What only a running cluster can tell is noted beside the differences.
func TestDiffNotes(t *testing.T) {
	w := released(t)
	given := strings.Replace(wholePlane, "keystone: {", "keystone: {adminPasswordSecret: given, ", 1)
	r := w.run("diff", "-f", write(t, given), "-o", "json").want(t, exitNo)
	if !strings.Contains(r.err, "# given has to have key password\n") || strings.Contains(r.out, "# ") {
		t.Errorf("it notes %q and says\n%s", r.err, r.out)
	}
}

var yamlFence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// Every sample of every page is rendered, and every container of it has an image.
func TestRenderEverySample(t *testing.T) {
	pages, err := filepath.Glob("../../docs/kinds/*.md")
	must(t, err)
	home(t, t.TempDir())
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, m := range yamlFence.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(m[1], ".stackwright.dev/v1alpha1") {
				continue
			}
			out := run(t, m[1], "render", "-f", "-").want(t, exitDone).out
			for _, u := range documents(t, strings.TrimPrefix(out, "---\n")) {
				count += imagesOf(t, filepath.Base(page), u.GetKind()+" "+u.GetName(), u.Object)
			}
		}
	}
	if count < 100 {
		t.Errorf("samples have %d containers", count)
	}
}

// imagesOf fails for the containers below a node that have no image, and counts the others.
func imagesOf(t *testing.T, page, object string, node any) (count int) {
	t.Helper()
	switch node := node.(type) {
	case []any:
		for _, v := range node {
			count += imagesOf(t, page, object, v)
		}
	case map[string]any:
		for k, v := range node {
			count += imagesOf(t, page, object, v)
			list, _ := v.([]any)
			if k != "containers" && k != "initContainers" {
				continue
			}
			for _, c := range list {
				c, _ := c.(map[string]any)
				if image, _ := c["image"].(string); image == "" {
					t.Errorf("%s: container %v of %s has no image", page, c["name"], object)
				}
				count++
			}
		}
	}
	return count
}
