package resources

import (
	"fmt"
	"strings"

	"stackwright.dev/stackwright/internal/openstack"
)

// advised is an error with what a person can do about it.
type advised struct {
	error
	advice string
}

// Error joins both to a sentence, also where the error ends like one.
func (a advised) Error() string { return strings.TrimSuffix(a.error.Error(), ".") + "; " + a.advice }

// Unwrap returns the error.
func (a advised) Unwrap() error { return a.error }

// advise adds advice to a creation that was refused.
func (t *target) advise(err error) error {
	switch openstack.ClassOf(err) {
	case openstack.Quota:
		return advised{err, fmt.Sprintf("raise the quota, or delete what is not needed: the %s is made once there is room",
			t.kind.Name)}
	case openstack.Conflict:
		there, lost := t.find(func(seen map[string]any) bool { return sameKey(t.kind, t.wanted, seen) })
		if lost == nil && len(there) == 1 {
			return advised{err, there[0].ID + " is there with what is declared: declare something else, or set spec.policy to " +
				"adopt, which takes it over if it belongs to no other object"}
		}
	}
	return err
}
