package barbican_test

import (
	"regexp"
	"strings"
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
		Option: "quotas.quota_secrets", Value: "500", Workers: []string{"worker"}, Ordered: []string{"worker"},
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

// With several stores each has a section that is named after it (plugin/util/multiple_backends.py).
func TestSeveralStores(t *testing.T) {
	const stores = "spec: {config: {secretstore: {enable_multiple_secret_stores: true, " +
		"stores_lookup_suffix: [old, vault]}, " +
		"'secretstore:old': {secret_store_plugin: store_crypto, crypto_plugin: simple_crypto}, " +
		"'secretstore:vault': {secret_store_plugin: vault_plugin, global_default: true}}}"
	kittest.New(t, kind().Scenario(t, stores)).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "barbican-config")["barbican.conf"]
		for _, want := range []string{
			"[secretstore]\nenable_multiple_secret_stores = true\nstores_lookup_suffix = old,vault\n",
			"[secretstore:old]\ncrypto_plugin = simple_crypto\nsecret_store_plugin = store_crypto\n",
			"[secretstore:vault]\nglobal_default = true\nsecret_store_plugin = vault_plugin\n",
		} {
			if !strings.Contains(config, want) {
				t.Errorf("the configuration lacks\n%s\nit is\n%s", want, config)
			}
		}
		p.Change(kind().Object, "spec.config", map[string]any{
			"secretstore:old": map[string]any{"store_plugin": "store_crypto"}})
		p.Settle()
		const want = "no section [secretstore:old]"
		if c := p.Condition(kind().Object, "ConfigReady"); !strings.Contains(c.Message, want) {
			t.Errorf("ConfigReady is %s: %s, want %q in it", c.Status, c.Message, want)
		}
	})
}
