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

func onServer(t *testing.T, k servicetest.Kind) *kittest.World {
	t.Helper()
	s := k.Scenario(t, "")
	s.Config = live
	return kittest.New(t, s)
}

func TestServerReady(t *testing.T)      { onServer(t, kind()).Ready(t) }
func TestServerBudget(t *testing.T)     { onServer(t, kind()).Budget(t, 0, 0) }
func TestServerCellReady(t *testing.T)  { onServer(t, cellKind()).Ready(t) }
func TestServerCellBudget(t *testing.T) { onServer(t, cellKind()).Budget(t, 0, 0) }

// Killed at any request, the operator comes to the same end. It is here and not among the unit tests because it takes
// long.
func TestServerCrash(t *testing.T)     { kittest.New(t, kind().Scenario(t, "")).Crash(t, nil) }
func TestServerCellCrash(t *testing.T) { kittest.New(t, cellKind().Scenario(t, "")).Crash(t, nil) }

// What is wrong in itself is refused when it is written, with what would be right.
func TestServerRefuses(t *testing.T) {
	onServer(t, kind()).Run(t, func(p *kittest.Play) {
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

func TestServerRefusesCells(t *testing.T) {
	onServer(t, cellKind()).Run(t, func(p *kittest.Play) {
		cellKind().Refuses(p, map[string][2]string{
			"nova":     {"spec: {nova: ''}", "spec.nova"},
			"database": {"spec: {database: null}", "spec.database: Required value"},
			"bus":      {"spec: {rabbitmq: ''}", "spec.rabbitmq"},
		})
		object := p.Object(cellKind().Object)
		servicetest.Must(t, unstructured.SetNestedField(object.Object, "other", "spec", "nova"))
		servicetest.Denied(t, p.Client.Update(t.Context(), object), "nova cannot be changed")
	})
}
