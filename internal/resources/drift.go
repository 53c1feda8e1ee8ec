package resources

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"stackwright.dev/kit/step"

	"stackwright.dev/stackwright/internal/resources/body"
)

// drifts counts what was changed behind our back, once, and tells whether this is it. What differs because the object
// was changed, or was never as declared, is no drift.
func (c *controller) drifts(sc *scope, t *target, found []body.Difference) bool {
	o := sc.Owner()
	synced := meta.FindStatusCondition(o.Observed().Conditions, conditionSynced)
	if len(found) == 0 || synced == nil || synced.Status != metav1.ConditionTrue ||
		synced.ObservedGeneration != o.GetGeneration() {
		return false
	}
	known := make([]string, 0, len(o.Observed().Drift))
	for _, x := range o.Observed().Drift {
		known = append(known, x.Path)
	}
	if !slices.Equal(known, paths(found)) {
		t.meter.found.Inc()
	}
	return true
}

// corrected counts and tells a correction.
func (c *controller) corrected(sc *scope, t *target, what []body.Difference) {
	t.meter.corrected.Inc()
	sc.Tell(step.Note{Warning: true, Reason: "DriftCorrected", Message: "The " + t.kind.Name + " was changed outside: " +
		strings.Join(paths(what), ", ") + ". It is as declared again."})
}

// reasonGone is the reason of conditions, and of an event by that, when a resource was deleted outside.
const reasonGone = "DeletedOutside"

// missed counts a resource that was deleted behind our back and is made again.
func (c *controller) missed(t *target) {
	t.meter.found.Inc()
	t.meter.corrected.Inc()
}

func paths(found []body.Difference) []string {
	out := make([]string, 0, len(found))
	for _, x := range found {
		out = append(out, x.Field.Spec())
	}
	return out
}
