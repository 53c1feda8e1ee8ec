package resources_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// bad is an input or an event that a person has to hear of.
type bad struct {
	name string
	// seed fills the cloud, objects are there from the beginning, besides a Namespace.
	seed    func(*fake.Cloud)
	objects []string
	// spoil comes after all is well; nil when the objects themselves are bad.
	spoil func(*kittest.Play)
	// asked are the objects whose conditions count.
	asked []string
	// mend makes all well again; nil when that takes another object.
	mend func(*kittest.Play)
	// projects is how many there are in the cloud in the end.
	projects int
}

// shop is what most cases are about.
func shop() string { return one("Project", "default", "shop", "resource: {}") }

func good(more ...string) []string {
	return append([]string{credentials("default"), cloudIn("default")}, more...)
}

// wrong has credentials that are not as they should be.
func wrong(replace ...string) []string {
	return []string{credentials("default", replace...), cloudIn("default"), shop()}
}

func mendSecret(p *kittest.Play) {
	p.T.Helper()
	p.Change("Secret/default/cloud", `data.clouds\.yaml`, encode(fake.New(nil).CloudsYAML()))
	p.Change("Secret/default/cloud", `data.ca\.crt`, nil)
}

func change(ref, path string, value any) func(*kittest.Play) {
	return func(p *kittest.Play) { p.Change(ref, path, value) }
}

func remove(ref string) func(*kittest.Play) { return func(p *kittest.Play) { p.Remove(ref) } }

func put(names ...string) func(*fake.Cloud) {
	return func(c *fake.Cloud) {
		c.Twins = true
		for i, name := range names {
			c.Put("Project", map[string]any{"id": fmt.Sprint("there-", i), "name": name, "domain_id": "default"})
		}
	}
}

// only answers logins and lists of a dead cloud.
func lost(p *kittest.Play) {
	cloudOf(p).SetFault(func(int, *http.Request) fake.Fault { return fake.Lost })
}

func badCredentials() []bad {
	both := []string{"Cloud/default", "Project/shop"}
	mended := func(b bad) bad {
		b.asked, b.mend, b.projects = both, mendSecret, 1
		return b
	}
	return []bad{
		mended(bad{name: "clouds.yaml is malformed", objects: wrong("clouds:", "clouds: [")}),
		mended(bad{name: "clouds.yaml has no cloud", objects: wrong("  fake:", "  {}\nfake:")}),
		mended(bad{name: "the password is wrong", objects: wrong("secret", "guess")}),
		mended(bad{name: "the URL cannot be reached", objects: wrong("cloud.test", "nowhere.test")}),
		mended(bad{name: "the URL is none", objects: wrong("http://", "")}),
		mended(bad{name: "the region is unknown", objects: wrong("RegionOne", "Atlantis")}),
		mended(bad{name: "the Secret has another key", objects: []string{secret("default", "cloud.yaml", "x"),
			cloudIn("default"), shop()}}),
		{name: "the CA is none", objects: good(shop()), asked: both, mend: mendSecret, projects: 1,
			spoil: change("Secret/default/cloud", `data.ca\.crt`, encode("no certificate"))},
		{name: "the entry does not exist", objects: good(shop()), asked: both, projects: 1,
			spoil: change("Cloud/default", "spec.entry", "other"), mend: change("Cloud/default", "spec.entry", "fake")},
		{name: "there is no Secret", objects: []string{cloudIn("default"), shop()}, asked: both},
		{name: "there is no cloud", objects: []string{shop()}, asked: both[1:]},
		{name: "the cloud is for other kinds", asked: both[1:], projects: 1, mend: change("Cloud/default", "spec.kinds", nil),
			objects: []string{credentials("default"), shop(), one("Cloud", "default", "default",
				"secretRef: {name: cloud}, kinds: [Domain, User]")}},
		{name: "the Secret is deleted first", objects: good(shop()), spoil: remove("Secret/default/cloud"), asked: both,
			projects: 1},
		{name: "the Cloud is deleted first", objects: good(shop()), spoil: remove("Cloud/default"), asked: both, projects: 1},
	}
}

func badReferences() []bad {
	user := func(ref string) []string { return good(shop(), one("User", "default", "ann", "resource: {"+ref+"}")) }
	ann := []string{"User/ann"}
	mend := change("User/ann", "spec.resource.defaultProjectRef", map[string]any{"name": "shop"})
	return []bad{
		{name: "a reference to nothing", objects: user("defaultProjectRef: {name: depot}"), asked: ann, mend: mend,
			projects: 1},
		{name: "a reference to an object of another kind", objects: user("defaultProjectRef: {name: ann}"), asked: ann,
			mend: mend, projects: 1},
		{name: "a reference to an external resource that is not there", asked: ann, mend: mend, projects: 1,
			objects: user("defaultProjectRef: {external: {name: depot}}")},
		{name: "a reference to several external resources", asked: ann, mend: mend, projects: 3, seed: put("depot", "depot"),
			objects: user("defaultProjectRef: {external: {name: depot}}")},
		{name: "a reference to a Secret that is not there", objects: user("passwordRef: {name: ann, key: password}"),
			asked: ann, mend: change("User/ann", "spec.resource.passwordRef", nil), projects: 1},
		{name: "references in a circle", asked: []string{"Project/a", "Project/b"}, projects: 2,
			objects: good(one("Project", "default", "a", "resource: {parentRef: {name: b}}"),
				one("Project", "default", "b", "resource: {parentRef: {name: a}}")),
			mend: func(p *kittest.Play) {
				a := p.Object("Project/a")
				p.Remove("Project/a")
				p.Settle()
				unstructured.RemoveNestedField(a.Object, "spec", "resource", "parentRef")
				unstructured.RemoveNestedField(a.Object, "status")
				a.Object["metadata"] = map[string]any{"namespace": "default", "name": "a"}
				p.Create(a)
			}},
	}
}

func badDeclarations() []bad {
	imported := func(filter string) []string {
		return good(one("Project", "default", "shop", "import: {filter: {"+filter+"}}"))
	}
	asked := []string{"Project/shop"}
	better := change("Project/shop", "spec.import.filter", map[string]any{"name": "one"})
	return []bad{
		{name: "an import filter that nothing fits", seed: put("one", "two", "two"), objects: imported("name: none"),
			asked: asked, mend: better, projects: 3},
		{name: "an import filter that several fit", seed: put("one", "two", "two"), objects: imported("name: two"),
			asked: asked, mend: better, projects: 3},
		{name: "an import filter with a field that there is not", seed: put("one"), objects: imported("colour: red"),
			asked: asked, mend: better, projects: 1},
		{name: "an import of an id that there is not", seed: put("one"), asked: asked, mend: nil, projects: 1,
			objects: good(one("Project", "default", "shop", "import: {id: lost}"))},
		{name: "extra that clashes", asked: asked, projects: 1, mend: change("Project/shop", "spec.extra", nil),
			objects: good(one("Project", "default", "shop", "resource: {enabled: true}, extra: {enabled: false}"))},
		{name: "extra that clashes with a part of a field", asked: []string{"Image/debian"},
			mend: change("Image/debian", "spec.extra", nil), objects: good(one("Image", "default", "debian",
				"resource: {content: {diskFormat: qcow2, download: {url: \"https://cloud.debian.org/d\"}}, "+
					"properties: {os_distro: debian}}, extra: {disk_format: raw, os_distro: arch, id: x}"))},
		{name: "extra of what has no body", asked: []string{"RoleInference/auditor"},
			mend: change("RoleInference/auditor", "spec.extra", nil), objects: good(one("RoleInference", "default", "auditor",
				"resource: {priorRoleRef: {id: a}, impliedRoleRef: {id: b}}, extra: {since: now}"))},
		{name: "extra that is no object", asked: asked, projects: 1, mend: change("Project/shop", "spec.extra", nil),
			objects: good(one("Project", "default", "shop", "resource: {}, extra: [1]"))},
		microversion("a microversion that the service does not have", "ServerGroup", "policy: affinity", "2.999"),
		microversion("a microversion that nothing needs and the service does not have", "HostAggregate", "", "2.999"),
		microversion("a microversion that the service has no more", "HostAggregate", "", "2.0"),
		microversion("a microversion of a service that has none", "Network", "", "2.1"),
		{name: "a service that the catalog does not have", asked: []string{"ServerGroup/web"},
			seed:    func(c *fake.Cloud) { c.Missing = []string{"compute"} },
			objects: good(one("ServerGroup", "default", "web", `resource: {policy: affinity}`))},
		{name: "user data of a mebibyte", asked: []string{"Server/web"}, objects: good(
			fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {namespace: default, name: script}, data: {script: %s}}",
				encode(strings.Repeat("x", 1<<20))), one("Server", "default", "web",
				"resource: {flavorRef: {id: small}, imageRef: {id: tiny}, userDataRef: {name: script, key: script}}")),
			mend: change("Secret/default/script", "data.script", encode("#!/bin/sh"))},
		{name: "a quota that is met", seed: func(c *fake.Cloud) { c.SetQuota("Project", 0) }, objects: good(shop()),
			asked: asked, mend: func(p *kittest.Play) { cloudOf(p).SetQuota("Project", 1) }, projects: 1},
		{name: "two objects for one resource", objects: good(shop()),
			spoil: another("Project", "twin", "resource: {name: shop}"), asked: []string{"Project/shop", "Project/twin"},
			mend: change("Project/twin", "spec.resource.name", "twin"), projects: 2},
		{name: "two objects that adopt one resource", seed: put("shop"), objects: good(
			one("Project", "default", "shop", "policy: adopt, resource: {}")),
			spoil: another("Project", "twin", "policy: adopt, resource: {name: shop}"),
			asked: []string{"Project/shop", "Project/twin"}, mend: change("Project/twin", "spec.resource.name", "twin"),
			projects: 2},
		{name: "two objects for one quota", asked: []string{"ComputeQuota/a", "ComputeQuota/b"}, objects: good(
			one("ComputeQuota", "default", "a", "resource: {cores: 1}")),
			spoil: another("ComputeQuota", "b", "resource: {cores: 2}")},
		{name: "two objects that import one resource", seed: put("shop"), objects: good(
			one("Project", "default", "shop", "import: {id: there-0}")),
			spoil: another("Project", "twin", "import: {id: there-0}"), asked: []string{"Project/shop", "Project/twin"},
			projects: 1},
	}
}

// microversion asks for one that the cloud lacks.
func microversion(name, kind, resource, version string) bad {
	spec := fmt.Sprintf("resource: {%s}, microversion: %q", resource, version)
	return bad{name: name, asked: []string{kind + "/web"}, objects: good(one(kind, "default", "web", spec)),
		mend: change(kind+"/web", "spec.microversion", nil)}
}

// another makes one more object.
func another(kind, name, spec string) func(*kittest.Play) {
	return func(p *kittest.Play) {
		p.T.Helper()
		declare(p, one(kind, "default", name, spec))
	}
}

// declare makes an object.
func declare(p *kittest.Play, text string) {
	p.T.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		p.T.Fatal(err)
	}
	p.Create(u)
}

func badEvents() []bad {
	asked := []string{"Project/shop"}
	return []bad{
		{name: "an imported resource is deleted outside", seed: put("shop"), asked: asked,
			objects: good(one("Project", "default", "shop", "import: {id: there-0}")),
			spoil:   func(p *kittest.Play) { cloudOf(p).Remove("Project", "there-0") },
			mend: func(p *kittest.Play) {
				cloudOf(p).Put("Project", map[string]any{"id": "there-0", "name": "shop", "domain_id": "default"})
			}, projects: 1},
		{name: "a resource is in an error state", asked: []string{"Volume/data"},
			objects: good(one("Volume", "default", "data", "resource: {size: 1}")), spoil: volumes("error"),
			mend: volumes("available")},
		{name: "a server has a fault", asked: []string{"Server/web"}, objects: good(one("Server", "default", "web",
			"resource: {flavorRef: {id: small}, imageRef: {id: tiny}}")),
			spoil: servers("ERROR", "No valid host was found. There are not enough hosts available."),
			mend:  servers("ACTIVE", "")},
		{name: "a volume store is full", asked: []string{"Volume/data"},
			objects: good(one("Volume", "default", "data", "resource: {size: 1}")), spoil: func(p *kittest.Play) {
				cloudOf(p).Say("Volume", "schedule allocate volume:Could not find any available weighted backend.")
				volumes("error")(p)
			}, mend: volumes("available")},
		{name: "the cloud is gone during a deletion", objects: good(shop()), asked: asked, projects: 0,
			spoil: func(p *kittest.Play) { lost(p); p.Remove("Project/shop") },
			mend:  func(p *kittest.Play) { cloudOf(p).SetFault(nil) }},
		{name: "the cloud is gone", objects: good(shop()), asked: []string{"Cloud/default", "Project/shop"}, projects: 1,
			spoil: lost,
			mend:  func(p *kittest.Play) { cloudOf(p).SetFault(nil) }},
	}
}

// volumes brings all volumes into a state.
func volumes(state string) func(*kittest.Play) {
	return func(p *kittest.Play) {
		for _, id := range cloudOf(p).IDs("Volume") {
			cloudOf(p).Put("Volume", map[string]any{"id": id, "status": state})
		}
	}
}

// servers brings all servers into a state, with what Nova says of it.
func servers(state, fault string) func(*kittest.Play) {
	return func(p *kittest.Play) {
		for _, id := range cloudOf(p).IDs("Server") {
			cloudOf(p).Put("Server", map[string]any{"id": id, "status": state,
				"fault": map[string]any{"code": 500, "message": fault}})
		}
	}
}

// What is wrong with an input or a cloud is told in a sentence, nothing is lost by it, and all is well once it is put
// right. The sentences are in testdata/bad.txt.
func TestBadInput(t *testing.T) {
	var told []string
	for _, b := range slices.Concat(badCredentials(), badReferences(), badDeclarations(), badEvents()) {
		t.Run(b.name, func(t *testing.T) {
			s := stage(t, b.seed, append([]string{namespace("default")}, b.objects...)...)
			kittest.New(t, s).Run(t, func(p *kittest.Play) { told = append(told, b.play(p)) })
		})
	}
	kittest.Golden(t, "testdata/bad.txt", strings.Join(told, "\n"))
}

// play returns what the objects say.
func (b bad) play(p *kittest.Play) string {
	p.T.Helper()
	if b.spoil != nil {
		p.Ready()
		b.spoil(p)
		p.Pass(later)
		p.Settle()
	}
	text := b.name + "\n"
	for _, ref := range b.asked {
		text += "  " + ref + ": " + says(p, ref) + "\n"
	}
	if b.mend != nil {
		b.mend(p)
		p.Pass(time.Hour)
		p.Settle()
		p.Ready()
	}
	wantIn(p, "Project", b.projects)
	return text
}
