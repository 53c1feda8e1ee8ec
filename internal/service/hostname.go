package service

import (
	"context"
	"errors"
	"net"
	"slices"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/step"
)

// Cluster is what services need to know of the cluster that they run in.
type Cluster struct {
	// Gateway tells that the cluster serves HTTPRoutes of the Gateway API.
	Gateway bool
	// Lookup finds the addresses of a name, as net.Resolver does; nil looks for none.
	Lookup func(ctx context.Context, host string) ([]string, error)
}

const (
	lookupTime = 2 * time.Second
	// lookupPause is how soon a name that had no address is looked for again; one that had some is taken to keep them.
	lookupPause = time.Minute
)

func (s Service[T]) hostnames(o T) []string {
	var names []string
	for _, d := range s.doors(o) {
		if d.expose.Hostname != "" && net.ParseIP(d.expose.Hostname) == nil {
			names = append(names, d.expose.Hostname)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// HostnameStep tells people of a hostname in the catalog that has no address. It only advises: that the cluster cannot
// resolve a name does not say that those who use it cannot.
func (s Service[T]) HostnameStep() step.Step[T] {
	return step.Check("hostname", s.resolves, step.Advises[T]("HostnameResolves"), step.Component[T](ComponentSetup),
		step.When(func(o T) bool { return len(s.hostnames(o)) > 0 }))
}

func (s Service[T]) resolves(ctx context.Context, sc *step.Scope[T]) *outcome.Outcome {
	if s.Cluster.Lookup == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	for _, name := range s.hostnames(sc.Owner()) {
		_, err := s.Cluster.Lookup(ctx, name)
		if err == nil {
			continue
		}
		on := "an address of " + name
		if failure, ok := errors.AsType[*net.DNSError](err); ok && failure.IsNotFound {
			return outcome.Poll(lookupPause, on,
				"the catalog sends users to %s, which has no address as this cluster sees it; "+
					"make a DNS record for it, or correct the hostname in spec.expose; no need where only users "+
					"resolve it", name)
		}
		return outcome.Poll(lookupPause, on,
			"the DNS of this cluster did not answer for %s, to which the catalog sends users; "+
				"look at the cluster's DNS, such as with kubectl -n kube-system get pods", name)
	}
	return nil
}
