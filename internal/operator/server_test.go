//go:build apiserver

package operator

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// What any split makes is the same on a real API server, too, with its defaults and its own bookkeeping of fields, and
// with no more rights than the chart gives to each operator.
func TestServerAnySplitMakesTheSame(t *testing.T) {
	made := func(split string, operators ...string) (out []string) {
		s := scenario(t, operators...)
		s.Config, s.Accounts = live, accounts(t, split, operators)
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Ready()
			out = state(p)
		})
		return out
	}
	want := made("one", "--controllers=")
	for split, operators := range map[string][]string{"services": perService(), "components": perComponent()} {
		if diff := cmp.Diff(want, made(split, operators...)); diff != "" {
			t.Errorf("one operator for each of the %s differs from one for all (-one +split):\n%s", split, diff)
		}
	}
}

// accounts installs the rights of a release of the chart with these operators, and returns the users that they are.
func accounts(t *testing.T, name string, operators []string) (users []string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var entries []any
	for i, args := range operators {
		entry := map[string]any{"name": strconv.Itoa(i)}
		if _, controllers, _ := strings.Cut(args, "="); controllers != "" {
			list := []any{}
			for name := range strings.SplitSeq(controllers, ",") {
				list = append(list, name)
			}
			entry["controllers"] = list
		}
		entries = append(entries, entry)
		users = append(users, fmt.Sprintf("system:serviceaccount:operators:%s-%d", name, i))
	}
	chart, err := loader.LoadDir("../../charts/stackwright-operator")
	must(err)
	cfg := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	must(cfg.Init(genericclioptions.NewConfigFlags(false), "operators", "memory"))
	install := action.NewInstall(cfg)
	install.DryRunStrategy, install.ReleaseName, install.Namespace = action.DryRunClient, name, "operators"
	install.KubeVersion = &common.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}
	installed, err := install.RunWithContext(t.Context(), chart, map[string]any{"image": "images.test/operator:1",
		"operators": entries})
	must(err)
	c, err := client.New(live, client.Options{})
	must(err)
	d := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(installed.(*release.Release).Manifest), 4096)
	for {
		u := &unstructured.Unstructured{}
		if err := d.Decode(&u.Object); errors.Is(err, io.EOF) {
			return users
		}
		must(err)
		if strings.HasPrefix(u.GetKind(), "ClusterRole") {
			must(c.Create(t.Context(), u))
		}
	}
}

// What only a look at other objects can tell is refused by a condition, and what runs stays as it is.
func TestServerRefusesReleases(t *testing.T) {
	s := scenario(t, "--controllers=")
	s.Config = live
	s.Files = append(s.Files, "testdata/zed.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		for release, want := range map[string]struct{ reason, says string }{
			"yoga": {"UnknownRelease", "OpenStackRelease yoga does not exist; set spec.release to one that does: epoxy"},
			"zed": {"Downgrade", "release zed is OpenStack 2022.2, and this control plane runs 2025.1: its databases " +
				"cannot go back; set spec.release to epoxy or a later one"},
		} {
			p.Change(cloud, "spec.release", release)
			p.Settle()
			c := p.Condition(cloud, "ReleaseReady")
			if c.Status != "False" || c.Reason != want.reason || c.Message != want.says {
				t.Errorf("ReleaseReady is %s, %s: %q; want %s: %q", c.Status, c.Reason, c.Message, want.reason, want.says)
			}
			image, _, _ := unstructured.NestedString(p.Object("Galera/first-galera").Object, "spec", "image")
			if image != "images.test/mariadb:1" {
				t.Errorf("Galera runs %s although the release was refused", image)
			}
		}
	})
}
