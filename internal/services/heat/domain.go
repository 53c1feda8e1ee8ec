package heat

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// Names of what Heat has in Keystone.
const (
	admin      = "heat_domain_admin"
	roleAdmin  = "admin"
	stackOwner = "heat_stack_owner"
	stackUser  = "heat_stack_user"
)

// adminName names the Secret with the password of the administrator of the domain.
func adminName(h *heat) string { return h.Name + "-domain-admin" }

// domain makes the domain with the users of stacks, its administrator, and the roles of Heat's users.
func domain(s api) func(*scope) ([]client.Object, error) {
	return func(sc *scope) ([]client.Object, error) {
		h := sc.Owner()
		meta := func(name string) metav1.ObjectMeta {
			return metav1.ObjectMeta{Name: name, Namespace: h.Namespace, Labels: s.Labels(h, "")}
		}
		own, kept := s.Registered(h), lasting(h, s.Registered(h))
		in := &openstackv1.Reference{Name: h.Name}
		return []client.Object{
			&openstackv1.Domain{ObjectMeta: meta(h.Name), Spec: openstackv1.DomainSpec{ResourceSpec: kept,
				Resource: &openstackv1.DomainResource{Name: &h.Spec.Domain, Description: new("Users of the stacks of Heat")}}},
			role(meta(h.Name+"-stack-owner"), kept, stackOwner, "May have stacks that act for it"),
			role(meta(h.Name+"-stack-user"), kept, stackUser, "Is a user that a stack has made"),
			&openstackv1.User{ObjectMeta: meta(adminName(h)), Spec: openstackv1.UserSpec{ResourceSpec: own,
				Resource: &openstackv1.UserResource{Name: new(admin), DomainRef: in,
					Description: new("Makes the users of the stacks of Heat"),
					PasswordRef: &openstackv1.SecretKey{Name: adminName(h), Key: service.KeyPassword}}}},
			&openstackv1.RoleAssignment{ObjectMeta: meta(adminName(h)), Spec: openstackv1.RoleAssignmentSpec{ResourceSpec: own,
				Resource: &openstackv1.RoleAssignmentResource{
					RoleRef: openstackv1.Reference{External: &openstackv1.External{Name: roleAdmin}},
					UserRef: &openstackv1.Reference{Name: adminName(h)}, DomainRef: in}}},
		}, nil
	}
}

func role(meta metav1.ObjectMeta, spec openstackv1.ResourceSpec, name, description string) *openstackv1.Role {
	return &openstackv1.Role{ObjectMeta: meta, Spec: openstackv1.RoleSpec{ResourceSpec: spec,
		Resource: &openstackv1.RoleResource{Name: &name, Description: &description}}}
}

// lasting keeps in Keystone what stacks cannot do without, as long as the database with the stacks is kept: with a
// domain go its users and projects, and with a role go all its assignments.
func lasting(h *heat, spec openstackv1.ResourceSpec) openstackv1.ResourceSpec {
	if h.Spec.Database.DeletionPolicy != string(infrav1.DeleteData) {
		spec.Policies = []string{"Observe", "Create", "Update"}
	}
	return spec
}
