//go:build apiserver

package glance_test

import (
	"fmt"
	"os"
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
			"database":          {"spec: {database: null}", "spec.database: Required value"},
			"identity":          {"spec: {identity: null}", "spec.identity: Required value"},
			"no keystone":       {"spec: {identity: {keystone: ''}}", "spec.identity.keystone"},
			"replicas":          {"spec: {replicas: -1}", "spec.replicas"},
			"name":              {"metadata: {name: 1st}", "beginning with a letter"},
			"no store":          {"spec: {stores: []}", "spec.stores"},
			"two of one name":   {"spec: {stores: [{name: a, file: {}}, {name: a, file: {}}]}", "Duplicate value"},
			"no kind of store":  {"spec: {stores: [{name: a}]}", "spec.stores[0].file: Required value"},
			"name of a store":   {"spec: {stores: [{name: A_1, file: {}}]}", "lower-case letters, digits and dashes"},
			"name of a section": {"spec: {stores: [{name: database, file: {}}]}", "has a section of that name"},
			"small store":       {"spec: {stores: [{name: a, file: {size: 1Mi}}]}", "size is at least 100Mi"},
			"access mode":       {"spec: {stores: [{name: a, file: {accessMode: Any}}]}", "supported values"},
		})
		for want, file := range map[string]map[string]any{
			"size cannot become less":      {"size": "10Gi"},
			"accessMode cannot be changed": {"size": "20Gi", "accessMode": "ReadWriteMany"},
		} {
			glance := p.Object(kind().Object)
			stores := []any{map[string]any{"name": "images", "file": file}}
			servicetest.Must(t, unstructured.SetNestedSlice(glance.Object, stores, "spec", "stores"))
			servicetest.Denied(t, p.Client.Update(t.Context(), glance), want)
		}
	})
}

// The section of a store has the store's name, so that must be none of Glance's own.
func TestServerRefusesNamesOfSections(t *testing.T) {
	known, err := catalogue.Load(releases.Files, "epoxy", "glance")
	servicetest.Must(t, err)
	cases := map[string][2]string{}
	for section := range known.Groups {
		if name := strings.ToLower(section); regexp.MustCompile(`^[a-z][a-z0-9-]*$`).MatchString(name) {
			cases[name] = [2]string{"spec: {stores: [{name: " + name + ", file: {}}]}", "has a section of that name"}
		}
	}
	if len(cases) < 3 {
		t.Errorf("only %d sections could be the name of a store", len(cases))
	}
	onServer(t).Run(t, func(p *kittest.Play) { kind().Refuses(p, cases) })
}
