package placement_test

import (
	"strings"
	"testing"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/operator"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/internal/services/placement"
)

func kind() servicetest.Kind {
	return servicetest.Kind{
		Object: "Placement/cloud/placement", Service: "placement",
		Option: "placement.max_allocation_candidates", Value: "500",
		Controllers: func(cluster service.Cluster) (kit.Controller, error) {
			return kit.New(placement.Definition(cluster), operator.Scheme())
		},
	}
}

func TestPromises(t *testing.T) { kind().Promises(t) }
func TestLongName(t *testing.T) { infratest.LongName(t, kind().Scenario(t, ""), kind().Object) }

func TestFiles(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Ready()
		config := servicetest.Secret(p, "placement-config")
		password := servicetest.Secret(p, "placement-user")["password"]
		kittest.Golden(t, "testdata/placement.conf", strings.ReplaceAll(config["placement.conf"], password, "HIDDEN"))
		kittest.Golden(t, "testdata/uwsgi.ini", config["uwsgi.ini"])
	})
}

// A process that is alone has nobody to share its modules with; two more copies of them would only take memory.
func TestOneProcessSharesNothing(t *testing.T) {
	kittest.New(t, kind().Scenario(t, "spec: {workers: 1}")).Run(t, func(p *kittest.Play) {
		p.Ready()
		ini := servicetest.Secret(p, "placement-config")["uwsgi.ini"]
		if !strings.Contains(ini, "processes = 1\n") || strings.Count(ini, "shared-import = ") != 1 ||
			!strings.Contains(ini, "shared-import = stackwright_tls\n") {
			t.Errorf("one process is run with:\n%s", ini)
		}
	})
}

// Each variant is a patch of the smallest Placement, and in testdata the lines in which its objects differ.
func TestVariants(t *testing.T) {
	kind().Variants(t, map[string]string{
		"replicas":  "spec: {replicas: 3}",
		"plain":     "spec: {tls: {disabled: true}}",
		"hostname":  "spec: {expose: {hostname: placement.example.org}}",
		"elsewhere": "spec: {identity: {keystone: other, cloud: admin, project: staff}}",
	})
}
