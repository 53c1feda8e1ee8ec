package barbican_test

import (
	"regexp"
	"testing"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/barbican"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "Barbican/cloud/barbican", Service: "barbican",
		Option: "quotas.quota_secrets", Value: "500", Workers: []string{"worker"},
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(barbican.Definition(cluster), operator.Scheme())
		},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }
func TestLongName(t *testing.T) { infratest.LongName(t, kind().Scenario(t, ""), kind().Object) }

// random are the values of a configuration that each run makes anew.
var random = regexp.MustCompile(`(?m)^((?:password|kek) = ).*$`)

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "barbican-config")
		kittest.Golden(t, "testdata/barbican.conf", random.ReplaceAllString(config["barbican.conf"], "${1}HIDDEN"))
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
	})
}

// Each variant is a patch of the smallest Barbican, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"plain":  "spec: {tls: {disabled: true}}",
		"worker": "spec: {worker: {replicas: 2}, maintenance: {keepDays: 0}}",
		"older":  "spec: {keyGeneration: 3}",
		"hears":  "spec: {keystoneListener: {secret: identity-bus-listener, replicas: 2}}",
		"vault": "spec: {config: {secretstore: {enabled_secretstore_plugins: [vault_plugin]}}, " +
			"configFrom: [{secret: vault}], extraVolumes: [{name: vault, secret: vault-ca, mountPath: /etc/vault}]}",
	})
}
