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
	octaviaTags        = d.Field{API: "tags", Type: d.Strings, Normal: d.Set, Max: 255,
		Doc: "Words by which it is found."}
	tlsCiphers = d.Field{API: "tls_ciphers", Max: 2048,
		Doc: "Ciphers of TLS in the spelling of OpenSSL, with colons in between."}
	tlsVersions = d.Field{API: "tls_versions", Type: d.Strings, Normal: d.Set, Max: 32,
		Doc: "Versions of TLS, such as TLSv1.3."}
	alpnProtocols = d.Field{API: "alpn_protocols", Type: d.Strings, Enum: []string{"h2", "http/1.0", "http/1.1"},
		Doc: "Protocols that TLS offers, the best first."}
)

func milliseconds(api, doc string) d.Field {
	return d.Field{API: api, Type: d.Int, HasMin: true, Max: 24 * 24 * 3600 * 1000, Doc: doc}
}

// listenerTLS has the fields of listeners that speak TLS.
var listenerTLS = []d.Field{
	{API: "default_tls_container_ref", As: "defaultTLSContainerRef", Ref: "KeyManagerSecret", By: "secret_ref",
		Nullable: true, Doc: "Certificate and key, as PKCS12."},
	{API: "sni_container_refs", As: "sniContainerRefs", Type: d.Strings, Normal: d.Set, Ref: "KeyManagerSecret",
		By:  "secret_ref",
		Doc: "Certificates and keys of more names."},
	{API: "client_authentication", Enum: []string{"MANDATORY", "NONE", "OPTIONAL"},
		Doc: "Whether clients have certificates."},
	{API: "client_ca_tls_container_ref", As: "clientCAContainerRef", Ref: "KeyManagerSecret", By: "secret_ref",
		Nullable: true, Doc: "Who signs clients."},
	{API: "client_crl_container_ref", As: "clientCRLContainerRef", Ref: "KeyManagerSecret", By: "secret_ref",
		Nullable: true, Doc: "Clients that are void."},
	tlsCiphers, tlsVersions, alpnProtocols,
	{API: "hsts_max_age", Type: d.Int, HasMin: true, Max: maxInt,
		Doc: "Seconds for which browsers come back by HTTPS only."},
	{API: "hsts_include_subdomains", Type: d.Bool, Doc: "Whether that holds for the names below too."},
	{API: "hsts_preload", Type: d.Bool, Doc: "Whether browsers may ship with that."},
}

// persistence has the fields of a pool's session persistence.
var persistence = []d.Field{
	{API: "type", Required: true, Enum: []string{"APP_COOKIE", "HTTP_COOKIE", "SOURCE_IP"},
		Doc: "By what it is known."},
	{API: "cookie_name", Max: 255, Doc: "Cookie of the application."},
	{API: "persistence_timeout", Type: d.Int, HasMin: true, Max: maxInt,
		Doc: "Seconds that it is known; for UDP and SCTP."},
	{API: "persistence_granularity", Max: 64, Doc: "Mask of addresses that are the same client; for UDP and SCTP."},
}

// octaviaSurvey shows what has something below it. Octavia lists the ids of that alone, but sets the status of what is
// above first whenever it changes something, which renews updated_at.
func octaviaSurvey(parents, below string) d.Survey {
	return d.Survey{Path: "/" + parents + "?limit=1000", Items: parents, Parent: "id",
		Shows: []string{below, "updated_at", "provisioning_status"}}
}

// lbQuota is a quota with a limit of its own.
func lbQuota(api, doc string) d.Field {
	f := quota(api, doc)
	f.Max = 2_000_000_000
	return f
}
