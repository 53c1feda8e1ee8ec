package infratest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// LacksVolume plays an object whose volumes, of which claim is one, cannot be made or are lost. Without them there is
// nothing, and only a person can help. The world's StorageClass and the object's className are fast.
func LacksVolume(t *testing.T, scenario func(*testing.T) kittest.Scenario, object, claim string) {
	t.Helper()
	for name, c := range map[string]struct {
		phase, class, says string
	}{
		"missing class": {phase: "Pending", class: "className: slow",
			says: "StorageClass slow does not exist; create it, or name one that exists: kubectl get storageclass."},
		"no default": {phase: "Pending", class: "size: 1Gi", says: "PersistentVolumeClaim " + claim +
			" has no storage class, because the cluster has no default one; set spec.storage.className, or mark a " +
			"StorageClass as default."},
		"lost": {phase: "Lost", class: "className: fast", says: "PersistentVolumeClaim " + claim +
			" has lost its volume pv-1; bring it back, or delete the claim and the pod."},
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario(t)
			s.Children["PersistentVolumeClaim"] = func(*kittest.Play, *unstructured.Unstructured) map[string]any {
				return map[string]any{"phase": c.phase}
			}
			s.Files = []string{withClass(t, s.Files[0], c.class)}
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				if c.phase == "Lost" {
					p.Change("PersistentVolumeClaim/cloud/"+claim, "spec.volumeName", "pv-1")
					p.Settle()
				}
				for _, condition := range []string{"VolumesReady", "Ready"} {
					if got := p.Condition(object, condition); got.Status != "False" || !strings.Contains(got.Message, c.says) {
						t.Errorf("%s is %s: %s", condition, got.Status, got.Message)
					}
				}
			})
		})
	}
}

// withClass copies a world in which the object names another class, or none.
func withClass(t *testing.T, file, class string) string {
	t.Helper()
	world, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "world.yaml")
	if err := os.WriteFile(copied, bytes.ReplaceAll(world, []byte("className: fast"), []byte(class)), 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}
