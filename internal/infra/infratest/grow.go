package infratest

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// Grows plays an object of which more room is asked for than its volumes have, of which claim is one: 7Gi instead of
// 5Gi. What cannot grow keeps nothing else from being changed, as nobody can take the size back.
func Grows(t *testing.T, scenario func(*testing.T) kittest.Scenario, object, claim string) {
	t.Helper()
	t.Run("where the class allows it", func(t *testing.T) {
		kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) { GrowsByAClass(p, object, claim) })
	})
	t.Run("when the driver has done so", func(t *testing.T) {
		kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) { growsSlowly(p, object, claim) })
	})
	t.Run("once a volume is bound", func(t *testing.T) {
		s := scenario(t)
		s.Children["PersistentVolumeClaim"] = pending
		kittest.New(t, s).Run(t, func(p *kittest.Play) {
			p.Change(object, "spec.storage.size", "7Gi")
			p.Settle()
			wantSize(p, claim, "5Gi")
			p.Behave("PersistentVolumeClaim", kittest.Ready)
			p.Settle()
			p.Ready()
			wantSize(p, claim, "7Gi")
		})
	})
}

// GrowsByAClass forbids the world's class to let volumes grow, asks for more, and does what the condition says.
func GrowsByAClass(p *kittest.Play, object, claim string) {
	p.T.Helper()
	p.Ready()
	p.Change("StorageClass/fast", "allowVolumeExpansion", false)
	p.Settle()
	p.Change(object, "spec.storage.size", "7Gi")
	p.Settle()
	says := "PersistentVolumeClaim " + claim + " keeps its 5Gi, because StorageClass fast does not allow expansion; set " +
		"allowVolumeExpansion: true on it: kubectl patch storageclass fast -p '{\"allowVolumeExpansion\":true}'."
	for _, condition := range []string{"VolumesReady", "Ready"} {
		if c := p.Condition(object, condition); c.Status != "False" || c.Reason != "CannotGrow" ||
			!strings.Contains(c.Message, says) {
			p.T.Errorf("%s is %s, %s: %s", condition, c.Status, c.Reason, c.Message)
		}
	}
	wantSize(p, claim, "5Gi")
	if n := stuck(p, object); n > 0 {
		p.T.Errorf("%d StatefulSets are not applied", n)
	}
	p.Stop() // what admits larger claims hears of a class a moment later, and who is quicker tries again in a minute
	p.Change("StorageClass/fast", "allowVolumeExpansion", true)
	p.Pass(2 * time.Second)
	p.Start()
	p.Settle()
	p.Ready()
	wantSize(p, claim, "7Gi")
}

// growsSlowly has the driver of the class take its time.
func growsSlowly(p *kittest.Play, object, claim string) {
	p.T.Helper()
	p.Ready()
	has := func(size string) {
		p.Behave("PersistentVolumeClaim/"+claim, func(*kittest.Play, *unstructured.Unstructured) map[string]any {
			return map[string]any{"phase": "Bound", "capacity": map[string]any{"storage": size}}
		})
	}
	has("5Gi")
	p.Change(object, "spec.storage.size", "7Gi")
	p.Settle()
	says := "PersistentVolumeClaim " + claim + " has 5Gi and asks for 7Gi"
	if c := p.Condition(object, "VolumesReady"); c.Reason != "Growing" || !strings.Contains(c.Message, says) {
		p.T.Errorf("VolumesReady is %s, %s: %s", c.Status, c.Reason, c.Message)
	}
	has("7Gi")
	p.Settle()
	p.Ready()
}

func wantSize(p *kittest.Play, claim, want string) {
	p.T.Helper()
	got, _, _ := unstructured.NestedString(p.Object("PersistentVolumeClaim/cloud/"+claim).Object, "spec", "resources",
		"requests", "storage")
	if got != want {
		p.T.Errorf("the claim has %s, want %s", got, want)
	}
}
