package service

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"stackwright.dev/kit/step"
)

// annotationReplicas of a Deployment says who sets its number of replicas while an autoscaler targets it: the operator,
// as long as it is the number that the annotation has, or the autoscaler.
const (
	annotationReplicas = "service.stackwright.dev/replicas"
	autoscaled         = "autoscaler"
)

// seesItself lets a step look at what it made. It is no step.Sees, as no step comes after itself.
func seesItself[T Object](s *step.Step[T]) { s.Sees = append(s.Sees, s.Name) }

// replicas are how many pods the API gets, nil when an autoscaler says that, and who says it; nobody does without one.
//
// What only the operator sets and then leaves out is 1 until the autoscaler looks, 15 s later. So the number stays as
// it is until the autoscaler has set another one, which takes the field away from the operator, and only then is it
// left out. The object counts again when the autoscaler is gone, and while there are no pods: autoscalers leave alone
// what has none.
func (s Service[T]) replicas(sc *step.Scope[T]) (number *int32, by string) {
	own := int32(1)
	if r := sc.Owner().Common().Replicas; r != nil {
		own = *r
	}
	if !s.targeted(sc) {
		return &own, ""
	}
	d, ok := sc.Child(StepAPI, "Deployment", apiName(sc.Owner())).(*appsv1.Deployment)
	if !ok || d.Spec.Replicas == nil {
		return &own, strconv.Itoa(int(own))
	}
	now := *d.Spec.Replicas
	text := strconv.Itoa(int(now))
	if by = d.Annotations[annotationReplicas]; by != "" && by != text {
		return nil, autoscaled
	}
	if now == 0 {
		return &own, strconv.Itoa(int(own))
	}
	return &now, text
}

// targeted tells whether an autoscaler is there for the API.
func (s Service[T]) targeted(sc *step.Scope[T]) bool {
	h, ok := sc.Get(RefAutoscaler).(*autoscalingv2.HorizontalPodAutoscaler)
	return ok && h.Spec.ScaleTargetRef.Kind == "Deployment" && h.Spec.ScaleTargetRef.Name == apiName(sc.Owner())
}
