//go:build apiserver

package horizon_test

import (
	"testing"

	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func TestServerPromises(t *testing.T) { kind().ServerPromises(t, live) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"keystone":  {"spec: {keystone: null}", "spec.keystone: Required value"},
			"memcached": {"spec: {memcached: ''}", "spec.memcached"},
			"replicas":  {"spec: {replicas: -1}", "spec.replicas"},
			"name":      {"metadata: {name: 1st}", "beginning with a letter"},
			"service":   {"spec: {services: [barbican]}", "spec.services[0]: Unsupported value"},
			"link":      {"spec: {branding: {siteLink: 'javascript:alert(1)'}}", "use a URL with http or https"},
		})
	})
}
