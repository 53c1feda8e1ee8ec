package rabbitmq_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/internal/infra/rabbitmq/fake"
	"stackwright.dev/stackwright/internal/pki/pkitest"
)

const mq = "RabbitMQ/cloud/mq"

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	s := infratest.Scenario(t, func(outside http.RoundTripper) kit.Definition[*infrav1.RabbitMQ] {
		return rabbitmq.Definition(fake.Dial(outside))
	}, "rabbitmqs")
	s.Outside = func() http.RoundTripper { return fake.New() }
	s.Children = map[string]kittest.Behaviour{"StatefulSet": infratest.AsMembers[*fake.Members]}
	return s
}

func TestAnAuthorityThatEnds(t *testing.T) {
	pkitest.AuthorityLasts(t, scenario(t), mq, "spec.tls.caSecret")
}

func members(p *kittest.Play) *fake.Members { return infratest.Outside[*fake.Members](p) }

// change lets something happen to members, which their pods' readiness shows.
func change(p *kittest.Play, f func(*fake.Members)) {
	p.T.Helper()
	infratest.Change(p, f, "StatefulSet/cloud/mq")
}

func TestGolden(t *testing.T)         { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestGoldenVariants(t *testing.T) { infratest.Variants(t, scenario, mq) }
func TestLongName(t *testing.T)       { infratest.LongName(t, scenario(t), mq) }

func TestCrash(t *testing.T) { kittest.New(t, scenario(t)).Crash(t, nil) }

// At rest each member is asked once a minute whether it runs short of something; the four minutes of this test have
// twelve such requests, and none to Kubernetes.
func TestBudget(t *testing.T) { kittest.New(t, scenario(t)).Budget(t, 12, 0) }

func TestDriftIsHealed(t *testing.T) {
	kittest.New(t, scenario(t)).Drift(t, "StatefulSet/mq", "spec.template.spec.terminationGracePeriodSeconds", int64(1))
}

func TestOneClusterIsFormed(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		orders := members(p).Orders()
		if n := infratest.Count(orders, "mq-0 POST /v1/start"); n != 1 {
			t.Errorf("mq-0 was ordered to start %d times, want once: %v", n, orders)
		}
		for _, pod := range []string{"mq-1", "mq-2"} {
			if n := infratest.Count(orders, pod+" POST /v1/start"); n != 1 {
				t.Errorf("%s was ordered to start %d times, want once: %v", pod, n, orders)
			}
		}
		if e, _, _ := unstructured.NestedInt64(p.Object(mq).Object, "status", "epoch"); e != 1 {
			t.Errorf("status.epoch is %d, want 1", e)
		}
	})
}

func TestLostVolumeJoinsAnew(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before := len(members(p).Orders())
		change(p, func(m *fake.Members) { m.Lose("mq-1") })
		p.Ready()
		got := members(p).Orders()[before:]
		if want := []string{"mq-0 POST /v1/forget", "mq-1 POST /v1/start"}; !slices.Equal(got, want) {
			t.Errorf("orders are %v, want %v", got, want)
		}
	})
}

// What a person has to put right keeps changes from the members, and nothing else: one with an empty volume joins.
func TestBadInputStopsNoMember(t *testing.T) {
	inputs := infratest.BadInputs(mq, "spec.tls.caSecret", "data-mq-2")
	inputs["a cookie that is too short"] = func(p *kittest.Play) {
		p.Change("Secret/cloud/mq-cookie", "data", map[string]any{"cookie": "c2hvcnQ="})
	}
	infratest.DespiteBadInput(t, scenario, inputs, mq, func(p *kittest.Play) {
		before := len(members(p).Orders())
		change(p, func(m *fake.Members) { m.Lose("mq-1") })
		got := members(p).Orders()[before:]
		if want := []string{"mq-0 POST /v1/forget", "mq-1 POST /v1/start"}; !slices.Equal(got, want) {
			p.T.Errorf("orders are %v, want %v", got, want)
		}
		if c := p.Condition(mq, "MembersReady"); c.Status != "True" {
			p.T.Errorf("MembersReady is %s: %s", c.Status, c.Message)
		}
	})
}

func TestMajorityLostNeedsAPerson(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		change(p, func(m *fake.Members) {
			m.Lose("mq-0", "mq-2")
			m.Change("mq-1", func(s *wire.State) { s.Phase, s.Service = wire.Starting, wire.Service{} })
		})
		c := p.Condition(mq, "MembersReady")
		if c.Reason != "VolumesLost" || !strings.Contains(c.Message, "{forceBoot: mq-1, epoch: 2}") {
			t.Errorf("MembersReady is %s: %s, want VolumesLost and what to set", c.Reason, c.Message)
		}
		p.Change(mq, "spec.recovery", map[string]any{"forceBoot": "mq-1", "epoch": int64(2)})
		p.Settle()
		p.Ready()
		if e, _, _ := unstructured.NestedInt64(p.Object(mq).Object, "status", "epoch"); e != 2 {
			t.Errorf("status.epoch is %d, want 2", e)
		}
		change(p, func(m *fake.Members) {
			m.Lose("mq-0", "mq-1")
			m.Change("mq-2", func(s *wire.State) { s.Phase, s.Service = wire.Starting, wire.Service{} })
		})
		if c := p.Condition(mq, "MembersReady"); c.Reason != "VolumesLost" || !strings.Contains(c.Message, "epoch: 3}") {
			t.Errorf("an old decision was taken again: %s: %s", c.Reason, c.Message)
		}
	})
}

func TestShrinkMovesQueuesBeforePodsGo(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before := len(members(p).Orders())
		members(p).Silence(true, "mq-2")
		p.Change(mq, "spec.replicas", int64(1))
		p.Settle()
		if n, _, _ := unstructured.NestedInt64(p.Object("StatefulSet/cloud/mq").Object, "spec", "replicas"); n != 3 {
			t.Errorf("the StatefulSet has %d replicas while a member cannot leave, want 3", n)
		}
		if c := p.Condition(mq, "ScalingReady"); !strings.Contains(c.Message, "mq-2 has to serve before mq-2 can leave") {
			t.Errorf("ScalingReady does not tell what is missing: %s", c.Message)
		}
		members(p).Silence(false, "mq-2")
		p.Settle()
		p.Ready()
		want := []string{"mq-0 POST /v1/evacuate", "mq-2 POST /v1/leave", "mq-0 POST /v1/evacuate", "mq-1 POST /v1/leave"}
		if got := members(p).Orders()[before:]; !slices.Equal(got, want) {
			t.Errorf("orders are %v, want %v", got, want)
		}
		if n, _, _ := unstructured.NestedInt64(p.Object("StatefulSet/cloud/mq").Object, "spec", "replicas"); n != 1 {
			t.Errorf("the StatefulSet has %d replicas, want 1", n)
		}
		p.Change(mq, "spec.replicas", int64(3))
		p.Settle()
		p.Ready()
	})
}

// What has lost its volume is forgotten before another one leaves, which would take the majority with it.
func TestShrinkForgetsWhatIsLost(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		change(p, func(m *fake.Members) { m.Silence(true, "mq-2") })
		before := len(members(p).Orders())
		p.Change(mq, "spec.replicas", int64(1))
		p.Settle()
		change(p, func(m *fake.Members) { m.Lose("mq-2"); m.Silence(false, "mq-2") })
		p.Ready()
		want := []string{"mq-0 POST /v1/forget", "mq-0 POST /v1/evacuate", "mq-1 POST /v1/leave"}
		if got := members(p).Orders()[before:]; !slices.Equal(got, want) {
			t.Errorf("orders are %v, want %v", got, want)
		}
	})
}

func TestDeletedCookieComesBackAsItWas(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before, _, _ := unstructured.NestedString(p.Object("Secret/cloud/mq-cookie").Object, "data", "cookie")
		p.Remove("Secret/cloud/mq-cookie")
		p.Settle()
		after, _, _ := unstructured.NestedString(p.Object("Secret/cloud/mq-cookie").Object, "data", "cookie")
		if before == "" || before != after {
			t.Error("the cookie has changed: members that run would not know those that start")
		}
	})
}

// A cookie that somebody has broken is not replaced by another one: the copy has the right one still.
func TestBrokenCookieIsTold(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		const name = "Secret/cloud/mq-cookie"
		before := p.Object(name).Object["data"]
		p.Change(name, "data", map[string]any{"cookie": "c2hvcnQ="})
		p.Settle()
		if c := p.Condition(mq, "Ready"); c.Status != "False" || !strings.Contains(c.Message, "delete Secret mq-cookie") {
			t.Errorf("Ready is %s: %s", c.Status, c.Message)
		}
		p.Remove(name)
		p.Settle()
		p.Ready()
		if diff := cmp.Diff(before, p.Object(name).Object["data"]); diff != "" {
			t.Errorf("the cookie is another one (-before +after):\n%s", diff)
		}
	})
}

func TestPodsThatDoNotStart(t *testing.T) {
	infratest.TellsOfPods(t, scenario, mq, "mq", "DeploymentReady")
}

func TestVolumesGrow(t *testing.T) { infratest.Grows(t, scenario, mq, "data-mq-0") }

func TestVolumeThatThereIsNot(t *testing.T) { infratest.LacksVolume(t, scenario, mq, "data-mq-0") }

func TestDeletionKeepsVolumesUnlessAsked(t *testing.T) { infratest.KeepsVolumes(t, scenario, mq, 3) }

// Clients are where no policy can name them: the operator, which listens to notifications, is in another namespace, and
// nova-compute has the address of its node. What members say to each other is nobody else's business.
func TestWhoMayConnect(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		rules, _, _ := unstructured.NestedSlice(p.Object("NetworkPolicy/cloud/mq").Object, "spec", "ingress")
		anybody := 0
		for _, r := range rules {
			rule, _ := r.(map[string]any)
			open, text := rule["from"] == nil, fmt.Sprint(rule["ports"])
			if open != strings.Contains(text, "port:5671") {
				t.Errorf("that anybody may connect is %t for %s", open, text)
			}
			if open {
				anybody++
			}
		}
		if anybody != 1 {
			t.Errorf("%d rules let clients in, want 1: %v", anybody, rules)
		}
	})
}

func TestClassFollowsUntilAVolumeIsBound(t *testing.T) {
	infratest.FollowsClass(t, scenario, mq, "data-mq-0")
}
