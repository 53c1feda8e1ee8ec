package keystone_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/kit/kittest"
)

// The object's own options win over those of its files, a later file over an earlier one, and all over the operator's.
// A file that changes rolls the API.
func TestOwnOptionsWin(t *testing.T) {
	s := scenario(t, "spec: {configFrom: [{configMap: first}, {configMap: second}], config: {token: {expiration: 700}}}")
	s.Files = append(s.Files, "testdata/layers.yaml")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		want := func(when string, lines ...string) {
			t.Helper()
			running := p.Object(api).GetAnnotations()["service.stackwright.dev/config"]
			for _, name := range []string{"identity-config", "identity-config-" + running} {
				have := strings.Split(secret(p, name)["keystone.conf"], "\n")
				for _, line := range lines {
					option, _, _ := strings.Cut(line, " ")
					of := slices.DeleteFunc(slices.Clone(have), func(l string) bool { return !strings.HasPrefix(l, option+" ") })
					if !cmp.Equal(of, []string{line}) {
						t.Errorf("%s Secret %s has %q, want %q", when, name, of, line)
					}
				}
			}
		}
		want("first,", "expiration = 700", "allow_expired_window = 8", "cache_time = 20", "max_password_length = 60")
		const changed = "[token]\nexpiration = 500\nallow_expired_window = 9\n"
		got := writes(p, func() { p.Change("ConfigMap/cloud/second", "data", map[string]any{"a.conf": changed}) })
		if !slices.Contains(got, "deployments/identity-api") {
			t.Errorf("a file changed, and no pod is new: it wrote %v", got)
		}
		p.Ready()
		want("with another file,", "expiration = 700", "allow_expired_window = 9", "cache_time = 20")
		p.Change(identity, "spec.config", nil)
		p.Settle()
		p.Ready()
		want("without an option of its own,", "expiration = 500")
	})
}
