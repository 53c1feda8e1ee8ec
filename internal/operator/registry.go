package operator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"stackwright.dev/kit"
	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/controlplane"
	"stackwright.dev/stackwright/internal/fleet/buildingblock"
	"stackwright.dev/stackwright/internal/fleet/hypervisor"
	"stackwright.dev/stackwright/internal/infra/database"
	"stackwright.dev/stackwright/internal/infra/devceph"
	"stackwright.dev/stackwright/internal/infra/galera"
	"stackwright.dev/stackwright/internal/infra/member"
	"stackwright.dev/stackwright/internal/infra/memcached"
	"stackwright.dev/stackwright/internal/infra/messagebus"
	"stackwright.dev/stackwright/internal/infra/ovn"
	"stackwright.dev/stackwright/internal/infra/ovnchassis"
	"stackwright.dev/stackwright/internal/infra/rabbitmq"
	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/openstack/bus"
	"stackwright.dev/stackwright/internal/rehearse"
	"stackwright.dev/stackwright/internal/resources"
	"stackwright.dev/stackwright/internal/resources/bundle"
	"stackwright.dev/stackwright/internal/resources/kinds"
	"stackwright.dev/stackwright/internal/service"
	"stackwright.dev/stackwright/internal/services/barbican"
	"stackwright.dev/stackwright/internal/services/cinder"
	"stackwright.dev/stackwright/internal/services/glance"
	"stackwright.dev/stackwright/internal/services/heat"
	"stackwright.dev/stackwright/internal/services/horizon"
	"stackwright.dev/stackwright/internal/services/keystone"
	"stackwright.dev/stackwright/internal/services/neutron"
	"stackwright.dev/stackwright/internal/services/nova"
	"stackwright.dev/stackwright/internal/services/nova/novacell"
	"stackwright.dev/stackwright/internal/services/placement"
)

// Environment is what controllers need to know besides their objects.
type Environment struct {
	// Releases lists the names of the releases that exist; nil lists none.
	Releases func(context.Context) ([]string, error)
	// Gateway tells that the cluster serves the Gateway API.
	Gateway bool
	// Lookup finds the addresses of a name; nil looks for none.
	Lookup func(ctx context.Context, host string) ([]string, error)
	// Served tells whether the cluster has the definition of a kind that asks OpenStack; nil says yes to all.
	Served func(kind string) bool
	// Unseen tells whether nobody looks at objects of a kind of OpenStack resources for want of a right; nil says no.
	Unseen func(kind string) bool
	// Cluster names the cluster, for what resources of OpenStack carry; nil leaves it open.
	Cluster func() (string, error)
	// Galera, RabbitMQ and OVN call the agents of members; nil calls them by network.
	Galera   galera.Dial
	RabbitMQ member.Dial
	OVN      member.Dial
	// Workers is how many objects of a kind of OpenStack resources are worked on at a time; the usual number when zero.
	Workers int
	// LocalClouds lets clouds and their buses be at addresses of the operator's own machine, such as loopback ones.
	LocalClouds bool
	// Metrics gets those of requests to OpenStack; nil counts nothing.
	Metrics prometheus.Registerer
}

// Registry is the one list of everything that runs.
func Registry(e Environment) Entries {
	if e.Galera == nil {
		e.Galera = galera.Direct
	}
	if e.RabbitMQ == nil {
		e.RabbitMQ = member.Direct
	}
	if e.OVN == nil {
		e.OVN = member.Direct
	}
	if e.Releases == nil {
		e.Releases = func(context.Context) ([]string, error) { return nil, nil }
	}
	c := service.Cluster{Gateway: e.Gateway, Lookup: e.Lookup}
	return Entries{
		entry(controlplane.Definition(e.Releases), controlplane.Checks()...),
		entry(galera.Definition(e.Galera)),
		entry(database.Definition(e.Galera)),
		entry(rabbitmq.Definition(e.RabbitMQ)),
		entry(messagebus.Definition(e.RabbitMQ)),
		entry(memcached.Definition()),
		entry(ovn.Definition(e.OVN)),
		entry(ovnchassis.Definition(e.OVN)),
		entry(devceph.Definition()),
		entry(keystone.Definition(c)),
		entry(glance.Definition(c)),
		entry(placement.Definition(c)),
		entry(neutron.Definition(c)),
		entry(nova.Definition(c)),
		entry(novacell.Definition(c)),
		entry(barbican.Definition(c)),
		entry(heat.Definition(c)),
		entry(cinder.Definition(c)),
		entry(horizon.Definition(c)),
		entry(buildingblock.Definition(), buildingblock.Checks()...),
		openstackResources(e),
	}
}

// Entries are the controllers that exist.
type Entries []Entry

// Entry is one controller.
type Entry struct {
	// Name of the controller, as --controllers takes it.
	Name string
	// Components of the controller that can run apart; none when it has only one.
	Components []string
	// New makes the controller for these components; nil are all. An entry may have several, which share what they know.
	New func(components []string) ([]kit.Controller, error)
	// Player plays the controller without a cluster, of several the one that makes objects; nil when none does.
	Player rehearse.Player
}

// mainComponent is the name of the component that a definition leaves empty.
const mainComponent = "main"

// entry is the controller of a definition, whose player asks the named checks.
func entry[T owner.Object](d kit.Definition[T], asked ...string) Entry {
	e := Entry{Name: d.Name}
	for i := range d.Steps {
		if c := cmp.Or(d.Steps[i].Component, mainComponent); !slices.Contains(e.Components, c) {
			e.Components = append(e.Components, c)
		}
	}
	slices.Sort(e.Components)
	if len(e.Components) == 1 {
		e.Components = nil
	}
	if gvk, err := apiutil.GVKForObject(d.New(), Scheme()); err == nil {
		e.Player = rehearse.New(d, gvk, asked...)
	}
	e.New = func(components []string) ([]kit.Controller, error) {
		d := d
		d.Options.Components, d.Options.Pods = nil, ownPods()
		for _, c := range components {
			if c == mainComponent {
				c = ""
			}
			d.Options.Components = append(d.Options.Components, c)
		}
		c, err := kit.New(d, Scheme())
		return []kit.Controller{c}, err
	}
	return e
}

// openstackResources are the controllers of clouds and of the kinds of OpenStack resources that the cluster has, and of
// what asks clouds, too: they share sessions. One that has not even clouds has none of them.
func openstackResources(e Environment) Entry {
	player := rehearse.New(bundle.Definition(e.Served), openstackv1.GroupVersion.WithKind("ProjectBundle"))
	return Entry{Name: "resources", Player: player, New: func([]string) ([]kit.Controller, error) {
		engine := resources.New(kinds.Served(), resources.Sessions(openstack.NewPool(
			openstack.Options{Registerer: e.Metrics, Outside: !e.LocalClouds}))).Measure(e.Metrics)
		if !e.LocalClouds {
			engine.Dial = bus.Outside
		}
		engine.Unseen, engine.Workers = e.Unseen, e.Workers
		if e.Served != nil {
			if !e.Served("Cloud") || !e.Served("ClusterCloud") {
				return nil, nil
			}
			engine.Lacks(e.Served)
		}
		if e.Cluster != nil {
			var err error
			if engine.Cluster, err = e.Cluster(); err != nil {
				return nil, err
			}
		}
		controllers, err := engine.Controllers(Scheme())
		if err != nil {
			return nil, err
		}
		beside, err := e.beside(engine)
		return append(controllers, beside...), err
	}}
}

// beside are the controllers that are no resources of OpenStack, and need the same process.
func (e Environment) beside(engine *resources.Engine) (out []kit.Controller, err error) {
	if e.serves("ProjectBundle") {
		c, err := kit.New(bundle.Definition(e.Served), Scheme())
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if e.serves(hypervisor.Kind) {
		c, err := kit.New(hypervisor.Definition(engine.Guests(hypervisor.Kind)), Scheme())
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (e Environment) serves(kind string) bool { return e.Served == nil || e.Served(kind) }

// Scheme knows all kinds that controllers read and write. Each controller wants it and it takes milliseconds to make,
// so that all share one: who adds to it takes a NewScheme.
func Scheme() *runtime.Scheme { return scheme() }

var scheme = sync.OnceValue(NewScheme)

// NewScheme is a Scheme of its own.
func NewScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, controlplanev1.AddToScheme, infrav1.AddToScheme, servicev1.AddToScheme,
		openstackv1.AddToScheme, fleetv1.AddToScheme,
	} {
		if err := add(s); err != nil {
			panic(fmt.Sprintf("two kinds have one name: %v", err))
		}
	}
	return s
}

// Players are the players of all controllers.
func (e Entries) Players() []rehearse.Player {
	var out []rehearse.Player
	for _, entry := range e {
		if entry.Player != nil {
			out = append(out, entry.Player)
		}
	}
	return out
}

// Components maps each controller to the components that can run apart.
func (e Entries) Components() map[string][]string {
	out := map[string][]string{}
	for _, entry := range e {
		out[entry.Name] = entry.Components
	}
	return out
}

// Build makes the selected controllers.
func (e Entries) Build(s Selection) ([]kit.Controller, error) {
	var out []kit.Controller
	for _, entry := range e {
		components, ok := s[entry.Name]
		if !ok {
			continue
		}
		c, err := entry.New(components)
		if err != nil {
			return nil, err
		}
		out = append(out, c...)
	}
	return out, nil
}
