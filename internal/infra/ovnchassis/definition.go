// Package ovnchassis is the operator of OVNChassis: a DaemonSet that makes nodes of Kubernetes chassis of an OVN, and
// the records that the southbound database has of them.
//
// Facts from ovn-controller(8): it makes the record of its chassis whenever that is missing, and removes it when it is
// ended by a signal, with all that is bound to it; told to end with --restart, it leaves record and flows alone. So
// records outlive pods, and of nodes that are no longer chassis the operator removes them.
package ovnchassis

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/infra/ovn"
	"stackwright.dev/stackwright/internal/nodes"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	object = *infrav1.OVNChassis
	scope  = step.Scope[object]
)

// Names of steps and references that are used in several places.
const (
	stepNamespace = "namespace"
	stepFree      = "free"
	stepConfig    = "config"
	stepRecords   = "records"
	stepAccess    = "access"
	stepDaemons   = "daemonset"
	refOVN        = "ovn"
	refClient     = "client"
	refAgent      = "agent"
	refNamespace  = "namespace"
	refNodes      = "nodes"
	refOthers     = "others"
)

// Definition is the operator. Agents of OVN's members are called through dial.
func Definition(dial member.Dial) kit.Definition[object] {
	r := newRecords(dial)
	return kit.Definition[object]{
		Name:   "ovnchassis",
		New:    func() object { return &infrav1.OVNChassis{} },
		Refs:   refs(),
		Steps:  steps(r),
		Report: r.report,
	}
}

func refs() []ref.Ref[object] {
	name := func(of func(string) string) func(object) string {
		return func(o object) string { return of(o.Spec.OVN) }
	}
	return []ref.Ref[object]{
		ref.Local(refOVN, &infrav1.OVN{}, func(o object) string { return o.Spec.OVN },
			ref.WaitFor[object](formed), ref.DigestOf[object](connection)),
		ref.Local(refClient, &corev1.Secret{}, name(ovn.ClientSecret), ref.Fields[object]("ca.crt", "tls.crt", "tls.key")),
		ref.Local(refAgent, &corev1.Secret{}, name(ovn.AgentSecret),
			ref.Fields[object](pki.CAKey, pki.AgentClientCert, pki.AgentClientKey)),
		ref.To(refNamespace, &corev1.Namespace{}, func(o object) []types.NamespacedName {
			return []types.NamespacedName{{Name: o.Namespace}}
		}, ref.DigestOf[object](nodes.Level)),
		ref.To(refNodes, &corev1.Node{}, func(object) []types.NamespacedName { return []types.NamespacedName{{}} },
			ref.DigestOf[object](func(n client.Object) string { return nodes.Digest(n) + "\x00" + nodes.Taints(n) })),
		ref.To(refOthers, &infrav1.OVNChassis{}, func(object) []types.NamespacedName { return nodes.Everywhere() },
			ref.DigestOf[object](claim)),
	}
}

func steps(r *records) []step.Step[object] {
	return []step.Step[object]{
		step.Check(stepNamespace, namespace, step.Reads[object](refNamespace), step.Condition[object]("NamespaceReady")),
		step.Check("nodes", some, step.Reads[object](refNodes), step.Condition[object]("NodesReady")),
		step.Check("open", open, step.Reads[object](refNodes), step.Condition[object]("NodesReady")),
		step.Check(stepFree, free, step.Reads[object](refNodes, refOthers), step.Condition[object]("NodesFree")),
		step.Check(stepConfig, settled, step.Condition[object]("ConfigReady")),
		// Before the pods, so that it is released after them.
		{Name: stepRecords, Kind: step.KindExternal, Act: keepRecords, Release: r.release,
			Reads: []string{refOVN, refAgent}},
		step.Objects(stepAccess, account, step.Makes[object](&corev1.ServiceAccount{})),
		step.Objects(stepDaemons, daemonSet, step.Makes[object](&appsv1.DaemonSet{}),
			step.Reads[object](refOVN, refClient, refNodes),
			step.After[object](stepNamespace, stepFree, stepConfig, stepRecords, stepAccess),
			// One node that is down must not keep the records of others from being looked after.
			step.Ready[object]("DaemonSet", gate.Exists)),
		step.Check("chassis", r.look, step.Sees[object](stepDaemons),
			step.Reads[object](refOVN, refAgent, refNodes, refOthers), step.Condition[object]("ChassisReady")),
		step.Check("rollout", rollout, step.Sees[object](stepDaemons), step.Condition[object]("DeploymentReady")),
	}
}

// formed is the gate of the OVN: its databases have addresses. One that is being deleted is as good as gone.
func formed(obj client.Object) (bool, string) {
	o, ok := obj.(*infrav1.OVN)
	switch {
	case !ok:
		return false, "The OVN is not readable."
	case o.DeletionTimestamp != nil:
		return false, "OVN " + o.Name + " is being deleted; make it again, or delete this OVNChassis."
	case o.Status.Southbound.Epoch == 0 || o.Status.Southbound.Connection == "":
		return false, "OVN " + o.Name + " has not formed its southbound database yet; see its conditions."
	}
	return true, ""
}

// connection is all of an OVN that the pods know.
func connection(obj client.Object) string {
	if o, ok := obj.(*infrav1.OVN); ok {
		return o.Status.Southbound.Connection
	}
	return ""
}

// claim is all of another set that decides which nodes it has, and whether it has some, to which tunnels go.
func claim(obj client.Object) string {
	o, ok := obj.(object)
	if !ok {
		return ""
	}
	return fmt.Sprint(nodes.Claim(o, o.Spec.NodeSelector), "\x00", strings.Join(o.Spec.Nodes, ","), "\x00",
		len(o.Status.Nodes) > 0)
}
