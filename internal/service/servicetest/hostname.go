package servicetest

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service"
)

// hostname plays TellsHostname.
func (k Kind) hostname(t *testing.T) {
	TellsHostname(t, k.Object, func(patch string, cluster service.Cluster) kittest.Scenario {
		s := k.Scenario(t, patch)
		s.Controllers = k.controllers(cluster)
		return s
	})
}

// TellsHostname plays an object, `kind/namespace/name`, in the scenario of a patch of it and a cluster: a name in the
// catalog that has no address is told, keeps nobody from Ready, and is looked for again.
func TellsHostname(t *testing.T, object string, scenario func(patch string, cluster service.Cluster) kittest.Scenario) {
	t.Helper()
	const name = "service.cloud.example.org"
	var known, asked atomic.Bool
	s := scenario("spec: {expose: {type: ClusterIP, hostname: "+name+"}}", service.Cluster{
		Lookup: func(_ context.Context, host string) ([]string, error) {
			asked.Store(true)
			if host != name {
				t.Errorf("%s is looked for", host)
			}
			if known.Load() {
				return []string{"192.0.2.7"}, nil
			}
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		}})
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		p.Ready()
		const want = "the catalog sends users to " + name + ", which has no address as this cluster sees it; " +
			"make a DNS record for it, or correct the hostname in spec.expose; no need where only users resolve it"
		if got := p.Condition(object, "HostnameResolves"); got.Status != "False" || got.Message != want {
			t.Errorf("the advice is %s: %s", got.Status, got.Message)
		}
		known.Store(true)
		p.Pass(2 * time.Minute)
		if got := p.Condition(object, "HostnameResolves"); got.Status != "True" {
			t.Errorf("with an address the advice is %s: %s", got.Status, got.Message)
		}
		asked.Store(false)
		p.Pass(time.Hour)
		if asked.Load() {
			t.Error("a name that has an address is looked for at rest")
		}
	})
}
