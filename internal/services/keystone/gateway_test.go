package keystone_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/gateway-api/pkg/consts"
	"sigs.k8s.io/yaml"

	"stackwright.dev/kit/kittest"
)

// gatewayAPI are the definitions of the kinds of the Gateway API that the operator makes, as upstream publishes them.
func gatewayAPI(t *testing.T) []string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	must(t, err)
	folder := filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "standard")
	// What is imported is what go.mod keeps.
	t.Log("Gateway API", consts.BundleVersion)
	return []string{filepath.Join(folder, "gateway.networking.k8s.io_httproutes.yaml"),
		filepath.Join(folder, "gateway.networking.k8s.io_backendtlspolicies.yaml")}
}

// wantKept checks that the server stores all of what was applied of a group: what a kind does not have it drops in
// silence.
func wantKept(t *testing.T, p *kittest.Play, group string, count int) {
	t.Helper()
	for doc := range strings.SplitSeq(p.Applied(), "\n---\n") {
		u := &unstructured.Unstructured{}
		must(t, yaml.Unmarshal([]byte(doc), &u.Object))
		if u.GroupVersionKind().Group != group {
			continue
		}
		count--
		name := u.GetKind() + "/" + u.GetNamespace() + "/" + u.GetName()
		if path := dropped(u.Object["spec"], p.Object(name).Object["spec"]); path != "" {
			t.Errorf("%s has no field spec%s", name, path)
		}
	}
	if count != 0 {
		t.Errorf("%d objects of %s more are wanted than there are", count, group)
	}
}

// dropped is the path of the first value that was applied and is not stored, empty when all are.
func dropped(applied, stored any) string {
	switch applied := applied.(type) {
	case map[string]any:
		m, _ := stored.(map[string]any)
		for key, value := range applied {
			if m[key] == nil {
				return "." + key
			}
			if path := dropped(value, m[key]); path != "" {
				return "." + key + path
			}
		}
	case []any:
		list, _ := stored.([]any)
		if len(list) != len(applied) {
			return "[]"
		}
		for i, value := range applied {
			if path := dropped(value, list[i]); path != "" {
				return "[]" + path
			}
		}
	}
	return ""
}
