package galera

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"

	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/agent/mariadb"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
)

// conductor has the steps that talk to agents.
type conductor struct {
	dial     Dial
	listener *Listener
}

// pollEvery is how often members are asked while the cluster does not run.
const pollEvery = time.Second

func (c *conductor) connect(s *scope) (*Members, error) {
	g := s.Owner()
	cred := agent.Credentials{CA: []byte(s.Value(refAgent, pki.CAKey)),
		Cert: []byte(s.Value(refAgent, pki.AgentClientCert)),
		Key:  []byte(s.Value(refAgent, pki.AgentClientKey))}
	if err := s.Err(); err != nil {
		return nil, err
	}
	caller, err := c.dial(cred)
	if err != nil {
		return nil, err
	}
	domain := Domain(g.Name, g.Namespace)
	c.listener.Listen(keyOf(g), cred, domain, Pods(g.Name, g.Spec.Replicas))
	return &Members{Caller: caller, Domain: domain}, nil
}

// members looks at all members and gives the orders that follow. It is done while a writer takes writes; what the other
// members do is told by others.
func (c *conductor) members(ctx context.Context, s *scope) *outcome.Outcome {
	g := s.Owner()
	record, err := ParseRecord(s.Cell().ID)
	if err != nil {
		return outcome.FromError(err)
	}
	if record.Epoch == 0 && s.Child(stepSet, "StatefulSet", g.Name) == nil {
		return member.Unmade(stepSet)
	}
	m, err := c.connect(s)
	if err != nil {
		return outcome.FromError(err)
	}
	defer m.Close()
	w := World{Pods: Pods(g.Name, g.Spec.Replicas), Record: *record}
	if r := g.Spec.Recovery; r != nil {
		w.Override, w.OverrideEpoch = r.Seed, r.Epoch
	}
	w.Reports = Observe(ctx, m, w.Pods)
	w.Still = c.listener.Still(keyOf(g), s.Now())
	d, err := Drive(ctx, m, w, func(r Record) error {
		s.Cell().ID = r.String()
		return s.Save()
	})
	c.listener.Note(keyOf(g), picture{down: d.Action != Serve, since: s.Now(), reports: w.Reports})
	return conclude(d, err)
}

func keyOf(g object) types.NamespacedName {
	return types.NamespacedName{Namespace: g.Namespace, Name: g.Name}
}

func conclude(d Decision, err error) *outcome.Outcome {
	switch {
	case err != nil && d.Action == Serve:
		// The cluster runs, and an order about its writer is to be repeated.
		return outcome.Poll(pollEvery, "the writer", "Changes the writer: %s; wait, or see the log of the "+
			"members' pods.", err)
	case err != nil:
		o := outcome.Poll(pollEvery, d.On, "%s The order failed: %s; see that the members' pods run.", d.Text, err)
		o.Reason = d.Reason
		return o
	case d.Action == Serve:
		return outcome.Done()
	}
	o := outcome.Poll(pollEvery, d.On, "%s", d.Text)
	o.Reason = d.Reason
	return o
}

// health tells of members that cannot run, as their agents say. What the pods say themselves, and that all are of the
// newest revision, is told by the step that makes them.
func (c *conductor) health(_ context.Context, s *scope) *outcome.Outcome {
	g := s.Owner()
	set := s.Child(stepSet, "StatefulSet", g.Name)
	if set == nil {
		return outcome.Done()
	}
	if ready, _ := gate.For(set)(set); ready {
		return outcome.Done()
	}
	for _, p := range Pods(g.Name, g.Spec.Replicas) {
		r := c.listener.Last(keyOf(g))[p]
		if r.Message != "" && (r.Phase == mariadb.Blocked || r.Phase == mariadb.Down) {
			o := outcome.Wait("Pod "+p, "Member %s does not run: %s; see its log: kubectl -n %s logs %s.", p,
				strings.TrimSuffix(r.Message, "."), g.Namespace, p)
			o.Reason = "Member" + string(r.Phase)
			return o
		}
	}
	return outcome.Done()
}

// room tells of members that could not take the writes of the one that does: the next loss would stop them.
func (c *conductor) room(_ context.Context, s *scope) *outcome.Outcome {
	g := s.Owner()
	for _, p := range Pods(g.Name, g.Spec.Replicas) {
		if c.listener.Last(keyOf(g))[p].Full {
			o := outcome.Wait("PersistentVolumeClaim data-"+p, "The volume of %s has almost no room left, so that it takes "+
				"no writes; raise spec.storage.size, for which the storage class has to allow expansion.", p)
			o.Reason = "VolumeFull"
			return o
		}
	}
	return outcome.Done()
}

// options lets a running member read a changed configuration before any pod rolls. Before the first member runs nobody
// can be asked, and a wrong option is told by the member that does not start. A changed image asks for no check:
// members check with the one that they run, not with the one that they get.
func (c *conductor) options(ctx context.Context, s *scope) *outcome.Outcome {
	g := s.Owner()
	text := configFile(g)
	sum := digest(text)
	if s.Cell().ID == sum || len(g.Spec.Config) == 0 {
		return nil
	}
	if r, err := recordOf(g); err != nil || r.Cluster == "" {
		return outcome.FromError(err)
	}
	m, err := c.connect(s)
	if err != nil {
		return outcome.FromError(err)
	}
	defer m.Close()
	pods := Pods(g.Name, g.Spec.Replicas)
	there := Observe(ctx, m, pods)
	if len(there) == 0 && c.nobodyRuns(s) {
		return nil
	}
	err = errors.New("none answers")
	for _, p := range pods {
		if _, ok := there[p]; !ok {
			continue
		}
		if err = m.Check(ctx, p, text); err == nil {
			s.Cell().ID = sum
			return nil
		}
		if r, ok := errors.AsType[*agent.Refusal](err); ok && r.Code == 422 {
			return outcome.Refuse("InvalidConfig",
				"MariaDB refuses spec.config: %s; correct it. Members keep the options they have until then.", r.Message)
		}
	}
	return outcome.Fail(outcome.Unavailable, fmt.Errorf(
		"checking spec.config with a member: %w; see that one serves", err))
}

// nobodyRuns tells whether Kubernetes, too, knows of no member that serves, and that has been so for longer than a
// restart takes. What keeps members from starting may be what the change puts right, such as a buffer for which there
// is no memory, so it does not wait for them.
func (c *conductor) nobodyRuns(s *scope) bool {
	g := s.Owner()
	set, ok := s.Child(stepSet, "StatefulSet", g.Name).(*appsv1.StatefulSet)
	return (!ok || set.Status.ReadyReplicas == 0) && c.listener.Still(keyOf(g), s.Now()) >= patience
}
