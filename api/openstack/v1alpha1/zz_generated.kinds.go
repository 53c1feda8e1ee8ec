// Code generated from internal/resources/kinds. DO NOT EDIT.

package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// resourceTypes are the objects and lists of all kinds of resources.
func resourceTypes() []runtime.Object {
	return []runtime.Object{
		&Region{}, &RegionList{},
		&Domain{}, &DomainList{},
		&Project{}, &ProjectList{},
		&User{}, &UserList{},
		&Group{}, &GroupList{},
		&GroupMembership{}, &GroupMembershipList{},
		&Role{}, &RoleList{},
		&RoleInference{}, &RoleInferenceList{},
		&RoleAssignment{}, &RoleAssignmentList{},
		&Service{}, &ServiceList{},
		&Endpoint{}, &EndpointList{},
		&ApplicationCredential{}, &ApplicationCredentialList{},
		&EC2Credential{}, &EC2CredentialList{},
		&RegisteredLimit{}, &RegisteredLimitList{},
		&Limit{}, &LimitList{},
	}
}

// New returns an empty object of a kind of resource, nil when there is no such kind.
func New(kind string) Object {
	switch kind {
	case "Region":
		return &Region{}
	case "Domain":
		return &Domain{}
	case "Project":
		return &Project{}
	case "User":
		return &User{}
	case "Group":
		return &Group{}
	case "GroupMembership":
		return &GroupMembership{}
	case "Role":
		return &Role{}
	case "RoleInference":
		return &RoleInference{}
	case "RoleAssignment":
		return &RoleAssignment{}
	case "Service":
		return &Service{}
	case "Endpoint":
		return &Endpoint{}
	case "ApplicationCredential":
		return &ApplicationCredential{}
	case "EC2Credential":
		return &EC2Credential{}
	case "RegisteredLimit":
		return &RegisteredLimit{}
	case "Limit":
		return &Limit{}
	default:
		return nil
	}
}
