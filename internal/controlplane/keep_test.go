package controlplane_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// members are the objects whose volumes keep the class and the size that they have.
func members() []string {
	return []string{"Galera/first-galera", "RabbitMQ/first-rabbitmq", "OVN/first-ovn"}
}

func wantField(p *kittest.Play, ref string, want any, path ...string) {
	p.T.Helper()
	if got := field(p, ref, path...); got != want {
		p.T.Errorf("%s has %v at %v, want %v", ref, got, path, want)
	}
}

// Volumes do not move between classes: another class is for volumes that are made from then on, and what else is
// changed goes on.
func TestVolumesKeepTheirClass(t *testing.T) {
	for name, classes := range map[string][]any{
		"from one to another": {"ssd", "nvme"}, "from none to the default by its name": {nil, "standard"},
		"from one to none": {"ssd", nil},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, storing(t, classes[0])).Run(t, func(p *kittest.Play) {
				otherClass(p, classes[0], classes[1])
			})
		})
	}
}

// otherClass changes the class of a plane that runs with the first one.
func otherClass(p *kittest.Play, before, after any) {
	p.T.Helper()
	p.Ready()
	p.Change(cloud, "spec.storageClass", after)
	p.Settle()
	p.Ready()
	p.Change(cloud, "spec.services", map[string]any{"galera": map[string]any{"replicas": int64(3), "storage": "9Gi"},
		"rabbitmq": map[string]any{"storage": "7Gi"}, "ovn": map[string]any{"storage": "8Gi"}})
	p.Settle()
	p.Ready()
	wantField(p, "Galera/first-galera", int64(3), "spec", "replicas")
	for ref, size := range map[string]any{members()[0]: "9Gi", members()[1]: "7Gi", members()[2]: "8Gi"} {
		wantField(p, ref, before, "spec", "storage", "className")
		wantField(p, ref, size, "spec", "storage", "size")
	}
	p.Change(cloud, "spec.services", map[string]any{"ovn": map[string]any{"enabled": false}})
	p.Settle()
	p.Change(cloud, "spec.services", ask("ovn"))
	p.Settle()
	p.Ready()
	wantField(p, "OVN/first-ovn", after, "spec", "storage", "className")
}

// A class by which no volume was made can be put right; from the first volume on it stays.
func TestAClassIsPutRightUntilAVolumeIsBound(t *testing.T) {
	for name, classes := range map[string][2]any{"a typo": {"fastt", "fast"}, "no default": {nil, "fast"},
		"the default after all": {"fastt", nil}} {
		t.Run(name, func(t *testing.T) {
			s, ready := storing(t, classes[0]), kittest.Told("True", "Ready", "")
			for _, ref := range members() {
				kind, _, _ := strings.Cut(ref, "/")
				s.Children[kind] = kittest.With(ready, map[string]any{"volumesPending": true})
			}
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Change(cloud, "spec.storageClass", classes[1])
				p.Settle()
				for _, ref := range members() {
					wantField(p, ref, classes[1], "spec", "storage", "className")
					p.Behave(ref, kittest.With(ready, map[string]any{"volumesPending": false}))
				}
				p.Settle()
				p.Change(cloud, "spec.storageClass", "other")
				p.Settle()
				for _, ref := range members() {
					wantField(p, ref, classes[1], "spec", "storage", "className")
				}
			})
		})
	}
}

// storing is a plane with OVN, and a storage class unless that is nil.
func storing(t *testing.T, class any) kittest.Scenario {
	t.Helper()
	line := ", services: {ovn: {}}}"
	if class != nil {
		line = ", storageClass: " + class.(string) + line
	}
	return owned(t, line)
}

// A smaller size takes what can be taken; volumes do not shrink, nor does Galera.
func TestASmallerSizeKeepsWhatCannotShrink(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask("glance", "ovn"))
		p.Change(cloud, "spec.size", "large")
		p.Settle()
		p.Ready()
		for _, size := range []string{"medium", "small", "dev"} {
			p.Change(cloud, "spec.size", size)
			p.Settle()
			p.Ready()
		}
		for ref, want := range map[string]struct {
			replicas int64
			size     string
		}{members()[0]: {3, "200Gi"}, members()[1]: {1, "20Gi"}, members()[2]: {1, "20Gi"}} {
			wantField(p, ref, want.replicas, "spec", "replicas")
			wantField(p, ref, want.size, "spec", "storage", "size")
			if got := field(p, ref, "spec", "resources", "limits"); got != nil {
				t.Errorf("%s has limits %v, which size dev does not have", ref, got)
			}
		}
		stores, _, _ := unstructured.NestedSlice(p.Object("Glance/first-glance").Object, "spec", "stores")
		if got, _, _ := unstructured.NestedString(stores[0].(map[string]any), "file", "size"); got != "2Ti" {
			t.Errorf("Glance has a store of %s, want 2Ti", got)
		}
	})
}

// What was asked for stays when nobody asks for it any more, and the size has less.
func TestWhatIsNotAskedForAnyMoreDoesNotShrink(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", map[string]any{"galera": map[string]any{"replicas": int64(3), "storage": "9Gi"}})
		p.Settle()
		p.Change(cloud, "spec.services", nil)
		p.Settle()
		p.Ready()
		wantField(p, "Galera/first-galera", int64(3), "spec", "replicas")
		wantField(p, "Galera/first-galera", "9Gi", "spec", "storage", "size")
	})
}

// Who names less than there is hears of it, and hears what is possible.
func TestLessThanThereIsIsRefusedWhenItIsAskedFor(t *testing.T) {
	for says, galera := range map[string]map[string]any{
		"replicas can grow from 1 to 3 and not shrink": {"replicas": int64(1)},
		"storage.size can grow and not shrink":         {"storage": "6Gi"},
	} {
		kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
			p.Change(cloud, "spec.size", "small")
			p.Settle()
			p.Ready()
			p.Change(cloud, "spec.services", map[string]any{"galera": galera})
			p.Settle()
			if c := p.Condition(cloud, "GaleraReady"); c.Status != "False" || !strings.Contains(c.Message, says) {
				t.Errorf("GaleraReady is %s: %s\nwant %s", c.Status, c.Message, says)
			}
		})
	}
}

// A service that somebody deletes takes its time to go, and is made again when it is gone, of the class of then.
func TestAChildThatIsHeldComesBackWhenItIsGone(t *testing.T) {
	kittest.New(t, storing(t, "ssd")).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.storageClass", "nvme")
		p.Settle()
		for _, ref := range append(members(), "Keystone/first-keystone") {
			p.Change(ref, "metadata.finalizers", []any{"example.org/hold"})
			before := p.Object(ref).GetUID()
			p.Remove(ref)
			p.Settle()
			if c := p.Condition(cloud, "Ready"); c.Status != "False" {
				t.Errorf("the plane is ready although %s is on its way out", ref)
			}
			p.Change(ref, "metadata.finalizers", nil)
			p.Settle()
			p.Ready()
			if u := p.Object(ref); u == nil || u.GetUID() == before {
				t.Errorf("%s did not come back", ref)
			}
		}
		for _, ref := range members() {
			wantField(p, ref, "nvme", "spec", "storage", "className")
		}
	})
}

// Whenever the operator dies: what is there is kept.
func TestEveryCrashKeepsWhatIsThere(t *testing.T) {
	s := storing(t, "ssd")
	s.Stride = 5
	kittest.New(t, s).Crash(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.size", "small")
		p.Settle()
		p.Change(cloud, "spec.storageClass", "nvme")
		p.Change(cloud, "spec.size", "dev")
	})
}
