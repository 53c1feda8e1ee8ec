package cli

import (
	"slices"
	"strings"
)

// kept are the variables of who starts a cluster that its programs get: where programs, homes and authorities are, the
// clock's zone, and the way to a registry. Everything else of a shell, credentials among it, is none of their affair:
// who may look into a node may read the environment of its programs.
var kept = []string{"PATH", "HOME", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}

// environment is what a cluster's programs get of all, a list of NAME=VALUE.
func environment(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(kept, name)
	})
}
