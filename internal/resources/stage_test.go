package resources_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/fake"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/fetch/internet"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// stage is a scenario of objects in YAML, with the controllers of their kinds; the cluster serves no others. seed fills
// the cloud first; it may be nil.
func stage(t *testing.T, seed func(*fake.Cloud), objects ...string) kittest.Scenario {
	t.Helper()
	file := filepath.Join(t.TempDir(), "objects.yaml")
	if err := os.WriteFile(file, []byte(strings.Join(objects, "\n---\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	plurals, served := []string{"clouds", "clusterclouds", "referencegrants"}, map[string]bool{}
	for _, k := range kinds.Served() {
		if regexp.MustCompile(`"?kind"?: ?"?` + k.Name + `\b`).MatchString(strings.Join(objects, "\n")) {
			plurals, served[k.Name] = append(plurals, k.Plural), true
		}
	}
	var definitions []string
	for _, plural := range plurals {
		definitions = append(definitions, filepath.Join(crds, openstackv1.GroupVersion.Group+"_"+plural+".yaml"))
	}
	return kittest.Scenario{
		Scheme: scheme(), CRDs: definitions, Files: []string{file},
		Outside: func() http.RoundTripper {
			c := fake.New(kinds.Served())
			if seed != nil {
				seed(c)
			}
			return c
		},
		Controllers: func(outside http.RoundTripper) ([]kit.Controller, error) {
			pool := openstack.NewPool(openstack.Options{Transport: outside})
			e := resources.New(kinds.Served(), resources.Sessions(pool))
			web := internet.New()
			web.Serve("cloud.debian.org", "203.0.113.7", http.NotFoundHandler()) // for the cloud, which fetches the data
			e.Internet = web.Client()
			e.Lacks(func(kind string) bool { return served[kind] })
			return e.Controllers(scheme())
		},
	}
}

// one is an object of a kind; what it declares is in the YAML of one line.
func one(kind, namespace, name, spec string) string {
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {namespace: %s, name: %s}, spec: {%s}}",
		openstackv1.GroupVersion, kind, namespace, name, spec)
}

func namespace(name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", name)
}

// credentials are a Secret that leads to the fake cloud, with some words in it replaced.
func credentials(namespace string, replace ...string) string {
	text := strings.NewReplacer(replace...).Replace(fake.New(nil).CloudsYAML())
	return secret(namespace, "clouds.yaml", text)
}

func encode(value string) string { return base64.StdEncoding.EncodeToString([]byte(value)) }

// secret is the Secret cloud with one key.
func secret(namespace, key, value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {namespace: %s, name: cloud}, data: {%s: %s}}",
		namespace, key, encode(value))
}

func cloudIn(namespace string) string {
	return one("Cloud", namespace, "default", "secretRef: {name: cloud}, syncPeriod: 5m")
}

// everywhere is a ClusterCloud with the Secret of a namespace.
func everywhere(namespace string) string {
	return one("ClusterCloud", `""`, "default",
		"secretRef: {name: cloud, namespace: "+namespace+"}, namespaceSelector: {}, syncPeriod: 5m")
}

// says is condition Ready as people read it.
func says(p *kittest.Play, ref string) string {
	c := p.Condition(ref, "Ready")
	return fmt.Sprintf("%s %s %s", c.Status, c.Reason, c.Message)
}

func wantSays(p *kittest.Play, ref, part string) {
	p.T.Helper()
	if got := says(p, ref); !strings.Contains(got, part) {
		p.T.Errorf("%s says %q, want %q", ref, got, part)
	}
}

// wantIn wants so many resources of a kind in the cloud.
func wantIn(p *kittest.Play, kind string, want int) {
	p.T.Helper()
	if all := cloudOf(p).All(kind); len(all) != want {
		p.T.Errorf("there are %d resources of kind %s in the cloud, want %d: %v", len(all), kind, want, all)
	}
}
