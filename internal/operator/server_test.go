//go:build apiserver

package operator

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) {
	cfg, stop, err := kittest.DevCluster()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	live = cfg
	code := m.Run()
	stop()
	os.Exit(code)
}

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
