package barbican

import (
	"stackwright.dev/stackwright/internal/service/oslo"
)

const home = "/var/lib/barbican"

// options sets what differs from upstream's defaults.
func options(s *scope, f *oslo.File) {
	// Addresses of secrets then begin as the request for them did: public ones for users, internal ones for services.
	f.Set(oslo.Default, "host_href", "")
	f.Set("queue", "enable", true)
	// By the old rules, which are Barbican's default (common/policy.py), members of a project may nothing at all without
	// a role creator, which nobody makes, and administrators do not get rid of what others encrypt.
	f.Set("oslo_policy", "enforce_new_defaults", true)
	// The worker does not start without.
	f.Set("oslo_concurrency", "lock_path", home+"/lock")
	if listens(s.Owner()) {
		hear(f)
	}
	var keys []any
	for _, key := range order(ring(s.Content(refKeys)), rolled(s)) {
		keys = append(keys, oslo.Literal(key))
	}
	f.Set("simple_crypto_plugin", "kek", keys...)
}
