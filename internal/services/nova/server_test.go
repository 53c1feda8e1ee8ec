//go:build apiserver

package nova_test

import (
	"fmt"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/service/servicetest"
)

var live *rest.Config

func TestMain(m *testing.M) {
	cfg, stop, err := kittest.DevCluster()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	live = cfg
	code := m.Run()
	stop()
	os.Exit(code)
}

func onServer(t *testing.T) *kittest.World {
	t.Helper()
	s := kind().Scenario(t, "")
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T)  { onServer(t).Ready(t) }
func TestServerBudget(t *testing.T) { onServer(t).Budget(t, 0, 0) }

// Killed at any request, the operator comes to the same end. It is here and not among the unit tests because it takes
// long.
func TestServerCrash(t *testing.T) { kittest.New(t, kind().Scenario(t, "")).Crash(t, nil) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	onServer(t).Run(t, func(p *kittest.Play) {
		kind().Refuses(p, map[string][2]string{
			"database": {"spec: {database: null}", "spec.database: Required value"},
			"identity": {"spec: {identity: null}", "spec.identity: Required value"},
			"bus":      {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
			"cell":     {"spec: {cells: [{name: Cell_1}]}", "lower-case letters, digits and dashes"},
			"cell0":    {"spec: {cells: [{name: cell0}]}", "cell0 is Nova's own"},
			"twice":    {"spec: {cells: [{name: a}, {name: a}]}", "Duplicate value"},
			"days":     {"spec: {maintenance: {keepDays: -1}}", "spec.maintenance.keepDays"},
			"name":     {"metadata: {name: 1st}", "beginning with a letter"},
		})
		object := p.Object(novaObject)
		servicetest.Must(t, unstructured.SetNestedField(object.Object, "other", "spec", "identity", "keystone"))
		servicetest.Denied(t, p.Client.Update(t.Context(), object), "identity cannot be changed")
	})
}
