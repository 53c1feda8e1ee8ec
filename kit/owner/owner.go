// Package owner is what every object that a kit controller reconciles has in common: the Object interface and the
// Status that its CRD embeds. It imports apimachinery only, so that API packages can embed it.
package owner

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Object is a custom resource whose status embeds Status. It is client.Object plus one method.
type Object interface {
	metav1.Object
	runtime.Object
	// KitStatus returns the embedded Status, never nil.
	KitStatus() *Status
}

// Status is the part of a custom resource's status that the kit writes.
// +kubebuilder:object:generate=true
type Status struct {
	// ObservedGeneration is the metadata.generation that the conditions describe.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions tell the state of the object: Ready for the whole, one per step that names a condition.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=64
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps is the state of each step of the controller's graph.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=256
	Steps []Step `json:"steps,omitempty"`
	// Inventory lists the Kubernetes objects that the controller made for this object.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=2048
	Inventory []Item `json:"inventory,omitempty"`
	// Externals lists the resources outside of Kubernetes that steps of this object own or are about to create.
	// +optional
	// +listType=map
	// +listMapKey=step
	// +kubebuilder:validation:MaxItems=256
	Externals []External `json:"externals,omitempty"`
}

// StepState is the state of one step after its last evaluation.
type StepState string

// The states of a step.
const (
	// StepDone: outputs are applied and every gate is true.
	StepDone StepState = "Done"
	// StepWaiting: the step waits for the object or resource that WaitingFor names.
	StepWaiting StepState = "Waiting"
	// StepBlocked: a step that this one comes after is not done.
	StepBlocked StepState = "Blocked"
	// StepFailed: the last try ended in an error that is retried.
	StepFailed StepState = "Failed"
	// StepOff: the step is switched off by the object's spec.
	StepOff StepState = "Off"
)

// Step is the state of one step of the graph.
// +kubebuilder:object:generate=true
type Step struct {
	// Name of the step.
	// +kubebuilder:validation:MaxLength=128
	Name string `json:"name"`
	// State of the step after its last evaluation.
	// +kubebuilder:validation:MaxLength=16
	State StepState `json:"state"`
	// Fingerprint of the inputs of the last successful render, 16 hex digits.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Fingerprint string `json:"fingerprint,omitempty"`
	// Since is when the step came into its state.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// WaitingFor names what the step waits for: `Kind name` or the step that blocks it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	WaitingFor string `json:"waitingFor,omitempty"`
}

// Item is one Kubernetes object in the inventory.
// +kubebuilder:object:generate=true
type Item struct {
	// Step that made the object.
	// +kubebuilder:validation:MaxLength=128
	Step string `json:"step"`
	// Group of the object's kind, empty for the core group.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Group string `json:"group,omitempty"`
	// Kind of the object.
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`
	// Namespace of the object, empty for cluster-scoped kinds.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// UID of the object.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=64
	UID types.UID `json:"uid"`
	// Intent is the hash of what was applied, 16 hex digits.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Intent string `json:"intent,omitempty"`
	// Owned is the hash of the managed fields that the controller owns after the apply, 16 hex digits.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Owned string `json:"owned,omitempty"`
}

// External is one resource outside of Kubernetes.
// +kubebuilder:object:generate=true
type External struct {
	// Step that owns the resource.
	// +kubebuilder:validation:MaxLength=128
	Step string `json:"step"`
	// ID of the resource at its API, empty while it is only intended.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ID string `json:"id,omitempty"`
	// Marker that is put on the resource so that it can be found again.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Marker string `json:"marker,omitempty"`
	// Intent is the hash of the wanted state that was last written, 16 hex digits.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Intent string `json:"intent,omitempty"`
	// Operation that is in flight: Create, Update, Delete, or empty.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Operation string `json:"operation,omitempty"`
	// Since is when the operation began or the id was learnt.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
}

// Find returns the step with that name, or nil.
func (s *Status) Find(step string) *Step {
	for i := range s.Steps {
		if s.Steps[i].Name == step {
			return &s.Steps[i]
		}
	}
	return nil
}
