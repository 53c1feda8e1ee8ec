package kinds

import d "stackwright.dev/stackwright/internal/resources/descriptor"

// Octavia takes tags at creation, and shows each resource's state of work. While one is PENDING, all of its load
// balancer refuse changes.
var (
	octaviaTag   = d.Marker{Channel: d.MarkByTag, Field: "tags"}
	octaviaState = d.State{Path: "provisioning_status", Ready: []string{"ACTIVE"}, Error: []string{"ERROR"},
		Pending: []string{"PENDING_CREATE", "PENDING_UPDATE", "PENDING_DELETE"}, Deleted: []string{"DELETED"}}
)

// Fields that many of Octavia's kinds have.
var (
	octaviaDescription = d.Field{API: "description", Max: 255, Doc: "A sentence for people."}
	octaviaTags        = d.Field{API: "tags", Type: d.Strings, Normal: d.Set, Max: 255, Doc: "Words by which it is found."}
	tlsCiphers         = d.Field{API: "tls_ciphers", Max: 2048, Doc: "Ciphers of TLS in the spelling of OpenSSL, with colons in between."}
	tlsVersions        = d.Field{API: "tls_versions", Type: d.Strings, Normal: d.Set, Max: 32, Doc: "Versions of TLS, such as TLSv1.3."}
	alpnProtocols      = d.Field{API: "alpn_protocols", Type: d.Strings, Enum: []string{"h2", "http/1.0", "http/1.1"},
		Doc: "Protocols that TLS offers, the best first."}
)

func milliseconds(api, doc string) d.Field {
	return d.Field{API: api, Type: d.Int, HasMin: true, Max: 24 * 24 * 3600 * 1000, Doc: doc}
}
