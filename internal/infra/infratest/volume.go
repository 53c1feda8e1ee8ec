package infratest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// FollowsClass plays an object whose storage class is a wrong one, which can be put right until a volume is bound.
func FollowsClass(t *testing.T, scenario func(*testing.T) kittest.Scenario, object, claim string) {
	t.Helper()
	t.Run("a class that there is not", func(t *testing.T) {
		s := scenario(t)
		s.Files = []string{withClass(t, s.Files[0], "className: fastt")}
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Change(object, "spec.storage.className", "fast")
			p.Settle()
			p.Ready()
			wantClass(p, claim, "fast")
		})
	})
	t.Run("a class that makes no volumes", func(t *testing.T) {
		s := scenario(t)
		s.Children["PersistentVolumeClaim"] = pending
		kittest.New(t, s).Run(t, func(p *kittest.Play) { otherClass(p, object, claim) })
	})
	t.Run("a volume is bound", func(t *testing.T) {
		kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
			p.Ready()
			u := p.Object(object)
			before := client.MergeFrom(u.DeepCopy())
			if err := unstructured.SetNestedField(u.Object, "other", "spec", "storage", "className"); err != nil {
				t.Fatal(err)
			}
			err := p.Client.Patch(p.T.Context(), u, before)
			if err == nil || !strings.Contains(err.Error(), "storage.className cannot change once a volume is bound") {
				t.Errorf("the answer is %v", err)
			}
		})
	})
}

func pending(*kittest.Play, *unstructured.Unstructured) map[string]any {
	return map[string]any{"phase": "Pending"}
}

// otherClass asks for another class than that of claims that wait for a volume, and does what the condition says.
func otherClass(p *kittest.Play, object, claim string) {
	p.T.Helper()
	class := p.Object("StorageClass/fast").DeepCopy()
	class.SetName("other")
	class.SetResourceVersion("")
	class.SetUID("")
	p.Create(class)
	p.Change(object, "spec.storage.className", "other")
	p.Settle()
	says := "another StorageClass than other; delete them, and they are made again: kubectl delete pvc -n cloud " + claim
	if got := p.Condition(object, "VolumesReady"); got.Status != "False" || !strings.Contains(got.Message, says) {
		p.T.Errorf("VolumesReady is %s: %s\nwant %s", got.Status, got.Message, says)
	}
	for _, u := range p.Objects() {
		if u.GetKind() == "PersistentVolumeClaim" {
			p.Remove("PersistentVolumeClaim/" + u.GetNamespace() + "/" + u.GetName())
		}
	}
	p.Settle()
	wantClass(p, claim, "other")
	if got := p.Condition(object, "VolumesReady"); got.Status != "True" {
		p.T.Errorf("VolumesReady is %s: %s", got.Status, got.Message)
	}
}

func wantClass(p *kittest.Play, claim, want string) {
	p.T.Helper()
	u := p.Object("PersistentVolumeClaim/cloud/" + claim)
	if u == nil {
		p.T.Errorf("there is no claim %s", claim)
		return
	}
	if got, _, _ := unstructured.NestedString(u.Object, "spec", "storageClassName"); got != want {
		p.T.Errorf("claim %s asks for class %q, want %s", claim, got, want)
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
