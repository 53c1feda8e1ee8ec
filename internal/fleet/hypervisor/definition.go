// Package hypervisor is the operator of Hypervisor: what Nova and Placement know of a host of servers, and its leave.
//
// OpenStack facts: nova-compute registers itself with its cell and with Placement; the scheduler maps new hosts into
// their cell, and servers that are asked for before end in ERROR. Nova refuses to delete a compute service with
// servers, and takes the mapping, the aggregates and the provider away with it. A nova-compute that still runs makes
// some of that anew, so it has to be down first.
package hypervisor

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/owner"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/fleet"
	"stackwright.dev/stackwright/internal/nodes"
	"stackwright.dev/stackwright/internal/resources"
)

type (
	object = *fleetv1.Hypervisor
	scope  = step.Scope[object]
)

// Names of the step, of its condition, and of references.
const (
	stepNova  = "nova"
	condition = "Registered"
	refBlock  = "block"
	refNode   = "node"
	refCloud  = "cloud"
	refCell   = "cell"
	refNovas  = "novas"
	refOthers = "others"
)

// Kind is the name of the kind.
const Kind = "Hypervisor"

// controller has what it knows of hosts beside their objects. All of it can be learnt again.
type controller struct {
	clouds  *resources.Guests
	watches watches
	mu      sync.Mutex
	books   map[types.UID]book
}

// book is what is known of one host.
type book struct {
	facts *facts
	// closed is since when the host is known to be closed to new servers.
	closed  time.Time
	vacancy fleetv1.Vacancy
	settled settled
	// withdrawn are traits that the block has declared once, and that the host will not have again because of that.
	withdrawn []string
}

// Definition is the operator. It asks the clouds of others.
func Definition(clouds *resources.Guests) kit.Definition[object] {
	c := &controller{clouds: clouds, books: map[types.UID]book{}}
	return kit.Definition[object]{
		Name: "hypervisor", New: func() object { return &fleetv1.Hypervisor{} }, Refs: refs(),
		Steps: []step.Step[object]{{
			Name: stepNova, Kind: step.KindExternal, Reads: []string{refBlock, refNode, refCloud, refCell, refNovas, refOthers},
			Condition: condition, Every: rest, Act: c.act, Release: c.release,
		}},
		Report: c.report, Guard: guard, Notice: c.notice, Wake: clouds.Ring,
		Options: kit.Options{Workers: workers},
	}
}

// workers is how many hosts are looked after at a time: those of a cloud that is slow must not keep others waiting.
const workers = 16

func refs() []ref.Ref[object] {
	all := func(o object) []types.NamespacedName { return []types.NamespacedName{{Namespace: o.Namespace}} }
	digest := func(f func(client.Object) string) ref.Option[object] { return ref.DigestOf[object](f) }
	uid := func(o client.Object) string { return string(o.GetUID()) }
	maybe := ref.Optional[object]()
	return []ref.Ref[object]{
		ref.Local(refBlock, &fleetv1.BuildingBlock{}, func(o object) string { return o.Spec.Block }, maybe, digest(members)),
		ref.To(refNode, &corev1.Node{}, func(o object) []types.NamespacedName {
			return []types.NamespacedName{{Name: o.Name}}
		}, maybe, digest(nodes.Digest)),
		ref.Local(refCloud, &openstackv1.Cloud{}, func(o object) string { return o.Spec.Cloud }, maybe, digest(uid)),
		ref.Local(refCell, &servicev1.NovaCell{}, func(o object) string { return o.Spec.Cell }, maybe, digest(uid)),
		ref.To(refNovas, &servicev1.Nova{}, all, digest(uid)),
		ref.To(refOthers, &fleetv1.BuildingBlock{}, func(object) []types.NamespacedName { return nodes.Everywhere() },
			digest(claim)),
	}
}

// claim is all of another block that decides which nodes it has.
func claim(o client.Object) string {
	b, ok := o.(*fleetv1.BuildingBlock)
	if !ok {
		return ""
	}
	return b.Namespace + "\x00" + nodes.Claim(b, fleet.Selector(b))
}

// members is all of a block that decides which hosts it has, and what they are given.
func members(o client.Object) string {
	b, ok := o.(*fleetv1.BuildingBlock)
	if !ok {
		return ""
	}
	hosts := int32(0)
	if b.Spec.Fake != nil {
		hosts = b.Spec.Fake.Hosts
	}
	leaves := "stays"
	if b.DeletionTimestamp != nil {
		leaves = "leaves"
	}
	return strings.Join([]string{nodes.Claim(b, fleet.Selector(b)), leaves, strconv.Itoa(int(hosts)),
		strconv.FormatBool(b.Paused()), strings.Join(declared(b), ",")}, "\x00")
}

// looker is what a scope and a view have in common.
type looker func(ref string) []client.Object

func (l looker) first(ref string) client.Object {
	for _, o := range l(ref) {
		return o
	}
	return nil
}

// leaves tells whether a host is to be one of its block's no more.
func (l looker) leaves(o object) bool {
	b, ok := l.first(refBlock).(*fleetv1.BuildingBlock)
	return !ok || !fleet.Wanted(b, o.Name, l.first(refNode))
}

// bereft tells whether the node of a host is gone. Fake hosts have none.
func (l looker) bereft() bool {
	b, ok := l.first(refBlock).(*fleetv1.BuildingBlock)
	return ok && b.Spec.Driver != fleetv1.DriverFake && l.first(refNode) == nil
}

// rival is another block that selects the node of a host, as it is called in messages, or empty.
func (l looker) rival(o object) string {
	node := l.first(refNode)
	if node == nil {
		return ""
	}
	var names []string
	for _, other := range l(refOthers) {
		b, ok := other.(*fleetv1.BuildingBlock)
		if ok && (b.Name != o.Spec.Block || b.Namespace != o.Namespace) && fleet.Wanted(b, o.Name, node) {
			names = append(names, b.Namespace+"/"+b.Name)
		}
	}
	slices.Sort(names)
	return strings.Join(few(names, 1), "")
}

// forgotten tells whether nobody is left to be asked.
func (l looker) forgotten() bool { return fleet.Forgotten(l.first(refCell), l(refNovas)) }

// notice learns which cloud a host is in, before anything is run: the cloud may not go first.
func (c *controller) notice(o object, gone bool) {
	if gone {
		c.clouds.Leave(o)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.books, o.GetUID())
		return
	}
	c.clouds.Arrive(o, cloudOf(o))
}

func cloudOf(o object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.GetNamespace(), Name: o.Spec.Cloud}
}

func (c *controller) book(o owner.Object) book {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.books[o.GetUID()]
}

func (c *controller) note(o owner.Object, change func(*book)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.books[o.GetUID()]
	change(&b)
	c.books[o.GetUID()] = b
}
