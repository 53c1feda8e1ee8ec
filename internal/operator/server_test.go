//go:build apiserver

package operator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

// What any split makes is the same on a real API server, too, with its defaults and its own bookkeeping of fields.
func TestServerAnySplitMakesTheSame(t *testing.T) {
	made := func(operators ...string) (out []string) {
		s := scenario(t, operators...)
		s.Config = live
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Ready()
			out = state(p)
		})
		return out
	}
	want := made("--controllers=")
	for split, operators := range map[string][]string{"services": perService(), "components": perComponent()} {
		if diff := cmp.Diff(want, made(operators...)); diff != "" {
			t.Errorf("one operator for each of the %s differs from one for all (-one +split):\n%s", split, diff)
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
