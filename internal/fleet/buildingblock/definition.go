// Package buildingblock is the operator of BuildingBlock: the agents of hosts of servers, on the nodes of Kubernetes
// that have the block's labels.
//
// OpenStack facts: nova-compute has no database; it talks with its cell over the bus, and makes its own records there
// and in Placement. It has the name of the node, whatever the machine calls itself, and knows itself by a number in
// /var/lib/nova. Guests are processes that libvirtd starts: they are outside of its pod's control groups, see
// internal/agent/libvirt, and what libvirtd knows of them is in folders of the node, so they outlive pods.
package buildingblock

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

type (
	object = *fleetv1.BuildingBlock
	scope  = step.Scope[object]
)

// Names of steps and references that are used in several places.
const (
	stepNamespace = "namespace"
	stepNodes     = "nodes"
	stepConfig    = "config"
	stepAccess    = "access"
	stepLibvirt   = "libvirt"
	stepCompute   = "compute"
	stepFake      = "fake"
	refCell       = "cell"
	refShared     = "shared"
	refConfig     = "config"
	refNamespace  = "namespace"
	refNodes      = "nodes"
	refOthers     = "others"
)

// keyHash of the cell's Secret changes with what is in it.
const keyHash = "hash"

// Definition is the operator.
func Definition() kit.Definition[object] {
	return kit.Definition[object]{
		Name:   "buildingblock",
		New:    func() object { return &fleetv1.BuildingBlock{} },
		Refs:   refs(),
		Steps:  steps(),
		Report: report,
	}
}

func refs() []ref.Ref[object] {
	return []ref.Ref[object]{
		ref.Local(refCell, &servicev1.NovaCell{}, func(b object) string { return b.Spec.Cell },
			ref.WaitFor[object](told), ref.DigestOf[object](nothing)),
		ref.Local(refShared, &corev1.Secret{}, sharedName, ref.Fields[object](keyHash)),
		ref.Local(refConfig, &corev1.Secret{}, configName, ref.Fields[object](keyHash)),
		ref.To(refNamespace, &corev1.Namespace{}, func(b object) []types.NamespacedName {
			return []types.NamespacedName{{Name: b.Namespace}}
		}, ref.DigestOf[object](level)),
		ref.To(refNodes, &corev1.Node{}, func(object) []types.NamespacedName { return []types.NamespacedName{{}} },
			ref.DigestOf[object](labelsOf)),
		ref.To(refOthers, &fleetv1.BuildingBlock{}, func(b object) []types.NamespacedName {
			return []types.NamespacedName{{Namespace: b.Namespace}}
		}, ref.DigestOf[object](claim)),
	}
}

func steps() []step.Step[object] {
	ready := []step.Option[object]{step.Reads[object](refCell, refShared, refConfig),
		step.After[object](stepConfig, stepAccess)}
	return []step.Step[object]{
		step.Check(stepNamespace, namespace, step.Reads[object](refNamespace), step.When(onNodes),
			step.Condition[object]("NamespaceReady")),
		step.Check(stepNodes, nodes, step.Reads[object](refNodes, refOthers), step.When(onNodes),
			step.Condition[object]("NodesReady")),
		step.Objects(stepConfig, config, step.Makes[object](&corev1.Secret{}), step.Condition[object]("ConfigReady")),
		step.Objects(stepAccess, account, step.Makes[object](&corev1.ServiceAccount{})),
		step.Objects(stepLibvirt, libvirtSet, step.Makes[object](&appsv1.DaemonSet{}), step.When(onNodes),
			step.After[object](stepNamespace, stepNodes, stepAccess), step.Condition[object]("LibvirtReady")),
		step.Objects(stepCompute, computeSet, append(slices.Clone(ready), step.Makes[object](&appsv1.DaemonSet{}),
			step.When(onNodes), step.After[object](stepNamespace, stepNodes), step.Condition[object]("ComputeReady"))...),
		step.Objects(stepFake, fakeSet, append(ready, step.Makes[object](&appsv1.StatefulSet{}), step.When(fake),
			step.Condition[object]("FakeReady"))...),
	}
}

// onNodes tells whether the hosts are nodes.
func onNodes(b object) bool { return !fake(b) }

func fake(b object) bool { return b.Spec.Driver == fleetv1.DriverFake }

func report(v step.View, b object) {
	b.Status.Hosts = fleetv1.HostCount{}
	if set, ok := v.Child(stepFake, "StatefulSet", computeName(b)).(*appsv1.StatefulSet); ok && fake(b) {
		b.Status.Hosts.Total = b.Spec.Fake.Hosts
		if set.Status.ReadyReplicas > 0 {
			b.Status.Hosts.Ready = b.Spec.Fake.Hosts
		}
	}
	compute, ok := v.Child(stepCompute, "DaemonSet", computeName(b)).(*appsv1.DaemonSet)
	libvirt, also := v.Child(stepLibvirt, "DaemonSet", libvirtName(b)).(*appsv1.DaemonSet)
	if ok && also {
		b.Status.Hosts.Total = compute.Status.DesiredNumberScheduled
		// Which host lacks which agent is not counted here: as many are ready as have the one that fewer have.
		b.Status.Hosts.Ready = min(compute.Status.NumberReady, libvirt.Status.NumberReady)
	}
}

// told is the gate of the cell: it has said what its hosts need to know. They try by themselves until it works.
func told(obj client.Object) (bool, string) {
	c, ok := obj.(*servicev1.NovaCell)
	if ok && c.Status.ComputeSecret != "" {
		return true, ""
	}
	return false, fmt.Sprintf("NovaCell %s has nothing for its hosts yet; see kubectl -n %s describe novacell/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

// nothing of the cell itself is in the pods.
func nothing(client.Object) string { return "" }

// enforce is the label by which a namespace says which pods it takes.
const enforce = "pod-security.kubernetes.io/enforce"

func level(obj client.Object) string { return obj.GetLabels()[enforce] }

// labelsOf is all of a node that decides whether it is a host.
func labelsOf(obj client.Object) string {
	var out []string
	for k, v := range obj.GetLabels() {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return obj.GetName() + "\x00" + strings.Join(out, "\x00")
}

// claim is all of another block that decides which nodes it has.
func claim(obj client.Object) string {
	b, ok := obj.(object)
	if !ok {
		return ""
	}
	return string(b.UID) + "\x00" + selector(b).String()
}
