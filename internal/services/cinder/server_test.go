//go:build apiserver

package cinder_test

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/image/catalogue"
	"stackwright.dev/stackwright/internal/service/servicetest"
	"stackwright.dev/stackwright/releases"
)

var live *rest.Config

func TestMain(m *testing.M) { kittest.Main(m, &live) }

func TestServerPromises(t *testing.T) { kind().ServerPromises(t, live) }

func backend(text string) string { return "spec: {backends: [{" + text + "}]}" }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"database":  {"spec: {database: null}", "spec.database: Required value"},
			"identity":  {"spec: {identity: null}", "spec.identity: Required value"},
			"bus":       {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
			"name":      {"metadata: {name: 1st}", "beginning with a letter"},
			"nothing":   {backend("name: a"), "set exactly one of rbd, nfs and driver"},
			"two":       {backend("name: a, driver: x, nfs: {shares: ['a:/b']}"), "set exactly one of rbd, nfs and driver"},
			"name of a": {backend("name: A_1, driver: x"), "lower-case letters, digits and dashes"},
			"pool":      {backend("name: a, rbd: {secret: s}"), "rbd.pool: Required value"},
			"share":     {backend("name: a, nfs: {shares: [b]}"), "spec.backends[0].nfs.shares[0]"},
			"backup":    {"spec: {backup: {}}", "spec.backup.rbd: Required value"},
			"worker":    {"spec: {scheduler: {replicas: -1}}", "spec.scheduler.replicas"},
		})
		cinder := p.Object(kind().Object)
		servicetest.Must(t, unstructured.SetNestedField(cinder.Object, "other", "spec", "identity", "keystone"))
		servicetest.Denied(t, servicetest.Update(p, cinder), "identity cannot be changed")
	})
}

// The section of a back end has its name, so that must be none of Cinder's own.
func TestServerRefusesNamesOfSections(t *testing.T) {
	known, err := catalogue.Load(releases.Files, "epoxy", "cinder")
	servicetest.Must(t, err)
	cases := map[string][2]string{}
	for section := range known.Groups {
		if name := strings.ToLower(section); regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`).MatchString(name) {
			cases[name] = [2]string{backend("driver: x, name: " + name), "has a section of that name"}
		}
	}
	if len(cases) < 3 {
		t.Errorf("only %d sections could be the name of a back end", len(cases))
	}
	kind().OnServer(t, live).Run(t, func(p *kittest.Play) { kind().Refuses(p, cases) })
}
