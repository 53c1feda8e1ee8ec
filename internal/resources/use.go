package resources

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// maker is the controller of an object, or the object itself when it has none. Ours makes what it needs itself, and
// deletes it when it goes. A host outlives the control plane, and finds in the next one what it had.
type maker struct {
	node
	ours, host bool
}

func makerOf(n node, o metav1.Object) maker {
	by := metav1.GetControllerOf(o)
	if by == nil {
		return maker{node: n}
	}
	group := schema.FromAPIVersionAndKind(by.APIVersion, by.Kind).Group
	return maker{node: node{by.Kind, types.NamespacedName{Namespace: o.GetNamespace(), Name: by.Name}},
		ours: slices.Contains([]string{controlplanev1.GroupVersion.Group, servicev1.GroupVersion.Group,
			fleetv1.GroupVersion.Group}, group),
		host: group == fleetv1.GroupVersion.Group}
}

// exact is up to how many users of a cloud are told exactly.
const exact = 10

// roughly is n up to exact, and its first digit beyond.
func roughly(n int) int {
	unit := 1
	for n >= 10*unit {
		unit *= 10
	}
	if n <= exact {
		return n
	}
	return n / unit * unit
}

// use tells who uses a cloud besides our own operators; nil when nobody does. It is not to be changed.
func (u *users) use(key cloudKey) *openstackv1.CloudUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.foreign[key] == 0 {
		return nil
	}
	if u.uses[key] == nil {
		names := map[string]bool{}
		for uid := range u.of[key] {
			if by := u.users[uid]; !by.maker.ours && !by.barred {
				names[by.maker.from(key.Namespace)] = true
			}
		}
		first := slices.Sorted(maps.Keys(names))
		u.uses[key] = &openstackv1.CloudUse{Objects: int32(roughly(u.foreign[key])), Names: first[:min(len(first), some)]}
	}
	return u.uses[key]
}

// tellUse writes who uses a cloud.
func (e *Engine) tellUse(key cloudKey, status *openstackv1.CloudStatus) {
	if now := e.users.use(key); !equality.Semantic.DeepEqual(status.UsedBy, now) {
		status.UsedBy = now.DeepCopy()
	}
}
