package nova_test

import (
	"strings"
	"testing"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/nova"
)

const novaCell1 = "NovaCell/cloud/nova-cell1"

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "Nova/cloud/nova", Service: "nova", Option: "scheduler.max_attempts", Value: "5",
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(nova.Definition(cluster), operator.Scheme())
		},
		Workers: []string{"scheduler", "conductor"}, Ordered: []string{"scheduler", "conductor"},
		Definitions: []string{"service.stackwright.dev_novacells", "service.stackwright.dev_placements"},
		Follows:     []string{"novacells/nova-cell1"},
		Notes: map[string]string{"nova-cell0-db": "nova-db-sync", "nova-cell1-db": "nova-map-cells",
			"nova-cell1-bus": "nova-map-cells"},
	}
}

func scenario(t *testing.T, patch string) kittest.Scenario {
	t.Helper()
	s := kind().Scenario(t, patch)
	s.Files = append(s.Files, "testdata/given.yaml")
	s.Children["NovaCell"] = kittest.Told("True", "Ready", "")
	return s
}

func TestPromises(t *testing.T) { kind().Promises(t) }

// With the longest name of a cell, too.
func TestLongName(t *testing.T) {
	s := scenario(t, "spec: {cells: [{name: cell1}, {name: cell2}]}")
	infratest.LongName(t, s, kind().Object)
}

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "nova-config")
		password := servicetest.Secret(p, "nova-user")["password"]
		kittest.Golden(t, "testdata/nova.conf", strings.ReplaceAll(config["nova.conf"], password, "HIDDEN"))
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
		kittest.Golden(t, "testdata/cells.json", servicetest.Secret(p, "nova-cells")["cells.json"])
	})
}

// Flavors are told of in the new format alone, and Nova's own default is the old one.
func TestNotifiesInBothFormats(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "spec: {notifications: true}")).Run(t, func(p *kittest.Play) {
		config := servicetest.Secret(p, "nova-config")["nova.conf"]
		for _, line := range []string{"driver = messagingv2\n", "notification_format = both\n"} {
			if !strings.Contains(config, line) {
				t.Errorf("the configuration lacks %q:\n%s", line, config)
			}
		}
	})
}

// Each variant is a patch of the smallest Nova, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"plain":  "spec: {tls: {disabled: true}}",
		"cells":  "spec: {cells: [{name: cell1}, {name: cell2, galera: far, rabbitmq: away, conductor: {replicas: 3}}]}",
		"cached": "spec: {memcached: cache}",
		"workers": "spec: {scheduler: {replicas: 3}, conductor: {replicas: 2}, " +
			"maintenance: {keepDays: 0, schedule: 0 1 * * *}}",
	})
}
