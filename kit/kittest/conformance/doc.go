// Package conformance holds the API server in memory to what a real kube-apiserver answers. Its cases are
// conversations: sequences of REST requests. What the real server said is kept in testdata; the unit test lets package
// apiserver say the same, and the test with build tag apiserver checks, or with -update rewrites, what the real server
// says.
package conformance
