package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/owner"
)

// HorizonSpec says which dashboard is wanted.
type HorizonSpec struct {
	RunSpec `json:",inline"`

	// Keystone names the Keystone whose users log in. The dashboard finds all other services in its catalog.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Keystone string `json:"keystone"`
	// Memcached names the Memcached that keeps the sessions of users, spread over its servers.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Memcached string `json:"memcached"`
	// Services are those beside Keystone that the dashboard knows policies of: it shows users what they may do there, and
	// hides the rest. What Keystone's catalog does not have is not shown at all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	Services []HorizonService `json:"services,omitempty"`
	// Branding is how the dashboard looks.
	// +optional
	Branding HorizonBranding `json:"branding,omitzero"`
	// Settings of Horizon and of Django by their names, such as SESSION_TIMEOUT: 7200. A value is any JSON. Settings that
	// the operator gives itself, such as SECRET_KEY, are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=128
	Settings map[string]Value `json:"settings,omitempty"`
}

// HorizonService is a service that a dashboard knows policies of.
// +kubebuilder:validation:Enum=cinder;glance;heat;neutron;nova
// +kubebuilder:validation:MaxLength=16
type HorizonService string

// HorizonBranding is how a dashboard looks.
type HorizonBranding struct {
	// SiteTitle is in the title of all pages; OpenStack Dashboard when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	SiteTitle string `json:"siteTitle,omitempty"`
	// SiteLink is where the logo leads, such as https://example.org/; the user's first page when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^\\\\s<>\"]+$')",message="use a URL with http or https, such as https://example.org/"
	SiteLink string `json:"siteLink,omitempty"`
	// Logos names a ConfigMap with pictures by their names: logo.svg is on all pages, logo-splash.svg on the one where
	// users log in, favicon.ico on the tab of the browser. Those that it does not have stay as they are.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Logos string `json:"logos,omitempty"`
}

// HorizonStatus tells what the dashboard is.
type HorizonStatus struct {
	owner.Status  `json:",inline"`
	ServiceStatus `json:",inline"`
}

// Horizon is the dashboard of an OpenStack: its users log in with a browser.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:shortName=hz,categories=openstack;stackwright
// +kubebuilder:printcolumn:name="READY",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="REASON",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="PODS",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="PUBLIC",type=string,JSONPath=`.status.endpoints.public`
// +kubebuilder:printcolumn:name="AGE",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$') && size(self.metadata.name) <= 38",message="the name begins the names of the service's objects: at most 38 lower-case letters, digits and dashes, beginning with a letter"
type Horizon struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says which dashboard is wanted.
	Spec HorizonSpec `json:"spec"`
	// Status tells what the dashboard is.
	// +optional
	Status HorizonStatus `json:"status,omitzero"`
}

// KitStatus returns the part of the status that the kit writes.
func (h *Horizon) KitStatus() *owner.Status { return &h.Status.Status }

// Paused tells whether a person stopped all changes.
func (h *Horizon) Paused() bool { return h.Spec.Paused }

// Common returns what every service takes; options of oslo.config are not among it.
func (h *Horizon) Common() *CommonSpec { return &CommonSpec{RunSpec: h.Spec.RunSpec} }

// Service returns what every service tells.
func (h *Horizon) Service() *ServiceStatus { return &h.Status.ServiceStatus }

// HorizonList is a list of Horizon.
// +kubebuilder:object:root=true
type HorizonList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Horizon `json:"items"`
}
