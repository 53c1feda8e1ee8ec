// Package ovn is the operator of OVN's central part: two clustered databases, whose members' agents it tells how to
// form a cluster, and northd between them.
package ovn

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
	object = *infrav1.OVN
	scope  = step.Scope[object]
)

// Names of steps and references that are used in several places. The steps of a database have its short name before
// theirs.
const (
	stepCA          = "ca"
	stepCertificate = "certificate"
	stepClient      = "client"
	stepAgent       = "agent"
	stepAccess      = "access"
	stepSize        = "size"
	stepVolumes     = "volumes"
	stepShrink      = "shrink"
	stepSet         = "statefulset"
	stepMembers     = "members"
	stepSchema      = "schema"
	stepNorthd      = "northd"
	refAgent        = "agent"
	refCA           = "ca"
	refClass        = "class"
	refClasses      = "classes"
	refVolumes      = "volumes"
)

// Definition is the operator. Agents are called through dial.
func Definition(dial member.Dial) kit.Definition[object] {
	return kit.Definition[object]{
		Name: "ovn",
		New:  func() object { return &infrav1.OVN{} },
		Refs: []ref.Ref[object]{
			ref.Local(refCA, &corev1.Secret{}, CASecret, ref.Fields[object](pki.CertKey, pki.KeyKey)),
			ref.Local(refAgent, &corev1.Secret{}, func(o object) string { return AgentSecret(o.Name) },
				ref.Fields[object](pki.CAKey, pki.AgentClientCert, pki.AgentClientKey)),
			ref.To(refClass, &storagev1.StorageClass{}, storageClass),
			member.Classes[object](refClasses),
			member.Volumes(refVolumes, claimNames),
		},
		Steps:  steps(dial),
		Report: report,
	}
}

func steps(dial member.Dial) []step.Step[object] {
	out := []step.Step[object]{
		pki.CA(stepCA, func(o object) string { return o.Name + "-ca" }, func(o object) bool { return o.Spec.CASecret == "" }),
		pki.Leaf(stepCertificate, pki.LeafSpec[object]{Secret: func(o object) string { return TLSSecret(o.Name) },
			CARef: refCA, Names: hosts}, step.After[object](stepCA), step.Condition[object]("TLSReady")),
		pki.Leaf(stepClient, pki.LeafSpec[object]{Secret: func(o object) string { return ClientSecret(o.Name) },
			CARef: refCA, Names: func(object) []string { return []string{"client"} }},
			step.After[object](stepCA), step.Condition[object]("ClientTLSReady")),
		pki.AuthorityLasts(refCA, func(o object) bool { return o.Spec.CASecret != "" }, step.After[object](stepClient)),
		pki.Agent(stepAgent, func(o object) string { return AgentSecret(o.Name) }, hosts),
		step.Objects(stepAccess, access,
			step.Makes[object](&corev1.ServiceAccount{}, &corev1.Service{}, &networkingv1.NetworkPolicy{}),
			step.Condition[object]("ServiceReady")),
		step.Objects("budget", budgets, step.Makes[object](&policyv1.PodDisruptionBudget{})),
		step.Check(stepSize, size),
		step.Objects(stepVolumes, claims, step.Makes[object](&corev1.PersistentVolumeClaim{}),
			step.Reads[object](refClass, refClasses, refVolumes), step.KeepWhen(retained),
			step.Condition[object]("VolumesReady"), step.Ready[object]("PersistentVolumeClaim", member.HasClass)),
		step.Check("growth", member.Growth(refVolumes, refClasses, volumeSize), step.After[object](stepVolumes),
			step.Reads[object](refClasses, refVolumes), step.Condition[object]("VolumesReady")),
	}
	var schemas []string
	for _, d := range databases() {
		out = append(out, d.steps(dial)...)
		schemas = append(schemas, d.step(stepSchema))
	}
	return append(out, step.Objects(stepNorthd, northd, step.Makes[object](&appsv1.Deployment{}),
		step.After[object](schemas...), step.Condition[object]("NorthdReady")))
}

// steps form the cluster of one database.
func (d database) steps(dial member.Dial) []step.Step[object] {
	raft := d.cluster(dial)
	return []step.Step[object]{
		step.Check(d.step(stepShrink), raft.Shrink, step.After[object](stepAgent), step.Reads[object](refAgent),
			step.Condition[object](d.title+"ScalingReady")),
		step.Objects(d.step(stepSet), d.statefulSet, step.Makes[object](&appsv1.StatefulSet{}), step.Sees[object](stepSize),
			step.After[object](stepCertificate, stepAccess, stepVolumes, d.step(stepShrink)),
			// The pods become ready by the orders of the members' step, which does not wait for them.
			step.Condition[object](d.title+"DeploymentReady"), step.OnImmutable[object](step.Orphan)),
		// Members join whatever a person has to put right before the StatefulSet is applied.
		step.Check(d.step(stepMembers), raft.Members, step.After[object](d.step(stepShrink)),
			member.LooksAt[object](d.step(stepSet)), step.Reads[object](refAgent),
			step.Condition[object](d.title+"Ready")),
		step.Check(d.step(stepSchema), raft.Upgraded(func(o object) string { return o.Spec.Image }),
			step.After[object](d.step(stepSet), d.step(stepMembers)), step.Reads[object](refAgent)),
	}
}

// cluster brings the members of a database into one cluster.
func (d database) cluster(dial member.Dial) member.Raft[object] {
	return member.Raft[object]{
		Dial: dial, RefAgent: refAgent, Set: d.set, StepSet: d.step(stepSet), Domain: d.domain,
		Replicas: func(o object) int32 { return o.Spec.Replicas }, Recovery: d.recovery, Content: "changes",
	}
}

// recovery is a person's decision when it is about this database.
func (d database) recovery(o object) *infrav1.Recovery {
	r := o.Spec.Recovery
	if r == nil || len(r.ForceBoot) != len(d.set(o))+2 || r.ForceBoot[:len(d.set(o))] != d.set(o) {
		return nil
	}
	return r
}

// retained tells whether the volumes outlive the object.
func retained(o object) bool { return o.Spec.DeletionPolicy != infrav1.DeleteData }

func storageClass(o object) []types.NamespacedName {
	if o.Spec.Storage.ClassName == "" {
		return nil
	}
	return []types.NamespacedName{{Name: o.Spec.Storage.ClassName}}
}

func report(v step.View, o object) {
	o.Status.CASecret, o.Status.ClientSecret = CASecret(o), ClientSecret(o.Name)
	o.Status.VolumesPending = member.Pending(v.Referenced(refVolumes))
	for i, status := range []*infrav1.OVNDatabase{&o.Status.Northbound, &o.Status.Southbound} {
		d := databases()[i]
		*status = infrav1.OVNDatabase{Connection: d.connection(o)}
		if set, ok := v.Child(d.step(stepSet), "StatefulSet", d.set(o)).(*appsv1.StatefulSet); ok {
			status.ReadyMembers = set.Status.ReadyReplicas
		}
		if record, err := member.ParseRecord(member.Cell(o.KitStatus(), d.step(stepMembers))); err == nil {
			status.Epoch = record.Epoch
		}
	}
	o.Status.ReadyNorthds = 0
	if d, ok := v.Child(stepNorthd, "Deployment", northdName(o)).(*appsv1.Deployment); ok {
		o.Status.ReadyNorthds = d.Status.ReadyReplicas
	}
}
