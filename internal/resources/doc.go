// Package resources keeps OpenStack resources as Kubernetes objects declare them. A kind is a descriptor; the engine
// here makes, compares, changes and deletes resources of any kind by it, and asks a mirror rather than the API.
package resources
