package install

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// template renders the chart as Helm does, without a cluster.
func template(t *testing.T, values map[string]any) (string, error) {
	t.Helper()
	chart, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.NewTextHandler(io.Discard, nil)))
	if err := cfg.Init(genericclioptions.NewConfigFlags(false), "system", "memory"); err != nil {
		t.Fatal(err)
	}
	install := action.NewInstall(cfg)
	install.DryRunStrategy, install.ReleaseName, install.Namespace = action.DryRunClient, "sw", "system"
	install.KubeVersion = &common.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}
	got, err := install.RunWithContext(t.Context(), chart, values)
	if err != nil {
		return "", err
	}
	return got.(*release.Release).Manifest, nil
}

func TestChartGivesEachOperatorItsOwnRolesOnly(t *testing.T) {
	text, err := template(t, map[string]any{"image": "example.test/operator:1", "operators": []any{
		map[string]any{"name": "identity", "controllers": []any{"keystone/api", "keystone/setup"}},
		map[string]any{"name": "cache", "controllers": []any{"memcached"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"--controllers=keystone/api,keystone/setup", "--controllers=memcached",
		"name: sw-identity-keystone", "name: sw-cache-memcached", "runAsNonRoot: true", "type: RuntimeDefault",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the chart has no %q", want)
		}
	}
	for _, not := range []string{"name: sw-identity-memcached", "name: sw-cache-keystone", "name: sw-cache-galera"} {
		if strings.Contains(text, not) {
			t.Errorf("the chart has %q: an operator has the role of a controller that it does not run", not)
		}
	}
	if n := strings.Count(text, "name: sw-identity-keystone\n"); n != 1 {
		t.Errorf("two components of one controller make %d bindings, want 1", n)
	}
}

func TestChartRunsAllControllersByDefault(t *testing.T) {
	text, err := template(t, map[string]any{"image": "example.test/operator:1"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "--controllers") {
		t.Error("the default restricts controllers")
	}
	for _, role := range []string{"controlplane", "galera", "database", "rabbitmq", "messagebus", "memcached",
		"keystone", "glance", "placement", "neutron", "nova", "novacell", "barbican", "heat", "cinder", "horizon",
		"devceph", "buildingblock"} {
		if !strings.Contains(text, "name: sw-"+role+"\n") {
			t.Errorf("the chart has no role for %s", role)
		}
	}
}

// Profiles are served where somebody asks for them, and nowhere else.
func TestChartServesProfilesOnRequest(t *testing.T) {
	for address, want := range map[string]int{"": 0, "127.0.0.1:6060": 1} {
		text, err := template(t, map[string]any{"image": "example.test/operator:1", "pprof": address})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(text, "--pprof="+address); got != want {
			t.Errorf("with pprof %q the chart has the flag %d times, want %d", address, got, want)
		}
	}
}

func TestChartRefusesBadValues(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]any
		says   string
	}{
		"no image":      {map[string]any{}, "image"},
		"unknown value": {map[string]any{"image": "a", "colour": "red"}, "colour"},
		"unknown controller": {map[string]any{"image": "a", "operators": []any{map[string]any{"name": "x",
			"controllers": []any{"nowhere"}}}}, `controller "nowhere" does not exist; those that exist are`},
		"open profiles": {map[string]any{"image": "a", "pprof": ":6060"}, "pprof"},
		"no operators":  {map[string]any{"image": "a", "operators": []any{}}, "operators"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := template(t, c.values)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error is %v, want one with %q", err, c.says)
			}
		})
	}
}

// Helm keeps the chart with each release in a Secret, which has 1 MiB: the definitions of all kinds must fit.
func TestChartFitsIntoARelease(t *testing.T) {
	chart, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(chart)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	size := base64.StdEncoding.EncodedLen(packed.Len())
	t.Logf("the chart takes %d bytes in a release", size)
	if size > 900_000 {
		t.Errorf("the chart takes %d bytes in a release, of which a Secret takes 1 MiB; install CRDs apart from it", size)
	}
}
