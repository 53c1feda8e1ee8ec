package operator

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

const rolesDir = "../../charts/stackwright-operator/files/roles"

func registry() Entries {
	return Registry(Environment{
		Releases: func(context.Context) ([]string, error) { return nil, nil }, Gateway: true,
	})
}

// The chart's roles are generated: go test ./internal/operator -run TestRoles -update.
func TestRolesOfTheChartAreCurrent(t *testing.T) {
	roles, err := registry().Roles()
	if err != nil {
		t.Fatal(err)
	}
	if *kittest.Update {
		writeRoles(t, roles)
	}
	have, err := os.ReadDir(rolesDir)
	if err != nil {
		t.Fatalf("reading the chart's roles: %v; make them with -update", err)
	}
	if len(have) != len(roles) {
		t.Errorf("the chart has %d roles, want %d; make them anew with -update", len(have), len(roles))
	}
	for name, want := range roles {
		got, err := os.ReadFile(filepath.Join(rolesDir, name+".yaml"))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("role %s of the chart is not what the controller needs (%v); make it anew with -update", name, err)
		}
	}
}

func writeRoles(t *testing.T, roles map[string][]byte) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(rolesDir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range roles {
		if err := os.WriteFile(filepath.Join(rolesDir, name+".yaml"), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPlural(t *testing.T) {
	for kind, want := range map[schema.GroupVersionKind]string{
		{Group: "infra.stackwright.dev", Kind: "Galera"}:     "galeras",
		{Group: "infra.stackwright.dev", Kind: "MessageBus"}: "messagebuses",
		{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:  "networkpolicies",
		{Kind: "PersistentVolumeClaim"}:                      "persistentvolumeclaims",
	} {
		if got := plural(kind); got != want {
			t.Errorf("plural of %s is %s, want %s", kind.Kind, got, want)
		}
	}
}

// Rights name the resources that the definitions of the chart have: a word that is none gives no right.
func TestRolesNameResourcesThatExist(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(rolesDir, "..", "..", "crds", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the chart has no definitions: %v", err)
	}
	known := map[string]bool{}
	for _, file := range files {
		group, plural, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".yaml"), "_")
		known[group+"/"+plural] = true
	}
	roles, err := registry().Roles()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range roles {
		var role rbacv1.Role
		if err := yaml.Unmarshal(text, &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				resource, _, _ = strings.Cut(resource, "/")
				group := rule.APIGroups[0]
				if strings.HasSuffix(group, ".stackwright.dev") && !known[group+"/"+resource] {
					t.Errorf("role %s names %s of %s, which is no resource", name, resource, group)
				}
			}
		}
	}
}
