package keystone_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/services/keystone"
)

// scenario is the smallest Keystone, changed by a merge patch in YAML.
func scenario(t *testing.T, patch string) kittest.Scenario {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, infrav1.AddToScheme, servicev1.AddToScheme,
	} {
		must(t, add(scheme))
	}
	return kittest.Scenario{
		Scheme: scheme,
		Controllers: func(http.RoundTripper) ([]kit.Controller, error) {
			c, err := kit.New(keystone.Definition(false), scheme)
			return []kit.Controller{c}, err
		},
		CRDs:     []string{"../../../charts/stackwright-operator/crds"},
		Files:    []string{"testdata/world.yaml", patched(t, patch)},
		Children: map[string]kittest.Behaviour{"Database": kittest.Ready, "MessageBus": kittest.Ready},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func patched(t *testing.T, patch string) string {
	t.Helper()
	base, err := os.ReadFile("testdata/keystone.yaml")
	must(t, err)
	doc, err := yaml.YAMLToJSON(base)
	must(t, err)
	change, err := yaml.YAMLToJSON([]byte(patch))
	must(t, err)
	if patch != "" {
		doc, err = jsonpatch.MergePatch(doc, change)
		must(t, err)
	}
	file := filepath.Join(t.TempDir(), "keystone.yaml")
	must(t, os.WriteFile(file, doc, 0o600))
	return file
}

// secret returns the content of a Secret of a play.
func secret(p *kittest.Play, name string) map[string]string {
	p.T.Helper()
	u := p.Object("Secret/cloud/" + name)
	if u == nil {
		p.T.Fatalf("there is no Secret %s", name)
	}
	raw, err := json.Marshal(u.Object["data"])
	must(p.T, err)
	var data map[string][]byte
	must(p.T, json.Unmarshal(raw, &data))
	out := map[string]string{}
	for k, v := range data {
		out[k] = string(v)
	}
	return out
}

var generated = regexp.MustCompile(`password: \S+`)

func TestReady(t *testing.T)  { kittest.New(t, scenario(t, "")).Ready(t) }
func TestGolden(t *testing.T) { kittest.New(t, scenario(t, "")).Golden(t, "testdata/minimal.yaml") }
func TestBudget(t *testing.T) { kittest.New(t, scenario(t, "")).Budget(t, 0, 0) }
func TestCrash(t *testing.T)  { kittest.New(t, scenario(t, "")).Crash(t, nil) }

func TestFiles(t *testing.T) {
	kittest.New(t, scenario(t, "")).Run(t, func(p *kittest.Play) {
		config := secret(p, "identity-config")
		kittest.Golden(t, "testdata/keystone.conf", config["keystone.conf"])
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
		clouds := secret(p, "identity-clouds")["clouds.yaml"]
		kittest.Golden(t, "testdata/clouds.yaml", generated.ReplaceAllString(clouds, "password: HIDDEN"))
	})
}
