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

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/nodes"
	"stackwright.dev/stackwright/internal/service"
)

type (
	object = *fleetv1.BuildingBlock
	scope  = step.Scope[object]
)

// operator is the name of this one, which what it makes bears.
const operator = "buildingblock"

// Names of steps and references that are used in several places.
const (
	stepNamespace = "namespace"
	stepNodes     = "nodes"
	stepConfig    = "config"
	stepAccess    = "access"
	stepLibvirt   = "libvirt"
	stepCompute   = "compute"
	stepFake      = "fake"
	stepPlacement = "aggregates"
	stepRelease   = "release"
	stepChassis   = "chassis"
	stepMetadata  = "metadata"
	stepKeys      = "keys"
	stepHosts     = "hosts"
	stepSize      = "size"
	refCell       = "cell"
	refShared     = "shared"
	refConfig     = "config"
	refBefore     = "config-before"
	refNamespace  = "namespace"
	refNodes      = "nodes"
	refOthers     = "others"
	refRelease    = "release"
	refHosts      = "hosts"
	refEveryone   = "everyone"
	refOVN        = "ovn"
	refOVNClient  = "ovn-client"
	refPassword   = "metadata-password"
	refKeys       = "keys"
	refKeysBefore = "keys-before"
	refNovas      = "novas"
	refDisks      = "disks"
	refAuthority  = "hosts-authority"
	stepAuthority = "hosts-authority"
	stepIdentity  = "hosts-identity"
	refScreens    = "screens-authority"
	stepScreens   = "screens-certificate"
)

// conditionHosts is that of all that is about hosts as Nova knows them.
const conditionHosts = "HostsReady"

// keyHash of the cell's Secret changes with what is in it.
const keyHash = "hash"

// Definition is the operator.
func Definition() kit.Definition[object] {
	return kit.Definition[object]{
		Name:   operator,
		New:    func() object { return &fleetv1.BuildingBlock{} },
		Refs:   refs(),
		Steps:  steps(),
		Report: report,
		Guard:  guard,
	}
}

func refs() []ref.Ref[object] {
	return append(slices.Concat(metadataRefs(), hostRefs(), keyRefs()), authorityRef(), screensRef(),
		ref.To(refRelease, &controlplanev1.OpenStackRelease{}, func(b object) []types.NamespacedName {
			return []types.NamespacedName{{Name: b.Spec.Release}}
		}, ref.Optional[object](), ref.DigestOf[object](pictures)),
		ref.Local(refCell, &servicev1.NovaCell{}, func(b object) string { return b.Spec.Cell },
			ref.WaitFor[object](told),
			ref.DigestOf[object](func(o client.Object) string { return asked(o) + "\x00" + where(o) })),
		ref.Local(refShared, &corev1.Secret{}, sharedName, ref.Fields[object](keyHash)),
		ref.Local(refConfig, &corev1.Secret{}, configName, ref.Fields[object](keyHash)),
		ref.Local(refBefore, &corev1.Secret{}, configName, ref.Fields[object](configFile), ref.Optional[object]()),
		ref.To(refNamespace, &corev1.Namespace{}, func(b object) []types.NamespacedName {
			return []types.NamespacedName{{Name: b.Namespace}}
		}, ref.DigestOf[object](nodes.Level)),
		ref.To(refNodes, &corev1.Node{}, func(object) []types.NamespacedName { return []types.NamespacedName{{}} },
			ref.DigestOf[object](whereabouts)),
		ref.To(refOthers, &fleetv1.BuildingBlock{}, func(object) []types.NamespacedName { return nodes.Everywhere() },
			ref.DigestOf[object](claim)),
	)
}

func steps() []step.Step[object] {
	release := []step.Option[object]{step.Reads[object](refRelease), step.After[object](stepRelease)}
	hosts := append(slices.Clone(release), step.When(onNodes), step.Reads[object](refNodes, refHosts),
		step.After[object](stepNamespace, stepNodes, stepAccess, stepSize))
	// A host is taken off the books after its nova-compute, which would write it into them again.
	compute := []step.Option[object]{step.Reads[object](refCell, refShared, refConfig, refHosts),
		step.After[object](stepConfig, stepHosts, stepIdentity)}
	with := func(o []step.Option[object], more ...step.Option[object]) []step.Option[object] {
		return append(slices.Clone(o), more...)
	}
	return append([]step.Step[object]{
		step.Check(stepRelease, checkImages, step.Reads[object](refRelease), step.Condition[object]("ImagesReady")),
		step.Check(stepNamespace, namespace, step.Reads[object](refNamespace), step.When(onNodes),
			step.Condition[object]("NamespaceReady")),
		step.Check(stepNodes, free, step.Reads[object](refNodes, refOthers, refEveryone), step.When(onNodes),
			step.Condition[object]("NodesReady")),
		step.Check("some", some, step.Reads[object](refNodes), step.After[object](stepNodes), step.When(onNodes),
			step.Condition[object]("NodesReady")),
		step.Check("open", open, step.Reads[object](refNodes, refHosts), step.After[object](stepNodes), step.When(onNodes),
			step.Condition[object]("NodesReady")),
		step.Check(stepSize, fits, step.Reads[object](refNodes, refHosts), step.Condition[object](conditionHosts)),
		step.Objects(stepHosts, hypervisorsOf, step.Reads[object](refCell, refNodes, refHosts),
			step.After[object](stepNodes, stepSize), step.Condition[object](conditionHosts),
			step.Makes[object](&fleetv1.Hypervisor{}), step.Ready[object](hypervisorKind, gate.Exists),
			step.ForsakeWhen(forgotten)),
		step.Objects(stepConfig, config, step.Makes[object](&corev1.Secret{}), step.Reads[object](refDisks, refBefore),
			step.Condition[object]("ConfigReady")),
		step.Objects(stepAccess, account, step.Makes[object](&corev1.ServiceAccount{}), step.Reads[object](refBefore)),
		step.Objects(stepKeys, keys, step.Reads[object](append(service.CephReads(), refDisks, refKeysBefore)...),
			step.When(onCeph), step.Makes[object](&corev1.Secret{}), step.Condition[object]("KeysReady")),
		step.Objects(stepLibvirt, libvirtSet, with(hosts, step.Makes[object](&corev1.Secret{}, &appsv1.DaemonSet{}),
			step.Reads[object](refKeys), step.After[object](stepKeys, stepIdentity, stepScreens),
			step.Condition[object]("LibvirtReady"))...),
		step.Objects(stepChassis, chassis, with(release, step.After[object](stepNamespace, stepNodes), step.When(networked),
			step.Reads[object](refNodes, refHosts), step.Makes[object](&infrav1.OVNChassis{}),
			step.Condition[object]("ChassisReady"))...),
		step.Objects(stepMetadata, metadata, with(hosts, step.When(networked), step.Makes[object](&corev1.Secret{},
			&appsv1.DaemonSet{}), step.Reads[object](refCell, refShared, refOVN, refOVNClient, refPassword),
			step.Condition[object]("MetadataReady"))...),
		step.Objects(stepCompute, computeSet, with(hosts, append(compute, step.Makes[object](&appsv1.DaemonSet{}),
			step.Condition[object](fleet.ConditionCompute))...)...),
		step.Check("registered", registered, step.Sees[object](stepHosts), step.Reads[object](refNodes, refHosts),
			step.After[object](stepCompute, stepFake), step.Condition[object](conditionHosts)),
		step.Objects(stepPlacement, aggregates, step.Reads[object](refCell, refNodes, refHosts, refNovas),
			step.After[object](stepNodes, stepSize, stepCompute, stepFake), step.Condition[object]("AggregatesReady"),
			step.Makes[object](&openstackv1.HostAggregate{}, &openstackv1.AggregateHost{}), step.ForsakeWhen(forgotten)),
		step.Objects(stepFake, fakeSet, with(release, append(compute, step.After[object](stepAccess), step.When(fake),
			step.Makes[object](&appsv1.StatefulSet{}), step.Condition[object](fleet.ConditionFake))...)...),
	}, identity()...)
}

// onNodes tells whether the hosts are nodes.
func onNodes(b object) bool { return !fake(b) }

func fake(b object) bool { return b.Spec.Driver == fleetv1.DriverFake }

func report(v step.View, b object) {
	b.Status.Hosts = fleetv1.HostCount{Servers: servers(v, b)}
	if set, ok := v.Child(stepFake, "StatefulSet", computeName(b)).(*appsv1.StatefulSet); ok && fake(b) {
		b.Status.Hosts.Total = b.Spec.Fake.Hosts
		if set.Status.ReadyReplicas > 0 {
			b.Status.Hosts.Ready = b.Spec.Fake.Hosts
		}
	}
	compute, ok := counted(v, b, stepCompute, computeName(b))
	libvirt, also := counted(v, b, stepLibvirt, libvirtName(b))
	if ok && also {
		b.Status.Hosts.Total = compute.Total
		// Which host lacks which agent is not counted here: as many are ready as have the one that fewer have.
		b.Status.Hosts.Ready = min(compute.Ready, libvirt.Ready)
	}
}

// told is the gate of the cell: it has said what its hosts need to know. They try by themselves until it works.
func told(obj client.Object) (bool, string) {
	c, ok := obj.(*servicev1.NovaCell)
	if ok && c.Status.ComputeSecret != "" && c.Status.Endpoints.Internal != "" {
		return true, ""
	}
	return false, fmt.Sprintf("NovaCell %s has nothing for its hosts yet; see kubectl -n %s describe novacell/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

// asked is all of the cell itself that is in pods: where its metadata API is.
func asked(obj client.Object) string {
	if c, ok := obj.(*servicev1.NovaCell); ok {
		return c.Status.Endpoints.Internal
	}
	return ""
}

// claim is all of another block that decides which nodes it has.
func claim(obj client.Object) string {
	b, ok := obj.(object)
	if !ok {
		return ""
	}
	return nodes.Claim(b, fleet.Selector(b))
}
