// Package apiserver is a Kubernetes API server in memory. It speaks REST to the real clients, caches and managers of
// client-go and controller-runtime, as an http.RoundTripper (no socket, so it works inside a testing/synctest bubble)
// or as an http.Handler.
//
// What decides whether an operator works is the real server's own code: field ownership (structured-merge-diff with
// the published schemas of built-in kinds and with the schemas of CustomResourceDefinitions), strategies, defaulting,
// pruning and CEL validation of custom resources, metadata rules of create and update. What this package adds is
// storage, routing, watches, preconditions, deletion and a table of generation, immutability and defaulting rules for
// built-in kinds. Package conformance runs one table of operations on it and on a real kube-apiserver and compares the
// answers.
//
// Not there: admission, authorization, other subresources than status and pods/log, API priority, protobuf answers (the
// clients accept JSON), more than one version of a built-in kind, and the full validation of built-in kinds.
package apiserver
