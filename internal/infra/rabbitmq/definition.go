// Package rabbitmq is the operator of RabbitMQ: a StatefulSet of members whose agents it tells how to form one cluster.
package rabbitmq

import (
	"crypto/rand"
	"encoding/hex"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	scope  = step.Scope[*infrav1.RabbitMQ]
	object = *infrav1.RabbitMQ
)

// Dial makes a caller of agents.
type Dial = member.Dial

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
	refAgent    = "agent"
	refCA       = "ca"
	refClass    = "class"
	refClasses  = "classes"
	refVolumes  = "volumes"
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
			ref.To(refClass, &storagev1.StorageClass{}, storageClass),
			member.Classes[object](refClasses),
			member.Volumes(refVolumes, claimNames),
		},
		Steps:  steps(dial),
		Report: report,
	}
}

func steps(dial Dial) []step.Step[object] {
	cluster := raft(dial)
	return []step.Step[object]{
		pki.CA("ca", func(r object) string { return r.Name + "-ca" },
			func(r object) bool { return r.Spec.TLS.CASecret == "" }),
		pki.Leaf("certificate", pki.LeafSpec[object]{Secret: func(r object) string { return TLSSecret(r.Name) },
			CARef: refCA, Names: certificateNames}, step.After[object]("ca"), step.Condition[object]("TLSReady")),
		pki.AuthorityLasts(refCA, func(r object) bool { return r.Spec.TLS.CASecret != "" },
			step.After[object]("certificate")),
		pki.Agent(stepAgent, func(r object) string { return AgentSecret(r.Name) }, agentNames),
		step.Secret(stepCookie, cookie, func(r object) string { return cookieSecret(r.Name) },
			step.Copied[object](), step.KeepWhen(retained)),
		step.Objects("access", access,
			step.Makes[object](&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{}),
			step.Condition[object]("ServiceReady")),
		step.Objects("budget", budget, step.Makes[object](&policyv1.PodDisruptionBudget{}),
			step.When(func(r object) bool { return r.Spec.Replicas > 1 })),
		step.Objects(stepConfig, configObjects, step.Makes[object](&corev1.ConfigMap{})),
		step.Check(stepSize, size),
		step.Objects(stepVolumes, claims, step.Makes[object](&corev1.PersistentVolumeClaim{}),
			step.Reads[object](refClass, refClasses, refVolumes), step.KeepWhen(retained),
			step.Condition[object]("VolumesReady"), step.Ready[object]("PersistentVolumeClaim", member.HasClass)),
		step.Check("growth", member.Growth(refVolumes, refClasses, volumeSize), step.After[object](stepVolumes),
			step.Reads[object](refClasses, refVolumes), step.Condition[object]("VolumesReady")),
		step.Check(stepShrink, cluster.Shrink, step.After[object](stepAgent), step.Reads[object](refAgent),
			step.Condition[object]("ScalingReady")),
		step.Objects(stepSet, statefulSet, step.Makes[object](&appsv1.StatefulSet{}), step.Sees[object](stepSize),
			step.After[object]("certificate", stepCookie, "access", stepConfig, stepVolumes, stepShrink),
			// The pods become ready by the orders of the members' step, which does not wait for them.
			step.Condition[object]("DeploymentReady"), step.OnImmutable[object](step.Orphan)),
		// What stops all publishers is told before that a member is missing.
		step.Check("alarms", alarms(cluster), step.After[object](stepShrink), step.Reads[object](refAgent),
			step.Every[object](lookEvery), step.Condition[object]("MembersReady")),
		// Members join whatever a person has to put right before the StatefulSet is applied.
		step.Check(stepMembers, cluster.Members, step.After[object](stepShrink), member.LooksAt[object](stepSet),
			step.Reads[object](refAgent), step.Condition[object]("MembersReady")),
		step.Check("features", cluster.Upgraded(func(r object) string { return r.Spec.Image }),
			step.After[object](stepSet, stepMembers), step.Reads[object](refAgent)),
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
	r, known := s.Owner(), have["cookie"]
	switch {
	case len(have) == 0:
		b := make([]byte, 32)
		_, _ = rand.Read(b)
		known = []byte(hex.EncodeToString(b))
	case len(known) < 20:
		return nil, outcome.Invalidf("its key cookie has %d characters, and RabbitMQ's have 20 at least; delete Secret %s, "+
			"and it comes back as it was", len(known), cookieSecret(r.Name))
	}
	return &step.Generated{Secret: &corev1.Secret{ObjectMeta: meta(r, cookieSecret(r.Name)), Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"cookie": known}}}, nil
}

// raft brings the members into one cluster.
func raft(dial Dial) member.Raft[object] {
	return member.Raft[object]{
		Dial: dial, RefAgent: refAgent, StepSet: stepSet,
		Set:      func(r object) string { return r.Name },
		Domain:   func(r object) string { return domain(r.Name, r.Namespace) },
		Replicas: func(r object) int32 { return r.Spec.Replicas },
		Recovery: func(r object) *infrav1.Recovery { return r.Spec.Recovery },
		Content:  "messages", Moves: "queues",
	}
}

func report(v step.View, r object) {
	r.Status.Hosts, r.Status.Port = Hosts(r), Port(r)
	r.Status.ReadyMembers, r.Status.VolumesPending = 0, member.Pending(v.Referenced(refVolumes))
	if set, ok := v.Child(stepSet, "StatefulSet", r.Name).(*appsv1.StatefulSet); ok {
		r.Status.ReadyMembers = set.Status.ReadyReplicas
	}
	if record, err := member.ParseRecord(member.Cell(r.KitStatus(), stepMembers)); err == nil {
		r.Status.Epoch = record.Epoch
	}
}
