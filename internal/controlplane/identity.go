package controlplane

import (
	kubeclient "sigs.k8s.io/controller-runtime/pkg/client"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// entryInternal is the entry of the clouds.yaml of Keystone's operator that pods in the cluster use.
const entryInternal = "internal"

// identity is the Cloud by which services are registered, and people's objects made. It stays when the last service
// goes: objects that are in it hold it, and a Cloud on its way out would keep the next service from coming.
func identity(s *scope) ([]kubeclient.Object, error) {
	return []kubeclient.Object{&openstackv1.Cloud{
		ObjectMeta: child(s.Owner(), "keystone"),
		Spec: openstackv1.CloudSpec{
			SecretRef: openstackv1.CloudSecret{Name: cloudsSecret(s.Owner())}, Entry: entryInternal,
			Notifications: heard(s.Owner()),
		},
	}}, nil
}

// project is the one of the services' users.
func project(s *scope) ([]kubeclient.Object, error) {
	o := s.Owner()
	rights := openstackv1.ResourceSpec{
		CloudRef: &openstackv1.CloudReference{Name: childName(o, "keystone")}, Policy: "adopt",
	}
	if keepsData(o) {
		// What services own in the project, such as volumes that are caches of images, is of its id. It stays without
		// our marker, for the next control plane to adopt.
		rights.Policies = []string{"Create", "Update"}
	}
	return []kubeclient.Object{&openstackv1.Project{
		ObjectMeta: child(o, service.ProjectName("keystone")),
		Spec:       service.UsersProject(rights),
	}}, nil
}

// known says to a service where it is known.
func known(o *cloud) servicev1.Identity {
	return servicev1.Identity{Keystone: childName(o, "keystone")}
}

// data says to a service where it keeps its data.
func data(o *cloud) servicev1.Database {
	return servicev1.Database{Galera: childName(o, "galera"), DeletionPolicy: string(o.Spec.DeletionPolicy)}
}
