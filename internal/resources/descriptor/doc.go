// Package descriptor is the format in which a kind of OpenStack resource is written down: a literal of 15 to 40 lines
// from which its Go type, CRD, rights, reference page, sample, fake behaviour and conformance tests follow, and by
// which the engine talks to the API.
package descriptor
