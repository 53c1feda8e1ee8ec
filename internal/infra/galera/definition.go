// Package galera is the operator of Galera: a StatefulSet of MariaDB members whose agents it tells which one begins the
// cluster, and which one takes the writes.
package galera

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	object = *infrav1.Galera
	scope  = step.Scope[object]
)

// Names of steps and references that are used in several places.
const (
	stepAgent   = "agent"
	stepLeaf    = "certificate"
	stepConfig  = "config"
	stepSize    = "size"
	stepVolumes = "volumes"
	stepSet     = "statefulset"
	stepMembers = "members"
	refAgent    = "agent"
	refCA       = "ca"
	refClass    = "class"
	refClasses  = "classes"
	refVolumes  = "volumes"
)

// ConditionMembers is true while the cluster runs and has a writer, though not all members may serve.
const ConditionMembers = "MembersReady"

// Definition is the operator. Agents are called through dial.
func Definition(dial Dial) kit.Definition[object] {
	l := NewListener(dial)
	return kit.Definition[object]{
		Name: "galera",
		New:  func() object { return &infrav1.Galera{} },
		Refs: []ref.Ref[object]{
			ref.Local(refCA, &corev1.Secret{}, caSecret),
			ref.Local(refAgent, &corev1.Secret{}, func(g object) string { return AgentSecret(g.Name) },
				ref.Fields[object](pki.CAKey, pki.AgentClientCert, pki.AgentClientKey)),
			ref.To(refClass, &storagev1.StorageClass{}, storageClass),
			member.Classes[object](refClasses),
			member.Volumes(refVolumes, claimNames),
		},
		Steps:  steps(dial, l),
		Report: report,
		Wake:   l.Run,
	}
}

func steps(dial Dial, l *Listener) []step.Step[object] {
	m := &conductor{dial: dial, listener: l}
	return []step.Step[object]{
		pki.CA("ca", func(g object) string { return g.Name + "-ca" },
			func(g object) bool { return !g.Spec.TLS.Disabled && g.Spec.TLS.CASecret == "" }),
		pki.Leaf(stepLeaf, pki.LeafSpec[object]{Secret: func(g object) string { return TLSSecret(g.Name) },
			CARef: refCA, Names: certificateNames}, step.After[object]("ca"), step.Condition[object]("TLSReady"),
			step.When(func(g object) bool { return !g.Spec.TLS.Disabled })),
		pki.AuthorityLasts(refCA, func(g object) bool { return !g.Spec.TLS.Disabled && g.Spec.TLS.CASecret != "" },
			step.After[object](stepLeaf)),
		pki.Agent(stepAgent, func(g object) string { return AgentSecret(g.Name) }, agentNames),
		step.Objects("access", access,
			step.Makes[object](&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{})),
		step.Objects("budget", budget, step.Makes[object](&policyv1.PodDisruptionBudget{}),
			step.When(func(g object) bool { return g.Spec.Replicas > 1 })),
		step.Check("options", m.options, step.After[object](stepAgent), member.LooksAt[object](stepSet),
			step.Reads[object](refAgent), step.Condition[object]("ConfigReady")),
		step.Objects(stepConfig, configObjects, step.Makes[object](&corev1.ConfigMap{}), step.After[object]("options")),
		step.Check(stepSize, size),
		step.Objects(stepVolumes, claims, step.Makes[object](&corev1.PersistentVolumeClaim{}),
			step.Reads[object](refClass, refClasses, refVolumes), step.KeepWhen(keepsData),
			step.Condition[object]("VolumesReady"), step.Ready[object]("PersistentVolumeClaim", member.HasClass)),
		step.Check("growth", member.Growth(refVolumes, refClasses, volumeSize), step.After[object](stepVolumes),
			step.Reads[object](refClasses, refVolumes), step.Condition[object]("VolumesReady")),
		// The writer and recovery do not wait for what a person has to put right.
		step.Check(stepMembers, m.members, step.After[object](stepAgent), member.LooksAt[object](stepSet),
			step.Reads[object](refAgent), step.Condition[object](ConditionMembers)),
		step.Check("room", m.room, step.After[object](stepMembers), step.Advises[object]("VolumesHaveRoom")),
		step.Objects("service", service, step.Makes[object](&corev1.Service{}), step.Sees[object](stepMembers),
			step.Condition[object]("ServiceReady")),
		// Before the pods: what an agent says of its member tells more than that a pod is not ready.
		step.Check("health", m.health, step.After[object](stepMembers), member.LooksAt[object](stepSet),
			step.Condition[object]("DeploymentReady")),
		// The pods become ready by the orders of the members' step, which does not wait for them.
		step.Objects(stepSet, statefulSet, step.Makes[object](&appsv1.StatefulSet{}), step.Sees[object](stepSize),
			step.After[object](stepLeaf, stepAgent, "access", stepConfig, stepVolumes),
			step.Condition[object]("DeploymentReady"), step.OnImmutable[object](step.Orphan)),
	}
}

// keepsData tells whether the volumes outlive the object.
func keepsData(g object) bool { return g.Spec.DeletionPolicy != infrav1.DeleteData }

func storageClass(g object) []types.NamespacedName {
	if g.Spec.Storage.ClassName == "" {
		return nil
	}
	return []types.NamespacedName{{Name: g.Spec.Storage.ClassName}}
}

// recordOf reads what the members step remembers from the object's status.
func recordOf(g object) (*Record, error) {
	for _, e := range g.Status.Externals {
		if e.Step == stepMembers {
			return ParseRecord(e.ID)
		}
	}
	return &Record{}, nil
}

func report(v step.View, g object) {
	g.Status.ReadyMembers, g.Status.VolumesPending = 0, member.Pending(v.Referenced(refVolumes))
	if set, ok := v.Child(stepSet, "StatefulSet", g.Name).(*appsv1.StatefulSet); ok {
		g.Status.ReadyMembers = set.Status.ReadyReplicas
	}
	if r, err := recordOf(g); err == nil {
		g.Status.Epoch, g.Status.ClusterID, g.Status.Writer = r.Epoch, r.Cluster, r.Writer()
	}
}
