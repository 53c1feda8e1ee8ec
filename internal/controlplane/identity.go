package controlplane

import (
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// entryInternal is the entry of the clouds.yaml of Keystone's operator that pods in the cluster use.
const entryInternal = "internal"

// projectService is the name in OpenStack of the project that the users of services work in.
const projectService = "service"

// identity is what services need to be known to Keystone: the Cloud by which they are registered, which is the control
// plane's own, and the project of their users.
func identity(s *scope) ([]kubeclient.Object, error) {
	o := s.Owner()
	name := childName(o, "keystone")
	rights := openstackv1.ResourceSpec{CloudRef: &openstackv1.CloudReference{Name: name}, Policy: "adopt"}
	if keepsData(o) {
		// What services own in the project, such as volumes that are caches of images, is of its id. It stays without
		// our marker, for the next control plane to adopt.
		rights.Policies = []string{"Create", "Update"}
	}
	return []kubeclient.Object{
		&openstackv1.Cloud{
			ObjectMeta: child(o, "keystone"),
			Spec: openstackv1.CloudSpec{
				SecretRef: openstackv1.CloudSecret{Name: cloudsSecret(o)}, Entry: entryInternal,
			},
		},
		&openstackv1.Project{
			ObjectMeta: child(o, service.ProjectName("keystone")),
			Spec: openstackv1.ProjectSpec{
				ResourceSpec: rights,
				Resource: &openstackv1.ProjectResource{
					Name: new(projectService), Description: new("Users of the OpenStack services"),
				},
			},
		},
	}, nil
}

// known says to a service where it is known.
func known(o *cloud) servicev1.Identity {
	return servicev1.Identity{Keystone: childName(o, "keystone")}
}

// data says to a service where it keeps its data.
func data(o *cloud) servicev1.Database {
	return servicev1.Database{Galera: childName(o, "galera"), DeletionPolicy: string(o.Spec.DeletionPolicy)}
}
