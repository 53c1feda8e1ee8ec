package galera_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	wire "stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/internal/infra/galera/fake"
	"stackwright.dev/stackwright/internal/infra/infratest"
	"stackwright.dev/stackwright/internal/pki/pkitest"
)

const db = "Galera/cloud/db"

func scenario(t *testing.T) kittest.Scenario {
	t.Helper()
	s := infratest.Scenario(t, func(outside http.RoundTripper) kit.Definition[*infrav1.Galera] {
		return galera.Definition(fake.Dial(outside))
	}, "galeras")
	s.Outside = func() http.RoundTripper { return fake.New() }
	s.Children = map[string]kittest.Behaviour{"StatefulSet": infratest.AsMembers[*fake.Members]}
	return s
}

func TestAnAuthorityThatEnds(t *testing.T) {
	pkitest.AuthorityLasts(t, scenario(t), db, "spec.tls.caSecret")
}

func members(p *kittest.Play) *fake.Members { return infratest.Outside[*fake.Members](p) }

// change lets something happen to members, which their pods' readiness shows.
func change(p *kittest.Play, f func(*fake.Members)) {
	p.T.Helper()
	infratest.Change(p, f, "StatefulSet/cloud/db")
}

// play runs f on a cluster that serves.
func play(t *testing.T, f func(p *kittest.Play, m *fake.Members)) {
	t.Helper()
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		p.Ready()
		f(p, members(p))
	})
}

func field[T any](p *kittest.Play, object string, path ...string) T {
	v, _, _ := unstructured.NestedFieldNoCopy(p.Object(object).Object, path...)
	out, _ := v.(T)
	return out
}

func writer(p *kittest.Play) string {
	return field[string](p, "Service/cloud/db", "spec", "selector", "statefulset.kubernetes.io/pod-name")
}

func TestGolden(t *testing.T)         { kittest.New(t, scenario(t)).Golden(t, "testdata/minimal.yaml") }
func TestGoldenVariants(t *testing.T) { infratest.Variants(t, scenario, db) }
func TestLongName(t *testing.T)       { infratest.LongName(t, scenario(t), db) }

// At rest nothing is asked of Kubernetes. Each of the three agents is asked for its state.
func TestBudget(t *testing.T) { kittest.New(t, scenario(t)).Budget(t, 3, 0) }

func TestCrash(t *testing.T) { kittest.New(t, scenario(t)).Crash(t, nil) }

func TestDriftIsHealed(t *testing.T) {
	kittest.New(t, scenario(t)).Drift(t, "Service/db", "spec.selector", map[string]any{"app": "other"})
}

func TestOneMemberBegins(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		if n := infratest.Count(m.Orders(), "db-0 POST /v1/bootstrap"); n != 1 {
			t.Errorf("db-0 was ordered to begin %d times, want once: %v", n, m.Orders())
		}
		if slices.ContainsFunc(m.Orders(),
			func(s string) bool { return strings.HasSuffix(s, "bootstrap") && !strings.HasPrefix(s, "db-0") }) {
			t.Errorf("another member was ordered to begin: %v", m.Orders())
		}
		if got := writer(p); got != "db-0" || field[string](p, db, "status", "writer") != got {
			t.Errorf("the Service leads to %q", got)
		}
		if got := field[string](p, db, "status", "clusterID"); got != fake.History {
			t.Errorf("status.clusterID is %q", got)
		}
	})
}

func TestServiceFollowsTheWriter(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		change(p, func(m *fake.Members) { m.Cut("db-0") })
		if got := writer(p); got != "db-1" {
			t.Errorf("the Service leads to %q after db-0 was cut off, want db-1", got)
		}
		if n := infratest.Count(m.Orders(), "db-1 PUT /v1/role"); n == 0 {
			t.Error("db-1 was not told to take writes")
		}
	})
}

// A member that takes no writes anyway may fill up unseen, until it is the one that is to take them.
func TestAMemberWithoutRoomIsTold(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		if c := p.Condition(db, "VolumesHaveRoom"); c.Status != "True" {
			t.Errorf("with room VolumesHaveRoom is %s: %s", c.Status, c.Message)
		}
		change(p, func(m *fake.Members) { m.Fill("db-2") })
		p.Ready()
		c := p.Condition(db, "VolumesHaveRoom")
		if c.Reason != "VolumeFull" || !strings.Contains(c.Message, "volume of db-2") {
			t.Errorf("VolumesHaveRoom is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
	})
}

func TestAllDownStartsFromTheFurthest(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		before := len(m.Orders())
		change(p, func(m *fake.Members) { m.Crash(map[string]int64{"db-0": 7, "db-1": 7, "db-2": 9}) })
		p.Ready()
		orders := m.Orders()[before:]
		if infratest.Count(orders, "db-2 POST /v1/bootstrap") != 1 {
			t.Errorf("orders are %v, want one start from db-2", orders)
		}
		if e := field[int64](p, db, "status", "epoch"); e != 2 {
			t.Errorf("status.epoch is %d, want 2", e)
		}
	})
}

func TestLostWriterNeedsAPerson(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		before := len(m.Orders())
		change(p, func(m *fake.Members) {
			m.Crash(map[string]int64{"db-1": 7, "db-2": 9, "db-0": 9})
			m.Lose("db-0")
		})
		c := p.Condition(db, "MembersReady")
		if c.Reason != "WritesMayBeLost" || !strings.Contains(c.Message, "{seed: db-2, epoch: 2}") {
			t.Errorf("MembersReady is %s: %s, want WritesMayBeLost and what to set", c.Reason, c.Message)
		}
		if n := len(m.Orders()) - before; n != 0 {
			t.Errorf("%d orders were given: %v", n, m.Orders()[before:])
		}
		p.Change(db, "spec.recovery", map[string]any{"seed": "db-2", "epoch": int64(2)})
		p.Settle()
		p.Ready()
		if infratest.Count(m.Orders()[before:], "db-2 POST /v1/bootstrap") != 1 {
			t.Errorf("orders are %v, want a start from db-2", m.Orders()[before:])
		}
	})
}

// despite plays f on clusters that have something a person has to put right: that keeps changes from the members, and
// nothing else.
func despite(t *testing.T, f func(p *kittest.Play, m *fake.Members)) {
	t.Helper()
	inputs := infratest.BadInputs(db, "spec.tls.caSecret", "data-db-2")
	inputs["an option that MariaDB refuses"] = func(p *kittest.Play) {
		members(p).Refuse("max_conections")
		p.Change(db, "spec.config", map[string]any{"max_conections": "9"})
	}
	infratest.DespiteBadInput(t, scenario, inputs, db, func(p *kittest.Play) {
		f(p, members(p))
		if c := p.Condition(db, "MembersReady"); c.Status != "True" {
			p.T.Errorf("MembersReady is %s: %s", c.Status, c.Message)
		}
	})
}

func TestBadInputStopsNoFailover(t *testing.T) {
	despite(t, func(p *kittest.Play, _ *fake.Members) {
		change(p, func(m *fake.Members) { m.Cut("db-0") })
		if got := writer(p); got != "db-1" || field[string](p, db, "status", "writer") != got {
			p.T.Errorf("the Service leads to %q after db-0 was cut off, want db-1", got)
		}
	})
}

func TestBadInputStopsNoRecovery(t *testing.T) {
	despite(t, func(p *kittest.Play, m *fake.Members) {
		before := len(m.Orders())
		change(p, func(m *fake.Members) { m.Crash(map[string]int64{"db-0": 7, "db-1": 7, "db-2": 9}) })
		if orders := m.Orders()[before:]; infratest.Count(orders, "db-2 POST /v1/bootstrap") != 1 {
			p.T.Errorf("orders are %v, want one start from db-2", orders)
		}
	})
}

// with is the scenario of a Galera that has these lines in its spec, too.
func with(t *testing.T, lines string) kittest.Scenario {
	t.Helper()
	s := scenario(t)
	world, err := os.ReadFile(s.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	s.Files = []string{filepath.Join(t.TempDir(), "world.yaml")}
	if err := os.WriteFile(s.Files[0], append(world, lines...), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// Before there are pods nobody is asked, and the object tells what keeps them from being there.
func TestNobodyIsAskedBeforeThereArePods(t *testing.T) {
	kittest.New(t, with(t, "  tls:\n    caSecret: none\n")).Run(t, func(p *kittest.Play) {
		if c := p.Condition(db, "MembersReady"); c.Status != "False" || c.Message != "Waits for step statefulset." {
			t.Errorf("MembersReady is %s: %s", c.Status, c.Message)
		}
		if got := p.Condition(db, "Ready").Message; !strings.Contains(got, "Secret none does not exist") {
			t.Errorf("Ready does not tell the cause: %s", got)
		}
		p.Change(db, "spec.tls.caSecret", "neither")
		reads, writes := p.During(p.Settle)
		for _, x := range append(reads, writes...) {
			if strings.Contains(x, "(outside)") {
				t.Errorf("a member is asked: %s", x)
			}
		}
	})
}

func TestWrongOptionChangesNothing(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		m.Refuse("max_conections")
		before := field[string](p, "StatefulSet/cloud/db", "spec", "template", "metadata", "annotations",
			"infra.stackwright.dev/config")
		p.Change(db, "spec.config", map[string]any{"max_conections": "9"})
		p.Settle()
		c := p.Condition(db, "ConfigReady")
		if c.Reason != "InvalidConfig" || !strings.Contains(c.Message, "max_conections") {
			t.Errorf("ConfigReady is %s: %s", c.Reason, c.Message)
		}
		after := field[string](p, "StatefulSet/cloud/db", "spec", "template", "metadata", "annotations",
			"infra.stackwright.dev/config")
		if before == "" || before != after {
			t.Error("the pods roll although the option is wrong")
		}
		p.Change(db, "spec.config", map[string]any{"max_connections": "9"})
		p.Settle()
		p.Ready()
		if now := field[string](p, "StatefulSet/cloud/db", "spec", "template", "metadata", "annotations",
			"infra.stackwright.dev/config"); now == before {
			t.Error("a right option does not roll the pods")
		}
	})
}

// A member that does not join leaves the others serving, and the object says which one it is, and what its agent says.
func TestMemberThatDoesNotRunIsTold(t *testing.T) {
	for phase, why := range map[wire.Phase]string{
		wire.Down:    "mariadbd ended by itself (exit status 1): unknown variable 'a=1'",
		wire.Blocked: "The volume holds data that never belonged to a cluster; if it is not needed, delete the claim.",
	} {
		t.Run(string(phase), func(t *testing.T) {
			play(t, func(p *kittest.Play, _ *fake.Members) {
				change(p, func(m *fake.Members) { m.Bar("db-2", phase, why) })
				want := "Member db-2 does not run: " + strings.TrimSuffix(why, ".") + "; see its log: kubectl -n cloud logs db-2."
				if c := p.Condition(db, "DeploymentReady"); c.Reason != "Member"+string(phase) || c.Message != want {
					t.Errorf("DeploymentReady is %s: %s\nwant %s", c.Reason, c.Message, want)
				}
				if c := p.Condition(db, "MembersReady"); c.Status != "True" || writer(p) != "db-0" {
					t.Errorf("MembersReady is %s, and the Service leads to %s: %s", c.Status, writer(p), c.Message)
				}
			})
		})
	}
}

// lone is a cluster of one member that has an option to check.
const lone = "  replicas: 1\n  config:\n    max_connections: '100'\n"

// template is what the pods are made of: their image, and a hash of their options.
func template(p *kittest.Play) (image, options string) {
	containers := field[[]any](p, "StatefulSet/cloud/db", "spec", "template", "spec", "containers")
	image, _ = containers[0].(map[string]any)["image"].(string)
	return image, field[string](p, "StatefulSet/cloud/db", "spec", "template", "metadata", "annotations",
		"infra.stackwright.dev/config")
}

// A change with which the only member does not start leaves nobody to check the change that puts it right.
func TestOnlyMemberComesBack(t *testing.T) {
	for what, change := range map[string][2]any{
		"image":  {"images.test/gone:1", "images.test/mariadb:2"},
		"config": {map[string]any{"innodb_buffer_pool_size": "1000G"}, map[string]any{"innodb_buffer_pool_size": "1G"}},
	} {
		t.Run(what, func(t *testing.T) {
			kittest.New(t, with(t, lone)).Run(t, func(p *kittest.Play) {
				p.Ready()
				p.Change(db, "spec."+what, change[0])
				p.Settle()
				infratest.Change(p, func(m *fake.Members) { m.Cut("db-0") }, "StatefulSet/cloud/db")
				image, options := template(p)
				p.Change(db, "spec."+what, change[1])
				p.Settle()
				if i, o := template(p); i == image && o == options {
					t.Errorf("the StatefulSet has image %s and the old options still: %s", i,
						p.Condition(db, "ConfigReady").Message)
				}
			})
		})
	}
}

// A member that the operator does not reach, and that Kubernetes says serves, keeps the options it has.
func TestUncheckedOptionWaitsForMembersThatServe(t *testing.T) {
	for name, s := range map[string]kittest.Scenario{"one": with(t, lone), "three": scenario(t)} {
		t.Run(name, func(t *testing.T) {
			s.Children["StatefulSet"] = kittest.Ready
			kittest.New(t, s).Run(t, func(p *kittest.Play) {
				p.Ready()
				image, options := template(p)
				change(p, func(m *fake.Members) { m.Cut("db-0", "db-1", "db-2") })
				p.Change(db, "spec.config", map[string]any{"max_conections": "9"})
				p.Settle()
				c := p.Condition(db, "ConfigReady")
				if c.Reason != "Unavailable" || !strings.Contains(c.Message, "checking spec.config with a member: none answers") {
					t.Errorf("ConfigReady is %s: %s", c.Reason, c.Message)
				}
				if i, o := template(p); i != image || o != options {
					t.Error("the pods roll although nobody has checked the option")
				}
			})
		})
	}
}

// A member that restarts is waited for: it may be up again in a moment, and check.
func TestUncheckedOptionWaitsForAMoment(t *testing.T) {
	kittest.New(t, with(t, lone)).Run(t, func(p *kittest.Play) {
		p.Ready()
		change(p, func(m *fake.Members) { m.Cut("db-0") })
		_, before := template(p)
		p.Stop() // what it has seen is forgotten
		p.Change(db, "spec.config", map[string]any{"max_connections": "9"})
		p.Start()
		p.Pass(15 * time.Second)
		if _, now := template(p); now != before {
			t.Error("the pods roll although the member may come back")
		}
		p.Settle()
		if _, now := template(p); now == before {
			t.Errorf("the option waits for ever: %s", p.Condition(db, "ConfigReady").Message)
		}
	})
}

// A certificate is valid for 90 days, and is renewed when two thirds of them are over, by an operator that nothing else
// wakes. What signed it stays.
func TestCertificatesAreRenewedInTime(t *testing.T) {
	play(t, func(p *kittest.Play, _ *fake.Members) {
		certificates := func() map[string]string {
			out := map[string]string{}
			for _, at := range [][2]string{{"db-tls", "tls.crt"}, {"db-agent", "server.crt"}, {"db-agent", "client.crt"},
				{"db-ca", "tls.crt"}, {"db-agent", "ca.crt"}} {
				out[at[0]+" "+at[1]] = field[string](p, "Secret/cloud/"+at[0], "data", at[1])
			}
			return out
		}
		before := certificates()
		p.Stop() // for most of the days, of which each costs time
		p.Pass(59 * 24 * time.Hour)
		p.Start()
		p.Settle()
		if diff := cmp.Diff(before, certificates()); diff != "" {
			t.Errorf("after 59 days (-before +after):\n%s", diff)
		}
		p.Pass(2 * 24 * time.Hour)
		for name, now := range certificates() {
			signs := name == "db-ca tls.crt" || name == "db-agent ca.crt"
			if now == "" || (now == before[name]) != signs {
				t.Errorf("%s is the old one after 61 days: %t", name, now == before[name])
			}
		}
		p.Ready()
	})
}

func TestVolumesGrowAndTheTemplateStays(t *testing.T) {
	play(t, func(p *kittest.Play, _ *fake.Members) {
		p.Change(db, "spec.storage.size", "7Gi")
		p.Settle()
		p.Ready()
		if got := field[string](p, "PersistentVolumeClaim/cloud/data-db-1", "spec", "resources", "requests",
			"storage"); got != "7Gi" {
			t.Errorf("the claim has %s, want 7Gi", got)
		}
	})
}

func TestPodsThatDoNotStart(t *testing.T) {
	infratest.TellsOfPods(t, scenario, db, "db", "DeploymentReady")
}

func TestVolumesGrow(t *testing.T) { infratest.Grows(t, scenario, db, "data-db-0") }

func TestVolumeThatThereIsNot(t *testing.T) { infratest.LacksVolume(t, scenario, db, "data-db-0") }

func TestDeletionKeepsVolumesUnlessAsked(t *testing.T) { infratest.KeepsVolumes(t, scenario, db, 3) }

// The members are a person's while the object is paused: neither an edit nor a writer that is gone moves the
// operator.
func TestPausedIsLeftAlone(t *testing.T) {
	play(t, func(p *kittest.Play, m *fake.Members) {
		p.Change(db, "spec.paused", true)
		p.Settle()
		orders, objects := len(m.Orders()), p.Applied()
		p.Change(db, "spec.config", map[string]any{"max_connections": "9"})
		change(p, func(m *fake.Members) { m.Cut("db-0") })
		if c := p.Condition(db, "Paused"); c.Status != "True" || !strings.Contains(c.Message, "spec.paused") {
			t.Errorf("Paused is %s: %s", c.Status, c.Message)
		}
		if diff := cmp.Diff(objects, p.Applied()); diff != "" || len(m.Orders()) != orders {
			t.Errorf("orders are %v, and objects changed while it was paused:\n%s", m.Orders()[orders:], diff)
		}
		p.Change(db, "spec.paused", false)
		p.Settle()
		if p.Applied() == objects || writer(p) != "db-1" {
			t.Errorf("the edit came to nothing, and the Service leads to %s, want db-1", writer(p))
		}
	})
}

func TestClassFollowsUntilAVolumeIsBound(t *testing.T) {
	infratest.FollowsClass(t, scenario, db, "data-db-0")
}
