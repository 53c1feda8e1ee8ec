// Package condition derives conditions from outcomes. Conditions are computed once per run, at its end, and a
// transition time moves only when a status does.
package condition

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The condition types that every owner has.
const (
	Ready       = "Ready"
	Reconciling = "Reconciling"
	Stalled     = "Stalled"
	Paused      = "Paused"
)

// Short names for the three statuses.
const (
	True    = metav1.ConditionTrue
	False   = metav1.ConditionFalse
	Unknown = metav1.ConditionUnknown
)

// Set puts a condition into the list and tells whether its status changed.
func Set(list *[]metav1.Condition, c metav1.Condition) bool {
	old := meta.FindStatusCondition(*list, c.Type)
	changed := old == nil || old.Status != c.Status
	c.Message = clip(c.Message)
	meta.SetStatusCondition(list, c)
	return changed
}

// Is tells whether a condition is true with that message.
func Is(list []metav1.Condition, t, message string) bool {
	c := meta.FindStatusCondition(list, t)
	return c != nil && c.Status == True && c.Message == message
}

// maxMessage is what the schema of metav1.Condition allows, in bytes.
const maxMessage = 32768

func clip(s string) string {
	if len(s) > maxMessage {
		return s[:maxMessage]
	}
	return s
}
