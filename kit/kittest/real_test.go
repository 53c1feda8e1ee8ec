//go:build apiserver

package kittest_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) {
	if os.Getenv("KITTEST_BROKEN") != "" {
		os.Exit(m.Run()) // TestBroken plays in memory
	}
	kittest.Main(m, &live)
}

func onServer(t *testing.T) *kittest.World {
	t.Helper()
	s := scenario(t)
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T)  { onServer(t).Ready(t) }
func TestServerGolden(t *testing.T) { onServer(t).Golden(t, example+"testdata/app.golden.yaml") }
func TestServerBudget(t *testing.T) { onServer(t).Budget(t, 0, 0) }
func TestServerDelete(t *testing.T) { onServer(t).Delete(t, (*kittest.Play).Stop) }

func TestServerDrift(t *testing.T) {
	w := onServer(t)
	w.Drift(t, "ConfigMap/web-config", "data.directory", "elsewhere")
	w.Foreign(t, "ConfigMap/web-config", "data.extra", "1")
}

// TestServerState wants the same end state in memory and on the real server.
func TestServerState(t *testing.T) {
	var memory, server string
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) { memory = p.Snapshot() })
	onServer(t).Run(t, func(p *kittest.Play) { server = p.Snapshot() })
	if d := cmp.Diff(strings.Split(server, "\n"), strings.Split(memory, "\n")); d != "" {
		t.Errorf("the end state in memory is another one (-server +memory):\n%s", d)
	}
}
