package charts_test

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/yaml"
)

var kubernetes = &common.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}

// published returns the charts of kinds, by name.
func published(t *testing.T) map[string]*chartv2.Chart {
	t.Helper()
	files, err := filepath.Glob("*/Chart.yaml")
	must(t, err)
	all := map[string]*chartv2.Chart{}
	for _, file := range files {
		if name := filepath.Dir(file); name != "stackwright-operator" {
			all[name] = load(t, name)
		}
	}
	if len(all) < 17 {
		t.Fatalf("found %d charts, want 17 at least", len(all))
	}
	return all
}

func load(t *testing.T, name string) *chartv2.Chart {
	t.Helper()
	c, err := loader.LoadDir(name)
	must(t, err)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// render returns the object of a chart, as `helm template` does.
func render(t *testing.T, c *chartv2.Chart, values map[string]any) (*unstructured.Unstructured, error) {
	t.Helper()
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(io.Discard, nil)))
	must(t, cfg.Init(genericclioptions.NewConfigFlags(false), "cloud", "memory"))
	install := action.NewInstall(cfg)
	install.DryRunStrategy, install.ReleaseName, install.Namespace = action.DryRunClient, "first", "cloud"
	install.KubeVersion = kubernetes
	got, err := install.RunWithContext(t.Context(), c, values)
	if err != nil {
		return nil, err
	}
	docs := strings.Split(strings.TrimPrefix(got.(*release.Release).Manifest, "---\n"), "\n---\n")
	if len(docs) != 1 {
		t.Fatalf("the chart renders %d objects, want one", len(docs))
	}
	u := &unstructured.Unstructured{Object: decode(t, docs[0])}
	return u, nil
}

// decode reads YAML; a key that is there twice is an error.
func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	must(t, err)
	u := map[string]any{}
	must(t, yaml.Unmarshal(data, &u))
	return u
}

var fence = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")

// samples are the objects of a kind that its page shows.
func samples(t *testing.T, kind string) (all []map[string]any) {
	t.Helper()
	page, err := os.ReadFile("../docs/kinds/" + strings.ToLower(kind) + ".md")
	must(t, err)
	for _, m := range fence.FindAllStringSubmatch(string(page), -1) {
		for doc := range strings.SplitSeq(m[1], "\n---\n") {
			if u := decode(t, doc); u["kind"] == kind {
				all = append(all, u)
			}
		}
	}
	return all
}

// sample returns the spec that the page of a kind shows first, as Helm reads it from a file of values.
func sample(t *testing.T, kind string) map[string]any {
	t.Helper()
	all := samples(t, kind)
	if len(all) == 0 {
		t.Fatalf("the page of %s has no sample", kind)
	}
	return values(t, all[0]["spec"])
}

// values writes values into YAML and reads them as Helm does.
func values(t *testing.T, of any) map[string]any {
	t.Helper()
	text, err := yaml.Marshal(of)
	must(t, err)
	read, err := common.ReadValues(text)
	must(t, err)
	return read
}

func isObject(f *common.File) bool { return f.Name == "templates/object.yaml" }
