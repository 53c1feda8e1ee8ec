package v1alpha1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// GlanceSpec says which image service is wanted.
type GlanceSpec struct {
	CommonSpec `json:",inline"`

	// Database says where it is kept which images there are. Its deletionPolicy is that of the volumes, too.
	Database Database `json:"database"`
	// Identity says where the service is known.
	Identity Identity `json:"identity"`
	// RabbitMQ names the RabbitMQ that takes a message for each change of an image, and gets a MessageBus for it. Empty:
	// Glance is silent. A queue that nobody reads keeps the newest 16 MiB.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	RabbitMQ string `json:"rabbitmq,omitempty"`
	// Stores keep the data of images. The first one takes what is uploaded without naming a store. The first one of files
	// has the folder in which data waits to be imported; without one, each pod has its own.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	Stores []ImageStore `json:"stores"`
	// Cache keeps copies of images beside each pod, for stores that are far away.
	// +optional
	Cache *ImageCache `json:"cache,omitempty"`
	// ProjectQuota is how much data the images of a project may have together, such as 500Gi, counted in each store that
	// has it. It is the same for all projects; empty is no limit.
	// +optional
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('0'))",message="projectQuota is more than nothing, such as 500Gi; leave it out for no limit"
	ProjectQuota resource.Quantity `json:"projectQuota,omitzero"`
}

// ImageCache keeps copies of images on a volume that each pod of the API has for itself, and that goes with it.
type ImageCache struct {
	// Size of the volume of each pod. Four fifths are for images, what was not read for longest goes first; the rest is
	// for those on their way in.
	// +optional
	// +kubebuilder:default="20Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('99Mi'))",message="size is at least 100Mi, such as 20Gi"
	Size resource.Quantity `json:"size,omitzero"`
	// ClassName is the storage class; empty takes the cluster's default one. One whose disks are near the pods is best.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="className is the name of a StorageClass as kubectl get storageclass lists it: lower-case letters, digits, dashes and dots"
	ClassName string `json:"className,omitempty"`
}

// ImageStore keeps the data of images.
// +kubebuilder:validation:XValidation:rule="[has(self.file), has(self.rbd), has(self.s3)] == [has(oldSelf.file), has(oldSelf.rbd), has(oldSelf.s3)]",message="the kind of a store cannot be changed; add another store and copy the images"
// +kubebuilder:validation:XValidation:rule="[has(self.file), has(self.rbd), has(self.s3), has(self.swift)].filter(x, x).size() == 1",message="set exactly one of file, rbd, s3 and swift"
type ImageStore struct {
	// Name of the store, by which people choose it for an image, and images know it for ever.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')",message="the name is of lower-case letters, digits and dashes, beginning with a letter"
	// +kubebuilder:validation:XValidation:rule="!(self in ['barbican', 'cors', 'database', 'default', 'healthcheck', 'profiler', 'task', 'vault', 'wsgi'])",message="Glance's configuration has a section of that name; take another one"
	Name string `json:"name"`
	// File keeps images as files of a persistent volume.
	// +optional
	File *FileStore `json:"file,omitempty"`
	// RBD keeps images in a Ceph, where Cinder and Nova make disks of raw ones without copying them.
	// +optional
	RBD *Ceph `json:"rbd,omitempty"`
	// S3 keeps images as objects of a bucket.
	// +optional
	S3 *S3Store `json:"s3,omitempty"`
	// Swift keeps images as objects of a container.
	// +optional
	Swift *SwiftStore `json:"swift,omitempty"`
}

// S3Store keeps images as objects of a bucket, at Amazon or wherever S3 is spoken. Glance reads an image at the
// endpoint that is set here now, with the keys that the Secret has now, from the bucket that was set when it was kept.
type S3Store struct {
	// Endpoint is where S3 is spoken, such as https://s3.example.org or https://s3.example.org:9000.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?$')",message="endpoint is an address without a path, such as https://s3.example.org or https://s3.example.org:9000"
	Endpoint string `json:"endpoint"`
	// Bucket in which the objects are. It has to be there.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$')",message="bucket is the name of a bucket: 3 to 63 lower-case letters, digits, dots and dashes"
	Bucket string `json:"bucket"`
	// Secret names a Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as a bucket claim of Rook has them, and with
	// ca.crt when the endpoint's certificate is of a private authority.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret"`
	// Region of the bucket, such as eu-central-1; empty where there are none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9][a-z0-9-]*$')",message="region is of lower-case letters, digits and dashes, such as eu-central-1"
	Region string `json:"region,omitempty"`
	// Addressing says where requests have the name of the bucket: in the Path, or before the Host's name. Empty is the
	// host for Amazon and the path for all others.
	// +optional
	// +kubebuilder:validation:Enum=Path;Host
	// +kubebuilder:validation:MaxLength=8
	Addressing string `json:"addressing,omitempty"`
}

// SwiftStore keeps images as objects of a container in an OpenStack Swift, all in the account of one user. Glance reads
// an image as the user that the Secret has now, whom authURL knows, from the container that was set when it was kept.
// +kubebuilder:validation:XValidation:rule="(has(self.authVersion) && self.authVersion == 1) || self.authURL.matches('/v3/?$')",message="authURL ends in /v3, such as https://keystone.example.org:5000/v3; where there is no Keystone set authVersion to 1"
// +kubebuilder:validation:XValidation:rule="!(has(self.authVersion) && self.authVersion == 1) || ![has(self.region), has(self.interface), has(self.userDomain), has(self.projectDomain)].exists(x, x)",message="only Keystone knows region, interface, userDomain and projectDomain: leave them out with authVersion 1"
type SwiftStore struct {
	// AuthURL is where the user is known and told where Swift is: the address of a Keystone, such as
	// https://keystone.example.org:5000/v3.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=300
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[a-z0-9]([-a-z0-9.]*[a-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)+/?$')",message="authURL is an address with a path, such as https://keystone.example.org:5000/v3"
	// +kubebuilder:validation:XValidation:rule="!self.matches('^https?://http')",message="Glance takes a host whose name begins with http for a whole address; give it another name"
	AuthURL string `json:"authURL"`
	// AuthVersion is 3 for a Keystone, which is what empty means too, and 1 for the older way, such as TempAuth has it
	// and Ceph's gateway: authURL is then like https://swift.example.org/auth/v1.0.
	// +optional
	// +kubebuilder:validation:Enum=1;3
	AuthVersion int32 `json:"authVersion,omitempty"`
	// Container in which the objects are. It has to be there.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9][A-Za-z0-9._-]*$')",message="container is of letters, digits, dots, dashes and underscores, such as images"
	Container string `json:"container"`
	// Secret names a Secret with user, which is PROJECT:USER for a Keystone, and key, the password, and with ca.crt when
	// the certificates of authURL and of Swift are of a private authority.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Secret string `json:"secret"`
	// UserDomain is the name of the user's domain; empty is the one whose id is default.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]*$')",message="userDomain is the name of a domain in one line, such as Default"
	UserDomain string `json:"userDomain,omitempty"`
	// ProjectDomain is the name of the project's domain; empty is the one whose id is default.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]*$')",message="projectDomain is the name of a domain in one line, such as Default"
	ProjectDomain string `json:"projectDomain,omitempty"`
	// Region of Swift, such as RegionOne; empty takes the first that the catalog has.
	// +optional
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[A-Za-z0-9][A-Za-z0-9._-]*$')",message="region is the id of a region as the catalog has it, such as RegionOne"
	Region string `json:"region,omitempty"`
	// Interface is which of Swift's endpoints in the catalog is used; empty is the public one.
	// +optional
	// +kubebuilder:validation:Enum=public;internal;admin
	// +kubebuilder:validation:MaxLength=8
	Interface string `json:"interface,omitempty"`
}

// FileStore keeps images as files of a persistent volume, <name of the Glance>-<name of the store>.
type FileStore struct {
	// Size of the volume. It can grow where the storage class allows it, never shrink.
	// +optional
	// +kubebuilder:default="20Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).isGreaterThan(quantity('99Mi'))",message="size is at least 100Mi, such as 20Gi"
	// +kubebuilder:validation:XValidation:rule="quantity(self).compareTo(quantity(oldSelf)) >= 0",message="size cannot become less: a volume does not shrink"
	Size resource.Quantity `json:"size,omitzero"`
	// ClassName is the storage class; empty takes the cluster's default one. A volume that is bound keeps its own.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == '' || self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')",message="className is the name of a StorageClass as kubectl get storageclass lists it: lower-case letters, digits, dashes and dots"
	ClassName string `json:"className,omitempty"`
	// AccessMode of the volume. With ReadWriteOnce all API pods run on the node that has the volume; ReadWriteMany lets
	// them run anywhere.
	// +optional
	// +kubebuilder:default=ReadWriteOnce
	// +kubebuilder:validation:Enum=ReadWriteOnce;ReadWriteMany
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="accessMode cannot be changed: a volume keeps it; add another store and copy the images"
	// +kubebuilder:validation:MaxLength=16
	AccessMode string `json:"accessMode,omitempty"`
}

// GlanceStatus tells what the image service is.
type GlanceStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
}

// Glance is the image service of an OpenStack: what disks of servers are made from.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=gl,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 40",message="the name begins the names of the service's objects: at most 40 lower-case letters, digits and dashes, beginning with a letter"
type Glance struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which image service is wanted.
	Spec GlanceSpec `json:"spec"`
	// Status tells what the image service is.
	// +optional
	Status GlanceStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (g *Glance) KitStatus() *owner.Status { return &g.Status.Status }

// Paused tells whether a person stopped all changes.
func (g *Glance) Paused() bool { return g.Spec.Paused }

// Common returns what every service takes.
func (g *Glance) Common() *CommonSpec { return &g.Spec.CommonSpec }

// Service returns what every service tells.
func (g *Glance) Service() *ServiceStatus { return &g.Status.ServiceStatus }

// GlanceList is a list of Glance.
// +kubebuilder:object:root=true
type GlanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Glance `json:"items"`
}
