// Package arch has tests about the repository itself: who imports whom, the size of things, the shape of the API, what
// is registered and what the papers say. CONTRIBUTING.md tells the rules; these tests keep them true.
package arch
