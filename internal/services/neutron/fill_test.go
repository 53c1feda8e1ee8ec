package neutron_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// jobs remembers the Jobs that fill OVN, which then do as they are told.
type jobs struct {
	names []string
	last  *unstructured.Unstructured
	do    kittest.Behaviour
}

func (j *jobs) behave(p *kittest.Play, u *unstructured.Unstructured) map[string]any {
	if !strings.HasPrefix(u.GetName(), "neutron-ovn-sync-") {
		return kittest.Ready(p, u)
	}
	if j.last = u; !slices.Contains(j.names, u.GetName()) {
		j.names = append(j.names, u.GetName())
	}
	return j.do(p, u)
}

// databases are what an OVN tells of databases that were formed so often.
func databases(north, south int64) kittest.Behaviour {
	return func(*kittest.Play, *unstructured.Unstructured) map[string]any {
		return map[string]any{
			"northbound": map[string]any{"connection": "ssl:ovn-nb-0:6641", "epoch": north},
			"southbound": map[string]any{"connection": "ssl:ovn-sb-0:6642", "epoch": south},
		}
	}
}

// Each northbound database is filled once, also the first one: Neutron may have been there before it. Connections to
// either database that were open end with their pods. Another image fills nothing again.
func TestOVNIsFilled(t *testing.T) {
	s := kind().Scenario(t, "")
	filling := &jobs{do: kittest.Ready}
	s.Children["Job"] = filling.behave
	s.Children["OVN"] = databases(0, 0)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		var pods string
		expect := func(what string, fills int, rolls bool) {
			t.Helper()
			p.Settle()
			p.Ready()
			if len(filling.names) != fills {
				t.Errorf("%s: OVN was filled by %v, want %d Jobs", what, filling.names, fills)
			}
			now := podAnnotation(p, "service.stackwright.dev/ovn")
			if (now != pods) != rolls {
				t.Errorf("%s: pods are of %q, before of %q", what, now, pods)
			}
			if c := p.Condition(kind().Object, "OVNSynced"); c.Status != metav1.ConditionTrue {
				t.Errorf("%s: OVNSynced is %s: %s", what, c.Status, c.Message)
			}
			pods = now
		}
		expect("no database yet", 0, true)
		p.Behave("OVN", databases(1, 1))
		expect("the first ones", 1, false)
		p.Change(kind().Object, "spec.image", "images.example.org/next:1")
		expect("another image", 1, false)
		p.Restart()
		expect("another operator", 1, false)
		p.Behave("OVN", databases(1, 2))
		expect("another southbound one", 1, true)
		p.Behave("OVN", databases(2, 2))
		expect("another northbound one", 2, true)
		p.Behave("OVN", databases(0, 0))
		p.Settle()
		p.Behave("OVN", databases(2, 2))
		expect("one that was not told of for a moment", 2, false)
	})
}

// podAnnotation is what the pods of the API and of all programs have for an annotation.
func podAnnotation(p *kittest.Play, key string) string {
	p.T.Helper()
	var all []string
	for _, name := range []string{"api", "rpc", "periodic", "maintenance"} {
		d := p.Object("Deployment/cloud/neutron-" + name)
		if d == nil {
			p.T.Fatalf("there is no Deployment neutron-%s", name)
		}
		value, _, _ := unstructured.NestedString(d.Object, "spec", "template", "metadata", "annotations", key)
		all = append(all, value)
	}
	if all = slices.Compact(all); len(all) != 1 {
		p.T.Errorf("pods differ: %v", all)
	}
	return all[0]
}

// A Job that fills OVN is waited for by nobody, and tried again when it has failed; people are told.
func TestFillingFails(t *testing.T) {
	s := kind().Scenario(t, "")
	filling := &jobs{do: kittest.Fail("could not connect to OVN_Northbound")}
	s.Children["Job"] = filling.behave
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Settle()
		c := p.Condition(kind().Object, "OVNSynced")
		if c.Reason != "JobFailed" || !strings.Contains(c.Message, "could not connect to OVN_Northbound") {
			t.Errorf("OVNSynced is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
		if c := p.Condition(kind().Object, "DeploymentReady"); c.Status != metav1.ConditionTrue {
			t.Errorf("the API waits: %s", c.Message)
		}
		if filling.last == nil {
			t.Fatal("OVN is not filled")
		}
		containers, _, _ := unstructured.NestedSlice(filling.last.Object, "spec", "template", "spec", "containers")
		container, _ := containers[0].(map[string]any)
		command, _, _ := unstructured.NestedStringSlice(container, "command")
		if want := []string{"python3", "-m", "stackwright_ovn", "/etc/stackwright/config/neutron.conf"}; !slices.Equal(
			command, want) {
			t.Errorf("the command is %v, want %v", command, want)
		}
		mounts, _, _ := unstructured.NestedSlice(container, "volumeMounts")
		if !slices.ContainsFunc(mounts, func(m any) bool {
			mount, _ := m.(map[string]any)
			return mount["mountPath"] == "/etc/stackwright/ovn"
		}) {
			t.Errorf("it has no certificate for OVN among %v", mounts)
		}
		filling.do = kittest.Ready
		p.Pass(6 * time.Minute)
		p.Settle()
		p.Ready()
		if len(filling.names) != 1 {
			t.Errorf("the Jobs are %v", filling.names)
		}
	})
}
