//go:build !race

package reconcile_test

// race tells that the race detector slows everything down.
const race = false
