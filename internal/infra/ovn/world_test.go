package ovn_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/infra/member/fake"
	"stackwright.dev/stackwright/internal/infra/ovn"
	"stackwright.dev/stackwright/internal/pki/pkitest"
)

const object = "OVN/cloud/ovn"

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	s := infratest.Scenario(t, func(outside http.RoundTripper) kit.Definition[*infrav1.OVN] {
		return ovn.Definition(fake.Dial(outside))
	}, "ovns")
	s.Outside = func() http.RoundTripper { return fake.New(nil) }
	s.Children = map[string]kittest.Behaviour{"StatefulSet": infratest.AsMembers[*fake.Members]}
	return s
}

func TestAnAuthorityThatEnds(t *testing.T) {
	pkitest.AuthorityLasts(t, scenario(t), object, "spec.caSecret")
}

func members(p *kittest.Play) *fake.Members { return infratest.Outside[*fake.Members](p) }

// change lets something happen to members, which their pods' readiness shows.
func change(p *kittest.Play, f func(*fake.Members)) {
	p.T.Helper()
	infratest.Change(p, f, "StatefulSet/cloud/ovn-nb", "StatefulSet/cloud/ovn-sb")
}

func TestGolden(t *testing.T)   { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestLongName(t *testing.T) { infratest.LongName(t, scenario(t), object) }
func TestBudget(t *testing.T)   { kittest.New(t, scenario(t)).Budget(t, 0, 0) }

// Its requests are many and alike, as it has two databases: every third is tried.
func TestCrash(t *testing.T) {
	s := scenario(t)
	s.Stride = 3
	kittest.New(t, s).Crash(t, nil)
}

func TestDelete(t *testing.T) {
	kittest.New(t, scenario(t)).Delete(t, func(p *kittest.Play) { p.Change(object, "spec.deletionPolicy", "Delete") })
}

func TestDriftIsHealed(t *testing.T) {
	const field = "spec.template.spec.terminationGracePeriodSeconds"
	kittest.New(t, scenario(t)).Drift(t, "StatefulSet/ovn-nb", field, int64(1))
}

// Each database is formed once, by its first member; status says how clients reach it.
func TestTwoClustersAreFormed(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		starts := map[string]int{}
		for _, o := range members(p).Orders() {
			if pod, ok := strings.CutSuffix(o, " POST /v1/start"); ok {
				starts[pod]++
			}
		}
		for _, pod := range []string{"ovn-nb-0", "ovn-nb-1", "ovn-nb-2", "ovn-sb-0", "ovn-sb-1", "ovn-sb-2"} {
			if starts[pod] != 1 {
				t.Errorf("%s was ordered to start %d times, want once", pod, starts[pod])
			}
		}
		status, _, _ := unstructured.NestedMap(p.Object(object).Object, "status")
		nb, _, _ := unstructured.NestedString(status, "northbound", "connection")
		const domain = ".ovn-nb-members.cloud.svc.cluster.local:6641"
		want := "ssl:ovn-nb-0" + domain + ",ssl:ovn-nb-1" + domain + ",ssl:ovn-nb-2" + domain
		if nb != want {
			t.Errorf("the northbound database is at\n%s, want\n%s", nb, want)
		}
	})
}

// The lost identity of a member is kicked before its pod joins anew, or the cluster would count it for ever.
func TestLostVolumeJoinsAnew(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before := len(members(p).Orders())
		change(p, func(m *fake.Members) { m.Lose("ovn-sb-1") })
		p.Ready()
		got := members(p).Orders()[before:]
		if want := []string{"ovn-sb-0 POST /v1/forget", "ovn-sb-1 POST /v1/start"}; !slices.Equal(got, want) {
			t.Errorf("orders are %v, want %v", got, want)
		}
	})
}

// What a person has to put right keeps changes from the members, and nothing else: one with an empty volume joins.
func TestBadInputStopsNoMember(t *testing.T) {
	inputs := infratest.BadInputs(object, "spec.caSecret", "data-ovn-nb-2")
	infratest.DespiteBadInput(t, scenario, inputs, object, func(p *kittest.Play) {
		before := len(members(p).Orders())
		change(p, func(m *fake.Members) { m.Lose("ovn-sb-1") })
		got := members(p).Orders()[before:]
		if want := []string{"ovn-sb-0 POST /v1/forget", "ovn-sb-1 POST /v1/start"}; !slices.Equal(got, want) {
			p.T.Errorf("orders are %v, want %v", got, want)
		}
		if c := p.Condition(object, "SouthboundReady"); c.Status != "True" {
			p.T.Errorf("SouthboundReady is %s: %s", c.Status, c.Message)
		}
	})
}

// A database that has lost its majority waits for a person, whose decision is about that database only.
func TestMajorityLostNeedsAPerson(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		change(p, func(m *fake.Members) {
			m.Lose("ovn-nb-0", "ovn-nb-2")
			m.Change("ovn-nb-1", func(s *wire.State) { s.Phase, s.Service = wire.Starting, wire.Service{} })
		})
		c := p.Condition(object, "NorthboundReady")
		if c.Reason != "VolumesLost" || !strings.Contains(c.Message, "{forceBoot: ovn-nb-1, epoch: 2}") {
			t.Errorf("NorthboundReady is %s: %s, want VolumesLost and what to set", c.Reason, c.Message)
		}
		if c := p.Condition(object, "SouthboundReady"); c.Status != "True" {
			t.Errorf("SouthboundReady is %s although nothing happened to it: %s", c.Status, c.Message)
		}
		p.Change(object, "spec.recovery", map[string]any{"forceBoot": "ovn-nb-1", "epoch": int64(2)})
		p.Settle()
		p.Ready()
		nb, _, _ := unstructured.NestedInt64(p.Object(object).Object, "status", "northbound", "epoch")
		sb, _, _ := unstructured.NestedInt64(p.Object(object).Object, "status", "southbound", "epoch")
		if nb != 2 || sb != 1 {
			t.Errorf("the databases were formed %d and %d times, want 2 and 1", nb, sb)
		}
	})
}

// Members leave one after the other, before their pods go.
func TestShrink(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before := len(members(p).Orders())
		p.Change(object, "spec.replicas", int64(1))
		p.Settle()
		p.Ready()
		got := members(p).Orders()[before:]
		slices.Sort(got)
		want := []string{"ovn-nb-1 POST /v1/leave", "ovn-nb-2 POST /v1/leave",
			"ovn-sb-1 POST /v1/leave", "ovn-sb-2 POST /v1/leave"}
		if !slices.Equal(got, want) {
			t.Errorf("orders are %v, want %v", got, want)
		}
		p.Change(object, "spec.replicas", int64(3))
		p.Settle()
		p.Ready()
	})
}

// Who has lost its volume is counted until the others forget it: before one of them leaves, which would take the
// majority with it. One that is to stay joins anew.
func TestShrinkWithLostVolumes(t *testing.T) {
	for lost, want := range map[string][]string{
		"ovn-nb-2": {"ovn-nb-0 POST /v1/forget", "ovn-nb-1 POST /v1/leave"},
		"ovn-nb-1": {"ovn-nb-0 POST /v1/forget", "ovn-nb-2 POST /v1/leave"},
		"ovn-nb-0": {"ovn-nb-1 POST /v1/forget", "ovn-nb-0 POST /v1/start", "ovn-nb-2 POST /v1/leave",
			"ovn-nb-1 POST /v1/leave"},
	} {
		t.Run(lost, func(t *testing.T) {
			kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
				change(p, func(m *fake.Members) { m.Silence(true, lost) })
				before := len(members(p).Orders())
				p.Change(object, "spec.replicas", int64(1))
				p.Settle()
				change(p, func(m *fake.Members) { m.Lose(lost); m.Silence(false, lost) })
				p.Settle()
				p.Ready()
				southbound := func(order string) bool { return strings.HasPrefix(order, "ovn-sb") }
				got := slices.DeleteFunc(members(p).Orders()[before:], southbound)
				if !slices.Equal(got, want) {
					t.Errorf("orders are %v, want %v", got, want)
				}
				members(p).Change("ovn-nb-0", func(s *wire.State) {
					if !slices.Equal(s.Members, []string{"ovn-nb-0"}) {
						t.Errorf("the cluster counts %v", s.Members)
					}
				})
			})
		})
	}
}

// A new image is told to the agents when all members run it: the schema is changed then, and northd follows.
func TestUpgrade(t *testing.T) {
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		before := len(members(p).Orders())
		p.Change(object, "spec.image", "images.test/ovn:2")
		p.Settle()
		p.Ready()
		got := members(p).Orders()[before:]
		slices.Sort(got)
		if want := []string{"ovn-nb-0 POST /v1/upgraded", "ovn-sb-0 POST /v1/upgraded"}; !slices.Equal(got, want) {
			t.Errorf("orders are %v, want %v", got, want)
		}
	})
}

func TestPodsThatDoNotStart(t *testing.T) {
	infratest.TellsOfPods(t, scenario, object, "ovn-sb", "SouthboundDeploymentReady")
}

func TestVolumesGrow(t *testing.T) { infratest.Grows(t, scenario, object, "data-ovn-nb-0") }

func TestVolumeThatThereIsNot(t *testing.T) {
	infratest.LacksVolume(t, scenario, object, "data-ovn-nb-0")
}

func TestDeletionKeepsVolumesUnlessAsked(t *testing.T) {
	infratest.KeepsVolumes(t, scenario, object, 6)
}

func TestClassFollowsUntilAVolumeIsBound(t *testing.T) {
	infratest.FollowsClass(t, scenario, object, "data-ovn-nb-0")
}
