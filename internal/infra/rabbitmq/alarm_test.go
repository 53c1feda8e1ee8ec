package rabbitmq_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/kittest"

	wire "stackwright.dev/stackwright/internal/agent/member"
	"stackwright.dev/stackwright/internal/infra/rabbitmq/fake"
)

// Members that run short of something stay ready, as consumers make room. A person learns which field gives more, and
// new pods, which may be what has more, do not wait.
func TestAlarms(t *testing.T) {
	alarm := func(a ...wire.Alarm) func(*wire.State) { return func(s *wire.State) { s.Service.Alarms = a } }
	look := func(p *kittest.Play) metav1.Condition {
		p.Pass(2 * time.Minute)
		return p.Condition(mq, "MembersReady")
	}
	kittest.New(t, scenario(t)).Run(t, func(p *kittest.Play) {
		change(p, func(m *fake.Members) {
			m.Change("mq-1", alarm(wire.Memory))
			m.Change("mq-2", alarm(wire.Disk, wire.Memory))
		})
		c := look(p)
		if c.Reason != "VolumeFull" || !strings.Contains(c.Message, "volumes of mq-2; raise spec.storage.size") {
			t.Errorf("MembersReady is %s: %s", c.Reason, c.Message)
		}
		if n := members(p).Serving("mq"); n != 3 {
			t.Errorf("%d members serve, want 3", n)
		}
		change(p, func(m *fake.Members) { m.Change("mq-2", alarm(wire.Memory)) })
		c = look(p)
		if c.Reason != "MemoryFull" || !strings.Contains(c.Message, "mq-1, mq-2 have") ||
			!strings.Contains(c.Message, "spec.resources.limits.memory") {
			t.Errorf("MembersReady is %s: %s", c.Reason, c.Message)
		}
		p.Change(mq, "spec.resources", map[string]any{"limits": map[string]any{"memory": "2Gi"}})
		p.Settle()
		if c := p.Condition(mq, "DeploymentReady"); c.Status != metav1.ConditionTrue {
			t.Errorf("pods with more memory wait: %s", c.Message)
		}
		change(p, func(m *fake.Members) {
			m.Change("mq-1", alarm(wire.Disk))
			m.Silence(true, "mq-2")
		})
		if c := look(p); c.Reason != "VolumeFull" || !strings.Contains(c.Message, "volumes of mq-1") {
			t.Errorf("without mq-2 MembersReady is %s: %s", c.Reason, c.Message)
		}
		change(p, func(m *fake.Members) {
			m.Silence(false, "mq-2")
			m.Change("mq-1", alarm())
			m.Change("mq-2", alarm())
		})
		if c := look(p); c.Status != metav1.ConditionTrue {
			t.Errorf("MembersReady is still %s: %s", c.Reason, c.Message)
		}
		p.Ready()
	})
}
