package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/kit/condition"
	"stackwright.dev/kit/owner"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// Readiness is what an object's condition Ready says, or Paused.
type Readiness struct {
	Ready   bool        `json:"ready"`
	Reason  string      `json:"reason,omitempty"`
	Message string      `json:"message,omitempty"`
	Since   metav1.Time `json:"since,omitzero"`
}

// word is the readiness for the eye.
func (r *Readiness) word() string {
	if r.Reason == condition.Paused {
		return "paused"
	}
	return yesNo(r.Ready)
}

// survey is the state of a control plane at one moment; without a name that of the objects that stand alone in a
// namespace.
type survey struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name,omitempty"`
	Release   string `json:"release,omitempty"`
	OpenStack string `json:"openstack,omitempty"`
	Size      string `json:"size,omitempty"`
	Readiness `json:",inline"`
	// Steps of the control plane's own that wait for something, or failed; not those that wait for one of Services.
	Steps    []stepState    `json:"steps,omitempty"`
	Services []serviceState `json:"services"`
	// Blocks of hosts in the cells of the control plane.
	Blocks    []blockState              `json:"blocks,omitempty"`
	Endpoints []controlplanev1.Endpoint `json:"endpoints,omitempty"`
	Clouds    string                    `json:"clouds,omitempty"`
}

// serviceState is the state of one part of a control plane: an object that its operator wrote, or is still to write.
type serviceState struct {
	Name string `json:"name"`
	// ToCome tells that there is no object yet.
	ToCome    bool   `json:"toCome,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Object    string `json:"object,omitempty"`
	Readiness `json:",inline"`
	// Steps that wait for something, or failed; also those of the objects below, which have its kind and name in front.
	Steps []stepState `json:"steps,omitempty"`
	// Pods that are ready, and pods that are wanted.
	PodsReady int32 `json:"podsReady"`
	Pods      int32 `json:"pods"`
}

// versionOf are the versions of our API groups: an inventory names groups only.
const versionOf = "v1alpha1"

func ours(group string) bool { return strings.HasSuffix(group, ".stackwright.dev") }

// look takes a survey of a control plane.
func look(ctx context.Context, c client.Reader, o *controlplanev1.OpenStackControlPlane) (*survey, error) {
	s := &survey{Namespace: o.Namespace, Name: o.Name, Release: o.Status.Release, OpenStack: o.Status.OpenStack,
		Size: string(o.Spec.Size), Endpoints: o.Status.Endpoints, Clouds: o.Status.Clouds}
	s.Readiness = verdict(&o.Status.Status, o.Generation)
	states, err := lookAtAll(ctx, c, o.Status.Inventory)
	if err != nil {
		return nil, err
	}
	for i, item := range o.Status.Inventory {
		state := states[i]
		if state == nil {
			continue
		}
		state.Name = strings.TrimPrefix(item.Name, o.Name+"-")
		if item.Group == openstackv1.GroupVersion.Group {
			if state.Ready {
				continue // what services keep in the cloud itself is of interest when something is wrong with it
			}
			state.Name = strings.ToLower(item.Kind) + " " + state.Name
		}
		s.Services = append(s.Services, *state)
	}
	s.plan(o)
	slices.SortStableFunc(s.Services, func(a, b serviceState) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// lookAtAll reads objects, all at the same time; nil is what has no state of its own, or is not there.
func lookAtAll(ctx context.Context, c client.Reader, items []owner.Item) ([]*serviceState, error) {
	states, errs := make([]*serviceState, len(items)), make([]error, len(items))
	var wg sync.WaitGroup
	for i := range items {
		wg.Go(func() { states[i], errs[i] = lookAt(ctx, c, items[i]) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return states, nil
}

// lookAt reads one object.
func lookAt(ctx context.Context, c client.Reader, item owner.Item) (*serviceState, error) {
	state := &serviceState{Kind: item.Kind, Object: item.Name}
	switch {
	case ours(item.Group):
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(schema.GroupVersionKind{Group: item.Group, Version: versionOf, Kind: item.Kind})
		if err := c.Get(ctx, client.ObjectKey{Namespace: item.Namespace, Name: item.Name}, u); err != nil {
			return nil, absent(err, item)
		}
		st := kitStatus(u)
		state.Readiness = verdict(st, u.GetGeneration())
		below, err := openBelow(ctx, c, st)
		if err != nil {
			return nil, err
		}
		state.Steps = append(open(st), below...)
		for _, child := range st.Inventory {
			if _, err := state.count(ctx, c, child); err != nil {
				return nil, err
			}
		}
	case runsPods(item):
		if _, err := state.count(ctx, c, item); err != nil {
			return nil, err
		}
		state.Ready = state.Pods > 0 && state.PodsReady >= state.Pods
	default:
		return nil, nil
	}
	return state, nil
}

// runsPods tells of a workload whose pods are counted.
func runsPods(item owner.Item) bool {
	return item.Group == appsv1.GroupName && (item.Kind == "Deployment" || item.Kind == "StatefulSet")
}

// count adds the pods of a workload, and tells whether it is there. What is no workload is not looked for.
func (s *serviceState) count(ctx context.Context, c client.Reader, item owner.Item) (there bool, err error) {
	if !runsPods(item) {
		return true, nil
	}
	key := client.ObjectKey{Namespace: item.Namespace, Name: item.Name}
	if item.Kind == "Deployment" {
		d := &appsv1.Deployment{}
		if err := c.Get(ctx, key, d); err != nil {
			return false, absent(err, item)
		}
		s.add(d.Spec.Replicas, d.Status.ReadyReplicas)
		return true, nil
	}
	d := &appsv1.StatefulSet{}
	if err := c.Get(ctx, key, d); err != nil {
		return false, absent(err, item)
	}
	s.add(d.Spec.Replicas, d.Status.ReadyReplicas)
	return true, nil
}

func (s *serviceState) add(want *int32, ready int32) {
	s.PodsReady += ready
	if want == nil {
		s.Pods++
		return
	}
	s.Pods += *want
}

// absent lets objects pass that went away while we looked.
func absent(err error, item owner.Item) error {
	if client.IgnoreNotFound(err) == nil {
		return nil
	}
	return fmt.Errorf("reading %s %s: %w", item.Kind, item.Name, err)
}

func kitStatus(u *unstructured.Unstructured) *owner.Status {
	st := &owner.Status{}
	if m, ok, err := unstructured.NestedMap(u.Object, "status"); ok && err == nil {
		if runtime.DefaultUnstructuredConverter.FromUnstructured(m, st) != nil {
			return &owner.Status{}
		}
	}
	return st
}

// paused is the condition of an object that its operator leaves alone, nil of another.
func paused(st *owner.Status) *metav1.Condition {
	if c := meta.FindStatusCondition(st.Conditions, condition.Paused); c != nil && c.Status == condition.True {
		return c
	}
	return nil
}

// verdict reads Ready; a verdict on an older generation is none. What Ready says of a paused object was so before the
// pause, and nobody looks whether it still is.
func verdict(st *owner.Status, generation int64) Readiness {
	if c := paused(st); c != nil {
		return Readiness{Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime}
	}
	for _, c := range st.Conditions {
		if c.Type != "Ready" {
			continue
		}
		if st.ObservedGeneration != generation {
			return Readiness{Reason: "NotObserved", Message: "The last change has not been looked at yet."}
		}
		return Readiness{c.Status == metav1.ConditionTrue, c.Reason, c.Message, c.LastTransitionTime}
	}
	return Readiness{Reason: "NotObserved", Message: "No operator has looked at it yet."}
}
