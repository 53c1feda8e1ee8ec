//go:build apiserver

package galera_test

import (
	"testing"

	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func onServer(t *testing.T) *kittest.World {
	t.Helper()
	s := scenario(t)
	s.Config = live
	return kittest.New(t, s)
}

// The API server refuses a claim more room than its class lets it have, as the one in memory does not.
func TestServerVolumesGrow(t *testing.T) {
	onServer(t).Run(t, func(p *kittest.Play) { infratest.GrowsByAClass(p, db, "data-db-0") })
}
