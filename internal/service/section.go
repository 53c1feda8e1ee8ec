package service

import (
	"cmp"
	_ "embed"
	"strings"

	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/pki"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// cacheModule is put beside the configuration file and imported by the option proxies of section cache.
//
//go:embed cache.py
var cacheModule []byte

// base is what the operator sets in the configuration of every service; it differs from upstream's defaults only.
func (s Service[T]) base(sc *step.Scope[T]) *oslo.File {
	f := &oslo.File{}
	f.Set(oslo.Default, "use_stderr", true)
	if s.Database != nil {
		database(f, s.databaseSection(), sc.Value(RefDatabase, keyConnection), sc.Content(RefDatabase)[keyCA])
	}
	if s.Memcached != nil {
		if m, ok := sc.Get(RefMemcached).(*infrav1.Memcached); ok {
			cache(f, m)
		}
	}
	if s.RabbitMQ != nil {
		if transport := sc.Content(RefBus); transport != nil {
			bus(f, string(transport[keyTransport]), transport[keyCA])
		}
	}
	if s.Identity != nil && !s.Guest {
		s.authtoken(sc, f)
	}
	s.Options(sc, f)
	return f
}

func (s Service[T]) databaseSection() string { return cmp.Or(s.DatabaseSection, "database") }

// database says where a database is. All databases of a service are known by the authority of its own.
func database(f *oslo.File, section, connection string, ca []byte) {
	f.Set(section, "connection", oslo.Literal(Connection(connection, ca)))
	// A database that is away is an error at once, not a worker that hangs for 100 seconds: whoever asked can ask
	// again, and the workers stay free to answer probes.
	f.Set(section, "max_retries", 1)
	f.Set(section, "retry_interval", 1)
}

// Connect says in a further section where a database is, from the content of its Secret.
func Connect(f *oslo.File, section string, secret map[string][]byte) {
	database(f, section, string(secret[keyConnection]), secret[keyCA])
}

// Connection is a database's address for pods of the service: with an authority, which the pods have mounted.
func Connection(connection string, ca []byte) string {
	if len(ca) > 0 {
		connection += "&ssl_ca=" + path("database", keyCA)
	}
	return connection
}

// impatient bounds how long a worker of an API waits for the database's answer. When the node of the writer is cut
// off nothing ends its connections, and the kernel gives one up after a quarter of an hour. Jobs wait: a change of
// the schema may take long. The units are seconds, see pymysql.connections.Connection; a write outlasts the 5 s in
// which Galera drops a lost member.
func (s Service[T]) impatient(f *oslo.File) {
	if s.Database == nil {
		return
	}
	for _, section := range append([]string{s.databaseSection()}, s.Databases...) {
		f.Set(section, "connection_parameters", "connect_timeout=3&read_timeout=8&write_timeout=8")
	}
}

func cache(f *oslo.File, m *infrav1.Memcached) {
	f.Set("cache", "enabled", true)
	f.Set("cache", "backend", "dogpile.cache.pymemcache")
	f.Set("cache", "memcache_servers", strings.Join(m.Status.Servers, ","))
	f.Set("cache", "proxies", "stackwright_cache.Tolerant")
	if m.Status.ClientSecret != "" {
		f.Set("cache", "tls_enabled", true)
		f.Set("cache", "tls_cafile", path("memcached", keyCA))
		f.Set("cache", "tls_certfile", path("memcached", pki.CertKey))
		f.Set("cache", "tls_keyfile", path("memcached", pki.KeyKey))
	}
}

func bus(f *oslo.File, transport string, ca []byte) {
	f.Set(oslo.Default, "transport_url", oslo.Literal(transport))
	f.Set("oslo_messaging_rabbit", "rabbit_quorum_queue", true)
	f.Set("oslo_messaging_rabbit", "rabbit_transient_quorum_queue", true)
	f.Set("oslo_messaging_rabbit", "use_queue_manager", true)
	if len(ca) > 0 {
		f.Set("oslo_messaging_rabbit", "ssl", true)
		f.Set("oslo_messaging_rabbit", "ssl_ca_file", path("bus", keyCA))
	}
}

// Notify sends a message for each change of a resource.
func Notify(f *oslo.File) {
	f.Set("oslo_messaging_notifications", "driver", "messagingv2")
	// A broker that is away must not hold up whoever changes something.
	f.Set("oslo_messaging_notifications", "retry", 0)
}

// path is where the containers find a mounted file.
func path(mount, file string) string { return Folder + "/" + mount + "/" + file }
