// Package servicetest has what the tests of all OpenStack services have in common: the world that a service is played
// in, and the promises that each of them keeps.
package servicetest

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
)

// Kind is a service under test. Its folder, testdata, has world.yaml, with what the object refers to, given.yaml, with
// what its variants refer to besides, and <service>.yaml, with the object in its smallest form.
type Kind struct {
	// Object is the object, such as Placement/cloud/placement, Service the name of its controller.
	Object, Service string
	// Controllers makes its controller.
	Controllers func(service.Cluster) (kit.Controller, error)
	// Option is one that the service has, such as api.auth_strategy, and Value one that it takes. A service without a
	// configuration file of oslo.config has none.
	Option, Value string
	// Workers are the names of its programs beside the API, and Stable those whose pods have names for ever. Definitions
	// are the files of kinds that only it refers to.
	Workers, Stable, Definitions []string
	// Ordered are the programs without which nobody hears of the service.
	Ordered []string
	// Follows are other objects that a new option changes, such as secrets/name.
	Follows []string
	// Notes are Jobs that write the address of a Secret into a database, by the names of both.
	Notes map[string]string
	// Others are further objects that somebody else makes ready, such as Domain.
	Others []string
	// Part of another service: it acts as the other's user, and is in no catalog.
	Part bool
	// Guest tells that the service asks Keystone for its users alone: it has no user, no database, and is in no catalog.
	Guest bool
}

// Name of the object.
func (k Kind) Name() string { return k.Object[strings.LastIndex(k.Object, "/")+1:] }

// Scenario is the smallest object, changed by a merge patch in YAML. Everybody else does at once what they are asked.
func (k Kind) Scenario(t *testing.T, patch string) kittest.Scenario {
	t.Helper()
	told := kittest.Told("True", "Ready", "")
	children := map[string]kittest.Behaviour{
		"Database": told, "MessageBus": told, "User": told, "RoleAssignment": told, "Endpoint": told,
		"VolumeType": told,
		// Kubernetes has a kind of this name, too.
		"Service/" + k.Name(): told,
	}
	for _, other := range k.Others {
		children[other] = told
	}
	return kittest.Scenario{
		Scheme:      operator.Scheme(),
		Controllers: k.controllers(service.Cluster{}),
		CRDs:        definitions(append(k.Definitions, "service.stackwright.dev_"+k.Service+"s")...),
		Files:       []string{"testdata/world.yaml", k.patched(t, patch)},
		Children:    children,
	}
}

// definitions are the files of the kinds that a service has to do with. There are many others, and each takes its time.
func definitions(names ...string) []string {
	folder := "charts/stackwright-operator/crds/"
	for range 8 {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		folder = "../" + folder
	}
	names = append(names, "service.stackwright.dev_keystones")
	for _, infra := range []string{"databases", "memcacheds", "messagebuses"} {
		names = append(names, "infra.stackwright.dev_"+infra)
	}
	for _, resource := range []string{"projects", "users", "roleassignments", "services", "endpoints"} {
		names = append(names, "openstack.stackwright.dev_"+resource)
	}
	for i, name := range names {
		names[i] = folder + name + ".yaml"
	}
	return names
}

func (k Kind) controllers(cluster service.Cluster) func(http.RoundTripper) ([]kit.Controller, error) {
	return func(http.RoundTripper) ([]kit.Controller, error) {
		c, err := k.Controllers(cluster)
		return []kit.Controller{c}, err
	}
}

// patched writes the smallest object, changed by a merge patch in YAML, into a file.
func (k Kind) patched(tb testing.TB, patch string) string {
	tb.Helper()
	base, err := os.ReadFile("testdata/" + k.Service + ".yaml")
	Must(tb, err)
	doc, err := yaml.YAMLToJSON(base)
	Must(tb, err)
	if patch != "" {
		change, err := yaml.YAMLToJSON([]byte(patch))
		Must(tb, err)
		doc, err = jsonpatch.MergePatch(doc, change)
		Must(tb, err)
	}
	file := filepath.Join(tb.TempDir(), k.Service+".yaml")
	Must(tb, os.WriteFile(file, doc, 0o600))
	return file
}

// Variants plays patches of the smallest object and compares the lines in which its objects differ with
// testdata/<name>.diff.
func (k Kind) Variants(t *testing.T, patches map[string]string) {
	t.Helper()
	base, err := os.ReadFile("testdata/minimal.yaml")
	Must(t, err)
	for name, patch := range patches {
		t.Run(name, func(t *testing.T) {
			s := k.Scenario(t, patch)
			s.Files = append(s.Files, "testdata/given.yaml")
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				kittest.Golden(t, "testdata/"+name+".diff", kittest.Diff(string(base), p.Applied()))
			})
		})
	}
}

// Must ends a test on an error.
func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// Secret returns the content of a Secret of a play.
func Secret(p *kittest.Play, name string) map[string]string {
	p.T.Helper()
	u := p.Object("Secret/cloud/" + name)
	if u == nil {
		p.T.Fatalf("there is no Secret %s", name)
	}
	raw, err := json.Marshal(u.Object["data"])
	Must(p.T, err)
	var data map[string][]byte
	Must(p.T, json.Unmarshal(raw, &data))
	out := map[string]string{}
	for k, v := range data {
		out[k] = string(v)
	}
	return out
}

// hashed are names of Jobs and of revisions of the configuration.
var hashed = regexp.MustCompile(`-([0-9a-f]{16}|[0-9a-f]{8})$`)

// Writes returns the names of the objects that are written while f runs, without events and the status of the owner.
func Writes(p *kittest.Play, f func()) []string {
	p.T.Helper()
	_, all := p.During(func() { f(); p.Settle() })
	var names []string
	for _, w := range all {
		path, _, _ := strings.Cut(strings.Fields(w)[1], "?")
		if strings.Contains(path, "/events") || strings.HasSuffix(path, "/status") {
			continue
		}
		parts := strings.Split(path, "/")
		names = append(names, parts[len(parts)-2]+"/"+hashed.ReplaceAllString(parts[len(parts)-1], "-HASH"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Jobs are the names of all Jobs.
func Jobs(p *kittest.Play) []string {
	p.T.Helper()
	var names []string
	for _, u := range p.Objects() {
		if u.GetKind() == "Job" {
			names = append(names, u.GetName())
		}
	}
	return names
}
