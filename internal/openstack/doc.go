// Package openstack is the only door to OpenStack APIs. It holds sessions with clouds and sends them JSON requests;
// what a server or a network is, is not known here.
//
// A Pool has one Session for each credential in each scope (a namespace and its Secret, say). Pool.Open takes an
// entry of a clouds.yaml and returns the session, which it authenticates once however many callers ask. Opening is
// cheap when the session is there, so callers open before each piece of work rather than keep a session.
//
//	caller → Session.Do → token → gate of (cloud, service) → transport of (TLS configuration) → service
//	                       │         │
//	                       │         ├ queue: lanes by urgency, fair over owners within one
//	                       │         ├ token bucket, and a window of parallel requests that shrinks under pressure
//	                       │         ├ Retry-After: nothing is sent before
//	                       │         └ breaker: a service that does not answer fails at once
//	                       └ renewed at four fifths of its life by the next caller; 401 means one more try
//
// Gates belong to clouds, not to sessions: two hundred credentials of one cloud share what it can take. Different
// clouds, and different services of one cloud, share nothing that can block but the memory for long answers, of which
// each gets its part in turn.
//
// Every error is a *Fault, which says what kind of failure it is and maps to an outcome of the kit. Do tries nothing
// again but a request whose token was refused: whether creating something may be repeated, only the caller knows.
//
// Facts about OpenStack are tables: service.go has types, aliases, version paths and headers of microversions;
// pattern.go how each service says "quota" and "not now"; message.go where each one hides its message.
//
// Nothing of the process is read (no OS_* variables, no files that an entry names): who writes a clouds.yaml does not
// reach what the operator can. Only a proxy in the environment is used.
package openstack
