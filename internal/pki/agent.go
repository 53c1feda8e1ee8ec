package pki

import (
	"time"

	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/step"
)

// Keys of an agent Secret beside CAKey. Only the server's pair and the CA's certificate are mounted into pods.
const (
	AgentCAKey      = "ca.key"
	AgentServerCert = "server.crt"
	AgentServerKey  = "server.key"
	AgentClientCert = "client.crt"
	AgentClientKey  = "client.key"
)

// Common names by which an agent knows who asks.
const (
	// RoleOperator may give orders.
	RoleOperator = "operator"
	// RoleMember is another agent of the same cluster; it may ask for the state.
	RoleMember = "member"
)

// Agent is a step that keeps the Secret of the agents of one owner: a CA of its own, the pair that all agents serve
// with, and the pair that the operator calls them with.
func Agent[T owner.Object](name string, nameOf func(T) string, names func(T) []string,
	o ...step.Option[T]) step.Step[T] {
	generate := func(s *step.Scope[T], have map[string][]byte) (*step.Generated, error) {
		data, next, err := renewAgent(nameOf(s.Owner()), names(s.Owner()), have, s.Now())
		if err != nil {
			return nil, err
		}
		return secret(s.Owner(), nameOf(s.Owner()), data, next), nil
	}
	return step.Secret(name, generate, nameOf, o...)
}

func renewAgent(name string, hosts []string, have map[string][]byte,
	now time.Time) (map[string][]byte, time.Duration, error) {
	ca, next, err := renewCA(name, map[string][]byte{CertKey: have[CAKey], KeyKey: have[AgentCAKey]}, now)
	if err != nil {
		return nil, 0, err
	}
	data := map[string][]byte{CAKey: ca.Cert, AgentCAKey: ca.Key}
	for _, l := range []struct {
		cert, key string
		r         Request
	}{
		{AgentServerCert, AgentServerKey, Request{CommonName: RoleMember, Names: hosts}},
		{AgentClientCert, AgentClientKey, Request{CommonName: RoleOperator}},
	} {
		leaf, after, err := renewLeaf(ca, l.r, map[string][]byte{
			CertKey: have[l.cert], KeyKey: have[l.key], CAKey: ca.Cert,
		}, now)
		if err != nil {
			return nil, 0, err
		}
		data[l.cert], data[l.key] = leaf[CertKey], leaf[KeyKey]
		next = min(next, after)
	}
	return data, next, nil
}
