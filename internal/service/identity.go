package service

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/ref"
	"stackwright.dev/kit/step"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service/oslo"
)

// roleService is the role by which Keystone lets a user check tokens of others, and by which services know each other.
// `keystone-manage bootstrap` makes it. The role of an administrator is not needed for either.
const roleService = "service"

// domain is the one of the users of services, which bootstrap makes.
const domain = "Default"

// policyAdopt takes over what a database that was kept has already.
const policyAdopt = "adopt"

// userSecret names the Secret with the password of the service's user.
func userSecret(o Object) string { return o.GetName() + "-user" }

// actsBy names the Secret with the password by which the service asks others.
func (s Service[T]) actsBy(o T) string {
	if s.User != nil {
		return s.User(o) + "-user"
	}
	return userSecret(o)
}

// ProjectName names the Project in which the users of services work, unless another one is named.
func ProjectName(keystone string) string { return keystone + "-service" }

// UsersProject is the spec of that Project.
func UsersProject(registered openstackv1.ResourceSpec) openstackv1.ProjectSpec {
	return openstackv1.ProjectSpec{ResourceSpec: registered, Resource: &openstackv1.ProjectResource{
		Name: new("service"), Description: new("Users of the OpenStack services"),
	}}
}

// CloudsName names the Secret that Keystone's operator makes for clients.
func CloudsName(keystone string) string { return keystone + "-clouds" }

// authoritySecret names the Secret by whose ca.crt the service knows Keystone. Nothing else of it is mounted.
func (s Service[T]) authoritySecret(o T) string { return CloudsName(s.Identity(o).Keystone) }

func (s Service[T]) project(o T) string {
	i := s.Identity(o)
	return cmp.Or(i.Project, ProjectName(i.Keystone))
}

// identityRefs are what a service reads that asks Keystone, and more for one that does so as a user.
func (s Service[T]) identityRefs() []ref.Ref[T] {
	if s.Identity == nil {
		return nil
	}
	refs := []ref.Ref[T]{
		ref.Local(RefKeystone, &servicev1.Keystone{}, func(o T) string { return s.Identity(o).Keystone },
			ref.WaitFor[T](answers), ref.DigestOf[T](whereabouts)),
		ref.Local(RefAuthority, &corev1.Secret{}, s.authoritySecret, ref.Fields[T](keyCA), ref.Optional[T]()),
	}
	if s.Guest {
		return refs
	}
	return append(refs, ref.Local(RefProject, &openstackv1.Project{}, s.project, ref.DigestOf[T](projectName)),
		ref.Local(RefPassword, &corev1.Secret{}, s.actsBy, ref.Fields[T](KeyPassword)))
}

func answers(obj client.Object) (bool, string) {
	k, ok := obj.(*servicev1.Keystone)
	if ok && k.Status.Endpoints.Internal != "" {
		return true, ""
	}
	return false, fmt.Sprintf("Keystone %s has no endpoint yet; see kubectl -n %s describe keystone/%s",
		obj.GetName(), obj.GetNamespace(), obj.GetName())
}

// whereabouts is all of a Keystone that a configuration has.
func whereabouts(obj client.Object) string {
	if k, ok := obj.(*servicev1.Keystone); ok {
		return fmt.Sprint(k.Status.Endpoints.Internal, " ", k.Status.Endpoints.Public, " ", k.Spec.Region)
	}
	return ""
}

// projectName is the name in OpenStack of what a Project stands for.
func projectName(obj client.Object) string {
	p, ok := obj.(*openstackv1.Project)
	if !ok {
		return ""
	}
	if r := p.Spec.Resource; r != nil && r.Name != nil {
		return *r.Name
	}
	return p.Name
}

// UserSteps give the service a user of its own: a password, and the user who has it, with the role of a service.
func (s Service[T]) UserSteps() []step.Step[T] {
	return []step.Step[T]{
		s.PasswordStep(StepPassword, func(o T) string { return userSecret(o) }, s.Keep()),
		step.Objects(StepUser, func(sc *step.Scope[T]) ([]client.Object, error) {
			return []client.Object{s.user(sc.Owner()), s.role(sc.Owner())}, nil
		}, step.After[T](StepPassword), step.Makes[T](&openstackv1.User{}, &openstackv1.RoleAssignment{}),
			step.Condition[T]("UserReady"), step.Component[T](ComponentSetup)),
	}
}

func (s Service[T]) user(o T) *openstackv1.User {
	return &openstackv1.User{
		ObjectMeta: s.meta(o, o.GetName()),
		Spec: openstackv1.UserSpec{
			ResourceSpec: s.Registered(o),
			Resource: &openstackv1.UserResource{
				Name: &s.Name, Description: &s.Description,
				PasswordRef: &openstackv1.SecretKey{Name: userSecret(o), Key: KeyPassword},
			},
		},
	}
}

func (s Service[T]) role(o T) *openstackv1.RoleAssignment {
	return &openstackv1.RoleAssignment{
		ObjectMeta: s.meta(o, o.GetName()),
		Spec: openstackv1.RoleAssignmentSpec{
			ResourceSpec: s.Registered(o),
			Resource: &openstackv1.RoleAssignmentResource{
				RoleRef:    openstackv1.Reference{External: &openstackv1.External{Name: roleService}},
				UserRef:    &openstackv1.Reference{Name: o.GetName()},
				ProjectRef: &openstackv1.Reference{Name: s.project(o)},
			},
		},
	}
}

// Registered is what all objects of the service in OpenStack have in common.
func (s Service[T]) Registered(o T) openstackv1.ResourceSpec {
	i := s.Identity(o)
	return openstackv1.ResourceSpec{
		CloudRef: &openstackv1.CloudReference{Name: cmp.Or(i.Cloud, i.Keystone)}, Policy: policyAdopt,
	}
}

// CatalogStep tells clients where the service answers, once it does, and does what it is asked for: what is in the
// catalog and does not answer makes requests to other services fail.
func (s Service[T]) CatalogStep() step.Step[T] {
	after := []string{StepAPI, StepUser}
	for _, w := range s.Workers {
		if w.Serves != nil || w.Ordered {
			after = append(after, w.Name)
		}
	}
	return step.Objects(StepCatalog, func(sc *step.Scope[T]) ([]client.Object, error) {
		var entries []client.Object
		for _, d := range s.doors(sc.Owner()) {
			entry, err := s.listed(sc, d)
			if err != nil {
				return nil, err
			}
			entries = append(entries, entry...)
		}
		return entries, nil
	}, step.After[T](after...), step.Sees[T](StepEndpoints), step.Reads[T](RefKeystone),
		step.Makes[T](&openstackv1.Service{}, &openstackv1.Endpoint{}), step.Condition[T]("CatalogReady"),
		step.Component[T](ComponentSetup))
}

// listed is what the catalog has of an API.
func (s Service[T]) listed(sc *step.Scope[T], d door) ([]client.Object, error) {
	o, urls := sc.Owner(), s.seen(sc, d)
	k, _ := sc.Get(RefKeystone).(*servicev1.Keystone)
	if k == nil || urls.Public == "" {
		return nil, &outcome.Missing{On: "Service " + d.publicName(),
			Message: "the public Service has no address yet; see kubectl describe service " + d.publicName()}
	}
	name := s.Name + strings.TrimPrefix(d.name, o.GetName())
	return []client.Object{
		&openstackv1.Service{
			ObjectMeta: s.meta(o, d.name),
			Spec: openstackv1.ServiceSpec{ResourceSpec: s.Registered(o), Resource: &openstackv1.ServiceResource{
				Name: &name, Type: d.kind, Description: &d.description,
			}},
		},
		s.endpoint(o, d, Public, urls.Public, k.Spec.Region),
		s.endpoint(o, d, Internal, urls.Internal, k.Spec.Region),
	}, nil
}

// The interfaces by which the catalog has a service.
const (
	Public   = "public"
	Internal = "internal"
)

// EndpointName names the Endpoint by which the catalog has a service.
func EndpointName(service, which string) string { return service + "-" + which }

func (s Service[T]) endpoint(o T, d door, which, url, region string) *openstackv1.Endpoint {
	return &openstackv1.Endpoint{
		ObjectMeta: s.meta(o, EndpointName(d.name, which)),
		Spec: openstackv1.EndpointSpec{ResourceSpec: s.Registered(o), Resource: &openstackv1.EndpointResource{
			ServiceRef: openstackv1.Reference{Name: d.name}, Interface: which, URL: url,
			RegionRef: &openstackv1.ReferenceOrNone{External: &openstackv1.External{Name: region}},
		}},
	}
}

// authtoken is how the service asks Keystone about tokens, and others as its user. The middleware speaks to memcached
// without TLS only, so each process remembers tokens itself, for five minutes. Nobody shows tokens to a part of a
// service that acts as another's user.
func (s Service[T]) authtoken(sc *step.Scope[T], f *oslo.File) {
	const section = "keystone_authtoken"
	k, ok := sc.Get(RefKeystone).(*servicev1.Keystone)
	if !ok {
		return
	}
	for _, other := range s.Logins {
		s.login(sc, f, other)
	}
	if slices.Contains(s.Logins, KeyUser) {
		keyManager(f, k.Spec.Region)
	}
	if s.User != nil {
		return
	}
	s.login(sc, f, section)
	f.Set(section, "www_authenticate_uri", cmp.Or(k.Status.Endpoints.Public, k.Status.Endpoints.Internal))
	f.Set(section, "service_type", s.Type)
	f.Set(section, "service_token_roles", roleService)
	f.Set(section, "service_token_roles_required", true)
	// A Keystone that does not answer must not hold a worker for ever.
	f.Set(section, "http_connect_timeout", 10)
}

// login says in a section who the service is.
func (s Service[T]) login(sc *step.Scope[T], f *oslo.File, section string) {
	k, ok := sc.Get(RefKeystone).(*servicev1.Keystone)
	if !ok {
		return
	}
	f.Set(section, "auth_type", "password")
	f.Set(section, "auth_url", k.Status.Endpoints.Internal)
	switch section {
	case "cinder":
		f.Set(section, "os_region_name", k.Spec.Region)
	case "service_user", KeyUser:
	default:
		f.Set(section, "region_name", k.Spec.Region)
	}
	f.Set(section, "username", s.Name)
	f.Set(section, "password", oslo.Literal(sc.Value(RefPassword, KeyPassword)))
	f.Set(section, "project_name", projectName(sc.Get(RefProject)))
	f.Set(section, "user_domain_name", domain)
	f.Set(section, "project_domain_name", domain)
	if file := Authority(sc); file != "" {
		f.Set(section, "cafile", file)
	}
}

// everybody is where images have the authorities that everybody knows, those of Debian's package ca-certificates.
const everybody = "/etc/ssl/certs/ca-certificates.crt"

// Authority is the file by which the service knows Keystone and what Keystone's catalog has; empty without TLS. It is
// named where it is the usual one, too: told of none, glanceclient does not look at the certificate at all
// (common/http.py, HTTPClient), and Horizon tells it of none.
func Authority[T Object](sc *step.Scope[T]) string {
	k, ok := sc.Get(RefKeystone).(*servicev1.Keystone)
	have := sc.Content(RefAuthority)
	encrypted := ok && strings.HasPrefix(k.Status.Endpoints.Internal, "https://")
	switch {
	case len(have[keyCA]) == 0 && !encrypted:
		return ""
	case len(have[keyCA]) == 0 && have != nil:
		return everybody
	}
	// The value is in a file. Without the Secret the step waits, rather than to roll the pods for one that comes back.
	_ = sc.Value(RefAuthority, keyCA)
	return path("keystone", keyCA)
}
