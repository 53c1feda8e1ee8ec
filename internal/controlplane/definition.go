// Package controlplane composes an OpenStack of the objects of its services' own operators: it writes Galera, RabbitMQ,
// Memcached, Keystone and other objects, and nothing that those operators write themselves.
package controlplane

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit"
	"stackwright.dev/kit/gate"
	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/infra/messagebus"
	"stackwright.dev/stackwright/internal/pki"
)

type (
	cloud = controlplanev1.OpenStackControlPlane
	scope = step.Scope[*cloud]
)

// The steps and references that others name.
const (
	refRelease = "release"
	refClouds  = "clouds"
	refCells   = "nova-cells"
	refGiven   = "authority"
	// refListeners are the accounts that may listen to notifications.
	refListeners = "listeners"

	stepRelease   = "release"
	stepServices  = "services"
	stepCA        = "ca"
	stepGalera    = "galera"
	stepRabbitMQ  = "rabbitmq"
	stepCache     = "memcached"
	stepKeystone  = "keystone"
	stepClient    = "client"
	stepIdentity  = "identity"
	stepProject   = "project"
	stepGlance    = "glance"
	stepPlacement = "placement"
	stepOVN       = "ovn"
	stepNeutron   = "neutron"
	stepNova      = "nova"
	stepNovaCells = "nova-cells"
	stepBarbican  = "barbican"
	stepHeat      = "heat"
	stepCinder    = "cinder"
	stepHorizon   = "horizon"

	stepNotifications = "notifications"
)

// Definition is the controller of control planes. releases lists the names of the releases that exist.
func Definition(releases func(context.Context) ([]string, error)) kit.Definition[*cloud] {
	return kit.Definition[*cloud]{
		Name: "controlplane",
		New:  func() *cloud { return &cloud{} },
		Refs: append(append(useRefs(), madeRefs()...),
			ref.To(refRelease, &controlplanev1.OpenStackRelease{}, releaseKey, ref.Optional[*cloud](),
				ref.Hold[*cloud](), ref.DigestOf[*cloud](generation)),
			// Without TLS, and of an authority that everybody knows, there is no ca.crt.
			ref.Local(refClouds, &corev1.Secret{}, cloudsSecret, ref.Fields[*cloud](cloudsFile, cloudsCA),
				ref.Optional[*cloud]()),
			ref.To(refListeners, &corev1.Secret{}, listenerKeys, ref.Optional[*cloud](),
				ref.Fields[*cloud](messagebus.KeyTransportURL, messagebus.KeyCA)),
			ref.Local(refGiven, &corev1.Secret{}, givenCA, ref.Fields[*cloud](pki.CertKey, pki.KeyKey)),
			ref.To(refCells, &servicev1.NovaCell{}, cellKeys, ref.WaitFor[*cloud](gate.For(&servicev1.NovaCell{}))),
		),
		Steps:  steps(releases),
		Report: report,
		Guard:  guard,
		// What services kept that were taken out goes with the data of those that were not.
		Inherits: func(o *cloud) bool { return !keepsData(o) },
		Estate:   []kubeclient.Object{&corev1.PersistentVolumeClaim{}},
	}
}

func steps(releases func(context.Context) ([]string, error)) []step.Step[*cloud] {
	ready := step.After[*cloud](stepRelease, stepServices)
	release := step.Reads[*cloud](refRelease)
	return append([]step.Step[*cloud]{
		step.Check(stepServices, checkServices, step.Condition[*cloud]("ServicesKnown")),
		step.Check(stepRelease, checkRelease(releases), release, step.Condition[*cloud]("ReleaseReady")),
		// Nothing comes after it: the services go on with a release that is held.
		step.Check("release-kept", keptRelease, release, step.Condition[*cloud]("ReleaseReady")),
		pki.CA(stepCA, caSecret, ownCA, ready, step.Condition[*cloud]("CAReady"), step.KeepWhen(keepsData)),
		pki.AuthorityLasts(refGiven, func(o *cloud) bool { return givenCA(o) != "" }),
		step.Objects(stepGalera, galera, ready, release, step.Reads[*cloud](refGalera), step.After[*cloud](stepCA),
			step.When(galeraOn), step.Makes[*cloud](&infrav1.Galera{}), step.Condition[*cloud]("GaleraReady")),
		step.Objects(stepRabbitMQ, rabbitmq, ready, release, step.Reads[*cloud](refRabbitMQ), step.After[*cloud](stepCA),
			step.When(rabbitOn), step.Makes[*cloud](&infrav1.RabbitMQ{}), step.Condition[*cloud]("RabbitMQReady"),
			step.Outlives[*cloud](stepKeystone, stepGlance)), // these may have a bus for notifications
		step.Objects(stepCache, memcached, ready, release, step.After[*cloud](stepCA),
			step.When(memcachedOn), step.Makes[*cloud](&infrav1.Memcached{}), step.Condition[*cloud]("MemcachedReady"),
			step.Outlives[*cloud](stepKeystone)),
		step.Objects(stepKeystone, keystone, ready, release, step.After[*cloud](stepCA, stepGalera),
			step.When(keystoneOn), step.Makes[*cloud](&servicev1.Keystone{}), step.Condition[*cloud]("KeystoneReady")),
		step.Objects(stepClient, client, ready, release, step.After[*cloud](stepKeystone),
			step.When(keystoneOn), step.Reads[*cloud](refClouds), step.Condition[*cloud]("ClientReady"),
			step.Makes[*cloud](&corev1.ServiceAccount{}, &appsv1.Deployment{})),
		step.Objects(stepIdentity, identity, ready, step.After[*cloud](stepKeystone), step.When(keystoneOn),
			step.Makes[*cloud](&openstackv1.Cloud{}), step.Condition[*cloud]("IdentityReady")),
		step.Objects(stepProject, project, ready, step.After[*cloud](stepIdentity), step.When(identityOn),
			step.Makes[*cloud](&openstackv1.Project{}), step.Condition[*cloud]("ProjectReady")),
		step.Objects(stepOVN, ovn, ready, release, step.When(ovnOn), step.Makes[*cloud](&infrav1.OVN{}),
			step.Reads[*cloud](refOVN), step.Condition[*cloud]("OVNReady")),
		step.Objects(stepHorizon, horizon, ready, release, step.After[*cloud](stepKeystone, stepCache),
			step.When(horizonOn), step.Makes[*cloud](&servicev1.Horizon{}), step.Condition[*cloud]("HorizonReady")),
		step.Secret(stepNotifications, notifications, notificationsSecret, step.When(anybodySends),
			step.Reads[*cloud](refListeners), step.Condition[*cloud]("NotificationsReady"),
			step.Outlives[*cloud](stepIdentity)),
		step.Check(stepNovaCells, nothing, step.After[*cloud](stepNova), step.When(novaOn), step.Reads[*cloud](refCells),
			step.Condition[*cloud]("NovaCellsReady")),
	}, knownServices(ready, release)...)
}

// nothing is done by a step that only declares something.
func nothing(context.Context, *scope) *outcome.Outcome { return outcome.Done() }

// knownServices are those that Keystone has to know, and that run when they are asked for.
func knownServices(o ...step.Option[*cloud]) []step.Step[*cloud] {
	var steps []step.Step[*cloud]
	for _, s := range []struct {
		name, condition string
		kind            kubeclient.Object
		on              func(*cloud) bool
		make            func(*scope) ([]kubeclient.Object, error)
		after, reads    []string
	}{
		{stepGlance, "GlanceReady", &servicev1.Glance{}, glanceOn, glance, nil, []string{refGlance}},
		{stepPlacement, "PlacementReady", &servicev1.Placement{}, placementOn, placement, nil, nil},
		{stepNeutron, "NeutronReady", &servicev1.Neutron{}, neutronOn, neutron, []string{stepOVN, stepRabbitMQ}, nil},
		{stepNova, "NovaReady", &servicev1.Nova{}, novaOn, nova, []string{stepRabbitMQ}, nil},
		{stepBarbican, "BarbicanReady", &servicev1.Barbican{}, barbicanOn, barbican, []string{stepRabbitMQ}, nil},
		{stepHeat, "HeatReady", &servicev1.Heat{}, heatOn, heat, []string{stepRabbitMQ}, nil},
		{stepCinder, "CinderReady", &servicev1.Cinder{}, cinderOn, cinder, []string{stepRabbitMQ}, nil},
	} {
		steps = append(steps, step.Objects(s.name, s.make, append(slices.Clone(o), step.When(s.on),
			step.After[*cloud](stepProject, stepGalera), step.After[*cloud](s.after...), step.Reads[*cloud](s.reads...),
			step.Makes[*cloud](s.kind), step.Condition[*cloud](s.condition))...))
	}
	return steps
}
