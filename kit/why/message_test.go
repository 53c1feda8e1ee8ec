package why_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// complaints are the conditions of all owners that speak against them.
func complaints(t *testing.T, s state) (out []string) {
	t.Helper()
	world(t, s).Run(t, func(p *kittest.Play) {
		if s.script != nil {
			s.script(p)
			p.Settle()
		}
		for _, u := range p.Objects() {
			list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
			for _, e := range list {
				c, _ := e.(map[string]any)
				against := slices.Contains([]any{"Paused", "Stalled", "Reconciling"}, c["type"])
				if u.GetKind() == "App" && (c["status"] != "True" || against) {
					out = append(out, fmt.Sprint(c["message"]))
				}
			}
		}
	})
	return out
}

// TestMessages is criterion 21: in each state that an object gets stuck in, the messages of two runs are the same, byte
// for byte, and each names an object and what to do.
func TestMessages(t *testing.T) {
	all := 0
	for _, name := range slices.Sorted(maps.Keys(stuck)) {
		t.Run(name, func(t *testing.T) {
			first := complaints(t, stuck[name])
			if d := cmp.Diff(first, complaints(t, stuck[name])); d != "" {
				t.Errorf("two runs say different things (-first +second):\n%s", d)
			}
			for _, message := range first {
				if err := kittest.Sound(message); err != nil {
					t.Errorf("%v: %q", err, message)
				}
			}
			all += len(first)
		})
	}
	if all < 100 {
		t.Errorf("%d messages were looked at", all)
	}
}

// Kubernetes has kinds of the same names as others, so what to look at is named with its group: by the process that has
// read the object as by the one that has written it.
func TestObjectsAreNamedWithTheirGroup(t *testing.T) {
	given := another("web", "needs: db") + strings.Replace(another("db", ""), "a:1", "none", 1) + password
	world(t, state{given: given}).Run(t, func(p *kittest.Play) {
		for range 2 {
			const want = "; see kubectl -n shop describe app.example.kit.stackwright.dev/db"
			if got := p.Condition("App/web", "NeedsReady").Message; !strings.HasSuffix(got, want) {
				t.Errorf("the message is %q, want at its end %q", got, want)
			}
			p.Restart()
			p.Settle()
		}
	})
}
