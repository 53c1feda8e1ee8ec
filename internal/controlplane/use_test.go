package controlplane_test

import (
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// usedBy is a Cloud that so many objects are in; none when there are no names.
func usedBy(objects int64, names ...any) kittest.Behaviour {
	var use any
	if objects > 0 {
		use = map[string]any{"objects": objects, "names": names}
	}
	return kittest.With(kittest.Told("True", "Ready", ""), map[string]any{"usedBy": use})
}

// leave asks for the deletion of the control plane with all services, and confirms it.
func leave(p *kittest.Play) {
	p.T.Helper()
	p.Change(cloud, "spec.services", ask(optional()...))
	p.Change(cloud, "spec.deletionPolicy", "Delete")
	p.Change(cloud, "spec.confirmDeletion", "first")
	p.Settle()
	p.Ready()
	p.Remove(cloud)
	p.Settle()
}

// untouched wants all that the control plane has made to be there.
func untouched(p *kittest.Play) {
	p.T.Helper()
	made := []string{"Galera/first-galera", "RabbitMQ/first-rabbitmq", "Keystone/first-keystone", "Cloud/first-keystone",
		"Deployment/first-client"}
	for _, name := range optional() {
		made = append(made, title(name)+"/first-"+name)
	}
	for _, ref := range made {
		if u := p.Object(ref); u == nil || u.GetDeletionTimestamp() != nil {
			p.T.Errorf("%s goes", ref)
		}
	}
}

// another is a Cloud that a person has made.
func another(kind, name string, secret map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "openstack.stackwright.dev/v1alpha1",
		"kind": kind, "metadata": map[string]any{"name": name},
		"spec": map[string]any{"secretRef": secret}}}
	if kind == "ClusterCloud" {
		_ = unstructured.SetNestedMap(u.Object, map[string]any{}, "spec", "namespaceSelector")
	} else {
		u.SetNamespace("cloud")
	}
	return u
}

// What a service needs to take its accounts and users away is there until it is gone, whether it has waited for that to
// come or not.
func TestServicesGoFirst(t *testing.T) {
	for held, needs := range map[string][]string{
		"Glance/first-glance": {"RabbitMQ/first-rabbitmq", "Memcached/first-memcached", "Keystone/first-keystone",
			"Secret/first-notifications"},
		"Cloud/first-keystone":    {"Keystone/first-keystone", "Memcached/first-memcached", "Secret/first-notifications"},
		"Keystone/first-keystone": {"Galera/first-galera", "RabbitMQ/first-rabbitmq", "Memcached/first-memcached"},
	} {
		t.Run(held, func(t *testing.T) {
			kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
				for _, name := range append(optional(), "keystone") {
					account(p, "first-"+name, "rabbit://mq", authority(t, "mq"))
				}
				p.Change(cloud, "spec.services", ask(optional()...))
				p.Change(cloud, "spec.notifications", true)
				p.Settle()
				p.Change(held, "metadata.finalizers", []any{"example.com/foreign"})
				leave(p)
				for _, ref := range needs {
					if p.Object(ref) == nil {
						t.Errorf("%s goes before %s", ref, held)
					}
				}
				p.Change(held, "metadata.finalizers", nil)
				p.Settle()
				if p.Object(cloud) != nil {
					t.Error("the control plane stays")
				}
			})
		})
	}
}

// Nothing goes as long as people's objects are in the cloud: without its service none of them could be deleted.
func TestUsedControlPlaneStays(t *testing.T) {
	s := scenario()
	s.Children = maps.Clone(s.Children)
	s.Children["Cloud"] = usedBy(2, "ProjectBundle shop", "Server web")
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		leave(p)
		untouched(p)
		wantCondition(t, p, "Ready", "False", "DeletionHeld", "Objects in its cloud (ProjectBundle shop, Server web) "+
			"cannot be deleted without its services. Delete them first")
		wantCondition(t, p, "Ready", "False", "DeletionHeld", "kit.stackwright.dev/abandon: resource")
		p.Behave("Cloud", usedBy(4000, "Server a", "Server b", "Server c", "Server d", "Server e"))
		p.Settle()
		untouched(p)
		wantCondition(t, p, "Ready", "False", "DeletionHeld", "(Server a, Server b, Server c, Server d, Server e; "+
			"at least 4000 objects)")
		p.Behave("Cloud", usedBy(0))
		p.Settle()
		p.Empty()
	})
}

// A block that is being deleted takes its hosts out of Nova, which is there until they are; one that stays finds them
// again when the control plane comes back.
func TestBlocksThatGoAreWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		cell           string
		deleted, waits bool
	}{
		"goes": {"first-nova-cell1", true, true}, "stays": {"first-nova-cell1", false, false},
		"goes elsewhere": {"first-nova-2-nova-cell1", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, withNova()).Run(t, func(p *kittest.Play) {
				p.Change(cloud, "spec.services", all(map[string]any{}))
				p.Change(cloud, "spec.confirmDeletion", "first")
				p.Create(block(c.cell))
				p.Settle()
				p.Ready()
				if c.deleted {
					p.Remove("BuildingBlock/rack-a")
					p.Settle() // a control plane that is deleted at the same moment may not know of it yet
				}
				p.Remove(cloud)
				p.Settle()
				if c.waits {
					wantCondition(t, p, "Ready", "False", "DeletionHeld", "BuildingBlock rack-a is being deleted")
					if u := p.Object("Nova/first-nova"); u == nil || u.GetDeletionTimestamp() != nil {
						t.Error("Nova goes before its hosts")
					}
					p.Change("BuildingBlock/rack-a", "metadata.finalizers", nil)
					p.Settle()
				}
				if p.Object(cloud) != nil {
					t.Error("the control plane is left")
				}
			})
		})
	}
}

// block is one with hosts in a cell, which somebody keeps.
func block(cell string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "fleet.stackwright.dev/v1alpha1",
		"kind": "BuildingBlock", "metadata": map[string]any{"namespace": "cloud", "name": "rack-a",
			"finalizers": []any{"example.com/foreign"}},
		"spec": map[string]any{"cell": cell, "hosts": map[string]any{"nodeSelector": map[string]any{"rack": "a"}}}}}
}

// The Secret of Keystone is held by whoever reaches it by a Cloud of its own: their objects count as well.
func TestCloudsOfPeopleCount(t *testing.T) {
	for name, c := range map[string]struct {
		kind   string
		secret map[string]any
		holds  bool
	}{
		"Cloud":                         {"Cloud", map[string]any{"name": "first-keystone-clouds"}, true},
		"Cloud elsewhere":               {"Cloud", map[string]any{"name": "public"}, false},
		"ClusterCloud":                  {"ClusterCloud", secretIn("cloud", "first-keystone-clouds"), true},
		"ClusterCloud elsewhere":        {"ClusterCloud", secretIn("cloud", "public"), false},
		"ClusterCloud of another place": {"ClusterCloud", secretIn("other", "first-keystone-clouds"), false},
	} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
				p.Behave(c.kind+"/theirs", usedBy(1, "Project shop"))
				p.Create(another(c.kind, "theirs", c.secret))
				leave(p)
				if !c.holds {
					if p.Object(cloud) != nil {
						t.Error("the control plane waits for a cloud that is not its own")
					}
					return
				}
				untouched(p)
				wantCondition(t, p, "Ready", "False", "DeletionHeld", "(Project shop)")
				p.Remove(c.kind + "/theirs")
				p.Settle()
				if p.Object(cloud) != nil {
					t.Error("the control plane is left")
				}
			})
		})
	}
}

func secretIn(namespace, name string) map[string]any {
	return map[string]any{"namespace": namespace, "name": name}
}

// What is on its way out is not made again for an object that comes then.
func TestWhatGoesIsNotHeldAnyMore(t *testing.T) {
	kittest.New(t, scenario()).Run(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask("glance", "placement"))
		p.Settle()
		p.Change("Glance/first-glance", "metadata.finalizers", []any{"example.org/hold"})
		p.Change(cloud, "spec.confirmDeletion", "first")
		p.Remove(cloud)
		p.Settle()
		p.Behave("Cloud", usedBy(1, "Project shop"))
		p.Settle()
		if p.Object("Placement/first-placement") != nil {
			t.Error("Placement is made again")
		}
		wantCondition(t, p, "Ready", "False", "Deleting", "Glance first-glance")
		p.Change("Glance/first-glance", "metadata.finalizers", nil)
		p.Settle()
		if p.Object(cloud) != nil {
			t.Error("the control plane is left")
		}
	})
}

// The operator dies at any request while objects go, and nothing goes before them.
func TestEveryCrashOfAUsedControlPlane(t *testing.T) {
	s := scenario()
	s.Stride = 9
	kittest.New(t, s).Crash(t, func(p *kittest.Play) {
		p.Change(cloud, "spec.services", ask("placement"))
		p.Behave("Cloud", usedBy(1, "Project shop"))
		p.Change(cloud, "spec.confirmDeletion", "first")
		p.Settle()
		p.Remove(cloud)
		p.Settle()
		if u := p.Object("Placement/first-placement"); u == nil || u.GetDeletionTimestamp() != nil {
			t.Error("Placement goes")
		}
		p.Behave("Cloud", usedBy(0))
	})
}
