package controlplane

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// References by which a control plane knows who uses it: all Clouds that may lead to it, and all blocks of hosts.
const (
	refUses   = "uses"
	refShared = "shared"
	refBlocks = "blocks"
)

func useRefs() []ref.Ref[*cloud] {
	return []ref.Ref[*cloud]{
		ref.To(refUses, &openstackv1.Cloud{}, func(o *cloud) []types.NamespacedName {
			return []types.NamespacedName{{Namespace: o.Namespace}}
		}),
		ref.To(refShared, &openstackv1.ClusterCloud{}, func(*cloud) []types.NamespacedName {
			return []types.NamespacedName{{}}
		}),
		ref.To(refBlocks, &fleetv1.BuildingBlock{}, func(o *cloud) []types.NamespacedName {
			return []types.NamespacedName{{Namespace: o.Namespace}}
		}, ref.DigestOf[*cloud](departure)),
	}
}

// departure is what matters of a block: whether it is about to go.
func departure(obj kubeclient.Object) string {
	return strconv.FormatBool(obj.GetDeletionTimestamp() != nil)
}

// guard refuses the deletion of a control plane that has been deployed, until it is confirmed and nobody uses it.
func guard(v step.View, o *cloud) string {
	confirmed := o.Spec.ConfirmDeletion == o.Name || o.Annotations[controlplanev1.ConfirmDeletion] == o.Name
	if o.Status.DeployedRelease != "" && !confirmed {
		return fmt.Sprintf("Control plane %s is live and keeps running although its deletion was asked for; "+
			"to delete it set spec.confirmDeletion to %s.", o.Name, o.Name)
	}
	if leaving(o) {
		return ""
	}
	return cmp.Or(emptied(v, o), used(v, o))
}

// emptied tells of blocks that are being deleted: Nova forgets their hosts first. Others stay, and their hosts and
// servers with them, for when the control plane comes back over its data.
func emptied(v step.View, o *cloud) string {
	var names []string
	for _, obj := range v.Referenced(refBlocks) {
		b, ok := obj.(*fleetv1.BuildingBlock)
		if ok && b.DeletionTimestamp != nil &&
			slices.Contains(cellKeys(o), types.NamespacedName{Namespace: o.Namespace, Name: b.Spec.Cell}) {
			names = append(names, b.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return fmt.Sprintf("Control plane %s keeps running although its deletion was asked for: BuildingBlock %s is being "+
		"deleted, and Nova forgets its hosts first. See what it waits for: stackwright why buildingblock/%s -n %s.",
		o.Name, strings.Join(names, ", "), names[0], o.Namespace)
}

// leaving tells whether services are being taken away already. They are not made again for an object that comes then.
func leaving(o *cloud) bool {
	c := meta.FindStatusCondition(o.Status.Conditions, "Ready")
	return c != nil && c.Reason == "Deleting"
}

// used tells which objects are in the cloud that are not our own, by whichever Cloud they are there: services would go
// before them, and then Keystone would wait for its Secret, the Secret for the Cloud that holds it, and the Cloud for
// objects that nobody is left to delete.
func used(v step.View, o *cloud) string {
	objects, names := int32(0), []string{}
	for _, obj := range slices.Concat(v.Referenced(refUses), v.Referenced(refShared)) {
		use := useOf(obj, types.NamespacedName{Namespace: o.Namespace, Name: cloudsSecret(o)})
		if use == nil {
			continue
		}
		objects += use.Objects
		for _, n := range use.Names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	if objects == 0 {
		return ""
	}
	slices.Sort(names)
	who := strings.Join(names[:min(len(names), 5)], ", ")
	if int(objects) > len(names) {
		who += fmt.Sprintf("; at least %d objects", objects)
	}
	return fmt.Sprintf("Control plane %s keeps running although its deletion was asked for. Objects in its cloud (%s) "+
		"cannot be deleted without its services. Delete them first; one with the annotation "+
		"kit.stackwright.dev/abandon: resource goes without its resource.", o.Name, who)
}

// useOf tells who uses a Cloud, or ClusterCloud, with a Secret; nil when it has another one.
func useOf(obj any, secret types.NamespacedName) *openstackv1.CloudUse {
	switch c := obj.(type) {
	case *openstackv1.Cloud:
		if c.Namespace == secret.Namespace && c.Spec.SecretRef.Name == secret.Name {
			return c.Status.UsedBy
		}
	case *openstackv1.ClusterCloud:
		if r := c.Spec.SecretRef; r.Namespace == secret.Namespace && r.Name == secret.Name {
			return c.Status.UsedBy
		}
	}
	return nil
}
