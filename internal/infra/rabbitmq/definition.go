// Package rabbitmq is the operator of RabbitMQ: a StatefulSet of members whose agents it tells how to form one cluster.
package rabbitmq

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/agent"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	scope  = step.Scope[*infrav1.RabbitMQ]
	object = *infrav1.RabbitMQ
)

// Names of steps and references that are used in several places.
const (
	stepAgent   = "agent"
	stepConfig  = "config"
	stepCookie  = "cookie"
	stepSize    = "size"
	stepVolumes = "volumes"
	stepShrink  = "shrink"
	stepSet     = "statefulset"
	stepMembers = "members"
	stepRollout = "rollout"
	refAgent    = "agent"
	refCA       = "ca"
	refClass    = "class"
	refCookie   = "cookie"
	refCopy     = "cookie-copy"
)

// Definition is the operator. Agents are called through dial.
func Definition(dial Dial) kit.Definition[object] {
	return kit.Definition[object]{
		Name: "rabbitmq",
		New:  func() object { return &infrav1.RabbitMQ{} },
		Refs: []ref.Ref[object]{
			ref.Local(refCA, &corev1.Secret{}, caSecret, ref.Fields[object](pki.CertKey, pki.KeyKey)),
			ref.Local(refAgent, &corev1.Secret{}, func(r object) string { return AgentSecret(r.Name) },
				ref.Fields[object](pki.CAKey, pki.AgentClientCert, pki.AgentClientKey)),
			ref.Local(refCookie, &corev1.Secret{}, func(r object) string { return cookieSecret(r.Name) }),
			ref.Local(refCopy, &corev1.Secret{}, func(r object) string { return cookieCopy(r.Name) }, ref.Optional[object]()),
			ref.To(refClass, &storagev1.StorageClass{}, storageClass),
		},
		Steps:  steps(dial),
		Report: report,
	}
}

func steps(dial Dial) []step.Step[object] {
	return []step.Step[object]{
		pki.CA("ca", func(r object) string { return r.Name + "-ca" },
			func(r object) bool { return r.Spec.TLS.CASecret == "" }),
		pki.Leaf("certificate", pki.LeafSpec[object]{Secret: func(r object) string { return TLSSecret(r.Name) },
			CARef: refCA, Names: certificateNames}, step.After[object]("ca"), step.Condition[object]("TLSReady")),
		pki.Agent(stepAgent, func(r object) string { return AgentSecret(r.Name) }, agentNames),
		step.Secret(stepCookie, cookie, func(r object) string { return cookieSecret(r.Name) },
			step.Reads[object](refCopy), step.KeepWhen(retained)),
		step.Secret("cookie-copy", copyOfCookie, func(r object) string { return cookieCopy(r.Name) },
			step.After[object](stepCookie), step.Reads[object](refCookie), step.KeepWhen(retained)),
		step.Objects("access", access,
			step.Makes[object](&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{}),
			step.Condition[object]("ServiceReady")),
		step.Objects("budget", budget, step.Makes[object](&policyv1.PodDisruptionBudget{}),
			step.When(func(r object) bool { return r.Spec.Replicas > 1 })),
		step.Objects(stepConfig, configObjects, step.Makes[object](&corev1.ConfigMap{})),
		step.Check(stepSize, size),
		step.Objects(stepVolumes, claims, step.Makes[object](&corev1.PersistentVolumeClaim{}), step.Reads[object](refClass),
			step.KeepWhen(retained), step.Condition[object]("VolumesReady"),
			step.Ready[object]("PersistentVolumeClaim", member.HasClass)),
		step.Check(stepShrink, shrink(dial), step.After[object](stepAgent), step.Reads[object](refAgent),
			step.Condition[object]("ScalingReady")),
		step.Objects(stepSet, statefulSet, step.Makes[object](&appsv1.StatefulSet{}), step.Sees[object](stepSize),
			step.After[object]("certificate", stepCookie, "access", stepConfig, stepVolumes, stepShrink),
			// The pods become ready by the orders of a later step.
			step.Ready[object]("StatefulSet", gate.Exists), step.OnImmutable[object](step.Orphan)),
		step.Check(stepMembers, members(dial), step.Sees[object](stepSet), step.Reads[object](refAgent),
			step.Condition[object]("MembersReady")),
		step.Check(stepRollout, rollout, step.Sees[object](stepSet), step.After[object](stepMembers),
			step.Condition[object]("DeploymentReady")),
		step.Check("features", features(dial), step.After[object](stepRollout), step.Reads[object](refAgent)),
	}
}

// keepsData tells whether the volumes outlive the object.
func retained(r object) bool { return r.Spec.DeletionPolicy != infrav1.DeleteData }

func storageClass(r object) []types.NamespacedName {
	if r.Spec.Storage.ClassName == "" {
		return nil
	}
	return []types.NamespacedName{{Name: r.Spec.Storage.ClassName}}
}

// cookie keeps the secret by which members know each other. It stays with the volumes: an account on them has a
// password that follows from it. Members that run have it in memory and would not know one that starts with another
// cookie, so there is a copy from which it comes back when somebody deletes it.
func cookie(s *scope, have map[string][]byte) (*step.Generated, error) {
	for _, known := range [][]byte{have["cookie"], s.Content(refCopy)["cookie"]} {
		if len(known) >= 20 {
			return cookieIn(s, cookieSecret, known), nil
		}
	}
	b := make([]byte, 32)
	_, _ = rand.Read(b)
	return cookieIn(s, cookieSecret, []byte(hex.EncodeToString(b))), nil
}

func copyOfCookie(s *scope, _ map[string][]byte) (*step.Generated, error) {
	return cookieIn(s, cookieCopy, []byte(s.Value(refCookie, "cookie"))), s.Err()
}

func cookieIn(s *scope, name func(string) string, cookie []byte) *step.Generated {
	r := s.Owner()
	return &step.Generated{Secret: &corev1.Secret{ObjectMeta: meta(r, name(r.Name)), Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"cookie": cookie}}}
}

// connect returns orders to the members. Close it.
func connect(s *scope, dial Dial) (*Members, error) {
	r := s.Owner()
	c := agent.Credentials{CA: []byte(s.Value(refAgent, pki.CAKey)), Cert: []byte(s.Value(refAgent, pki.AgentClientCert)),
		Key: []byte(s.Value(refAgent, pki.AgentClientKey))}
	if err := s.Err(); err != nil {
		return nil, err
	}
	caller, err := dial(c)
	if err != nil {
		return nil, err
	}
	return &Members{Caller: caller, Domain: domain(r.Name, r.Namespace)}, nil
}

// pollEvery is how often members are asked while one of them does not serve.
const pollEvery = 2 * time.Second

func unavailable(err error) *outcome.Outcome { return outcome.Fail(outcome.Unavailable, err) }

// shrink takes members out of the cluster before the StatefulSet takes their pods away. The count of pods that it has
// let through is in its cell, because the StatefulSet's own count is not to be trusted while it changes.
func shrink(dial Dial) func(context.Context, *scope) *outcome.Outcome {
	return func(ctx context.Context, s *scope) *outcome.Outcome {
		want := int(s.Owner().Spec.Replicas)
		have, _ := strconv.Atoi(s.Cell().ID)
		if have > want {
			m, err := connect(s, dial)
			if err != nil {
				return outcome.FromError(err)
			}
			defer m.Close()
			why, err := m.Shrink(ctx, Pods(s.Owner().Name, int32(min(have, maxReplicas))), want)
			if err != nil {
				return unavailable(err)
			}
			if why != "" {
				return outcome.Poll(pollEvery, "the members to leave", "Going from %d to %d replicas: %s.", have, want, why)
			}
		}
		if have == want {
			return outcome.Done()
		}
		s.Cell().ID = strconv.Itoa(want)
		return outcome.FromError(s.Save())
	}
}

// members brings the pods into one cluster. While all of them serve it asks nobody.
func members(dial Dial) func(context.Context, *scope) *outcome.Outcome {
	return func(ctx context.Context, s *scope) *outcome.Outcome {
		r := s.Owner()
		record, err := ParseRecord(s.Cell().ID)
		if err != nil {
			return outcome.FromError(err)
		}
		set, ok := s.Child(stepSet, "StatefulSet", r.Name).(*appsv1.StatefulSet)
		if ok && record.Epoch > 0 && serve(set, r.Spec.Replicas) {
			return outcome.Done()
		}
		m, err := connect(s, dial)
		if err != nil {
			return outcome.FromError(err)
		}
		defer m.Close()
		pods := Pods(r.Name, r.Spec.Replicas)
		w := World{Pods: pods, Reports: m.Observe(ctx, pods), Record: record, Recovery: r.Spec.Recovery}
		d, err := m.Drive(ctx, w, func(next Record) error {
			s.Cell().ID = next.String()
			return s.Save()
		})
		return conclude(d, err)
	}
}

// serve tells whether all pods of a StatefulSet are ready, of whatever revision.
func serve(set *appsv1.StatefulSet, replicas int32) bool {
	return set.Status.ObservedGeneration >= set.Generation &&
		set.Status.ReadyReplicas == replicas && set.Status.Replicas == replicas
}

func conclude(d Decision, err error) *outcome.Outcome {
	if err != nil {
		return unavailable(err)
	}
	pace := pollEvery
	if d.Serving || d.Stopped {
		pace = 5 * time.Second
	}
	// When members serve, their pods' readiness is what is waited for, and that wakes the owner.
	if d.Message == "" {
		d.Reason, d.Message = "MembersStarting", "All members serve; waits until their pods are ready."
	}
	o := outcome.Poll(pace, "the members", "%s", d.Message)
	o.Reason = d.Reason
	return o
}

// rollout waits until all pods are of the newest revision.
func rollout(_ context.Context, s *scope) *outcome.Outcome {
	set := s.Child(stepSet, "StatefulSet", s.Owner().Name)
	if set == nil {
		return outcome.Wait("StatefulSet "+s.Owner().Name, "Waits for StatefulSet %s.", s.Owner().Name)
	}
	if ready, why := gate.For(&appsv1.StatefulSet{})(set); !ready {
		return outcome.Wait("StatefulSet "+s.Owner().Name, "%s", why)
	}
	return outcome.Done()
}

// features enables what a newer RabbitMQ brings once all members run it: the release after it requires that.
func features(dial Dial) func(context.Context, *scope) *outcome.Outcome {
	return func(ctx context.Context, s *scope) *outcome.Outcome {
		r := s.Owner()
		if s.Cell().ID == r.Spec.Image {
			return outcome.Done()
		}
		m, err := connect(s, dial)
		if err != nil {
			return outcome.FromError(err)
		}
		defer m.Close()
		var errs []error
		for _, p := range Pods(r.Name, r.Spec.Replicas) {
			if err := m.order(ctx, p, "POST /v1/upgraded", nil); err != nil {
				errs = append(errs, fmt.Errorf("enabling the features of the new version on %s: %w", p, err))
				continue
			}
			s.Cell().ID = r.Spec.Image
			return outcome.Done()
		}
		return unavailable(errors.Join(errs...))
	}
}

func report(v step.View, r object) {
	r.Status.Hosts, r.Status.Port = Hosts(r), Port(r)
	r.Status.ReadyMembers = 0
	if set, ok := v.Child(stepSet, "StatefulSet", r.Name).(*appsv1.StatefulSet); ok {
		r.Status.ReadyMembers = set.Status.ReadyReplicas
	}
	if record, err := ParseRecord(cell(r, stepMembers)); err == nil {
		r.Status.Epoch = record.Epoch
	}
}
