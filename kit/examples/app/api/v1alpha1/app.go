// Package v1alpha1 has the App kind of the example operator.
//
// +kubebuilder:object:generate=true
// +groupName=example.kit.stackwright.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit/owner"
)

// GroupVersion of the example's API.
var GroupVersion = schema.GroupVersion{Group: "example.kit.stackwright.dev", Version: "v1alpha1"}

// AddToScheme adds the example's kinds to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &App{}, &AppList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

// App is a web application with a database password, a migration and an account at a directory service.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type App struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec is what is wanted.
	Spec AppSpec `json:"spec"`
	// Status is what is seen.
	// +optional
	Status AppStatus `json:"status,omitzero"`
}

// AppSpec is what is wanted.
type AppSpec struct {
	// Image of the application.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=255
	Image string `json:"image"`
	// Replicas of the application.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Replicas int32 `json:"replicas"`
	// PasswordSecret names the Secret whose key `password` the application uses.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	PasswordSecret string `json:"passwordSecret"`
	// Directory is the URL of the directory service at which the application has an account.
	// +kubebuilder:validation:MaxLength=1024
	Directory string `json:"directory"`
	// Public makes a Service for the application.
	// +optional
	Public bool `json:"public,omitempty"`
}

// AppStatus is what is seen.
type AppStatus struct {
	owner.Status `json:",inline"`
}

// KitStatus returns the embedded status.
func (a *App) KitStatus() *owner.Status { return &a.Status.Status }

// AppList is a list of Apps.
//
// +kubebuilder:object:root=true
type AppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []App `json:"items"`
}
