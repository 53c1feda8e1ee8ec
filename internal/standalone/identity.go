package standalone

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
	"stackwright.dev/stackwright/internal/service"
)

// Keys of the Secret by which a Keystone is known, and the clouds in it: that of users, and that of pods.
const (
	keyClouds     = "clouds.yaml"
	keyCA         = "ca.crt"
	cloudPublic   = "default"
	cloudInternal = "internal"
)

// identity shows a definition what operators would have made of a Keystone: its object, by what its Secret for clients
// says, and the Project of the users of services. The chart of Keystone makes the Secret, or somebody by hand. OVN and
// caches are known by Secrets, too.
type identity struct {
	client.Reader
	// clouds reads the Secret.
	clouds client.Reader
	// keystone is the name of the one that the service asks; empty when it asks none.
	keystone string
	// alone tells that nothing else of other operators is to be read.
	alone bool
	// entry is the cloud that pods use, secret the Secret, projects those that were asked for.
	entry    string
	secret   *corev1.Secret
	projects []*openstackv1.Project
	err      error
}

// keystoneOf is the name of the Keystone that a service asks.
func keystoneOf(data []byte) string {
	var o struct {
		Spec struct {
			Identity servicev1.Identity
			// A dashboard has no user, and names its Keystone alone.
			Keystone string
		}
	}
	// Whoever plays the object reads it, too, and tells what is wrong with it.
	_ = json.Unmarshal(data, &o)
	return cmp.Or(o.Spec.Identity.Keystone, o.Spec.Keystone)
}

// Get makes up what operators would have made, and reads everything else.
func (i *identity) Get(ctx context.Context, key client.ObjectKey, into client.Object, o ...client.GetOption) error {
	switch into := into.(type) {
	case *servicev1.Keystone:
		k, err := i.read(ctx, key)
		if err != nil {
			i.err = fmt.Errorf("reading what Keystone %s is: %w", key.Name, err)
			return err
		}
		k.DeepCopyInto(into)
		return nil
	case *openstackv1.Project:
		p := i.project(key)
		i.projects = append(i.projects, p)
		p.DeepCopyInto(into)
		return nil
	case *infrav1.OVN:
		return i.ovn(ctx, key, into)
	case *infrav1.Memcached:
		return i.memcached(ctx, key, into)
	}
	return i.Reader.Get(ctx, key, into, o...)
}

// read makes a Keystone of its Secret for clients.
func (i *identity) read(ctx context.Context, key client.ObjectKey) (*servicev1.Keystone, error) {
	name, s := service.CloudsName(key.Name), &corev1.Secret{}
	err := i.clouds.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: name}, s)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("the Secret %s has to exist, with %s and %s; "+
			"the chart of Keystone makes it in mode standalone", name, keyClouds, keyCA)
	}
	if err != nil {
		return nil, fmt.Errorf("reading Secret %s: %w", name, err)
	}
	type cloud struct {
		Auth struct {
			URL string `json:"auth_url"`
		}
		Region string `json:"region_name"`
	}
	var file struct{ Clouds map[string]cloud }
	if err := yaml.Unmarshal(s.Data[keyClouds], &file); err != nil {
		// The error would show lines of the file, and it has a password.
		return nil, fmt.Errorf("the key %s of Secret %s is no YAML with clouds", keyClouds, name)
	}
	i.entry, i.secret = cloudInternal, s
	inside, outside := file.Clouds[cloudInternal], file.Clouds[cloudPublic]
	if inside.Auth.URL == "" {
		i.entry, inside = cloudPublic, outside
	}
	url := inside.Auth.URL
	switch {
	case url == "" || inside.Region == "":
		return nil, fmt.Errorf("the key %s of Secret %s has to have a cloud %s, or %s for pods, "+
			"with auth_url and region_name", keyClouds, name, cloudPublic, cloudInternal)
	case strings.HasPrefix(url, "https://") && len(s.Data[keyCA]) == 0:
		return nil, fmt.Errorf("the Secret %s has to have the key %s: the authority of %s", name, keyCA, url)
	}
	return &servicev1.Keystone{
		ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace},
		Spec:       servicev1.KeystoneSpec{Region: inside.Region},
		Status: servicev1.KeystoneStatus{ServiceStatus: servicev1.ServiceStatus{
			Endpoints: servicev1.Endpoints{Internal: url, Public: cmp.Or(outside.Auth.URL, url)}}},
	}, nil
}

// project is the Project of the users of services: the one that a control plane makes, or one that is named in
// OpenStack as it is here. It is never deleted, as others use it.
func (i *identity) project(key client.ObjectKey) *openstackv1.Project {
	p := &openstackv1.Project{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}
	registered := openstackv1.ResourceSpec{CloudRef: &openstackv1.CloudReference{Name: i.keystone}, Policy: "adopt",
		Policies: []string{"Create", "Update"}}
	p.Spec = openstackv1.ProjectSpec{ResourceSpec: registered,
		Resource: &openstackv1.ProjectResource{Name: &key.Name}}
	if key.Name == service.ProjectName(i.keystone) {
		p.Spec = service.UsersProject(registered)
	}
	return p
}

// cloud is the Cloud by which a service is registered in the Keystone that was read.
func (i *identity) cloud() *openstackv1.Cloud {
	return &openstackv1.Cloud{ObjectMeta: metav1.ObjectMeta{Name: i.keystone, Namespace: i.secret.Namespace},
		Spec: openstackv1.CloudSpec{Entry: i.entry, SecretRef: openstackv1.CloudSecret{Name: i.secret.Name}}}
}
