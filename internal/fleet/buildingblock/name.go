package buildingblock

import (
	"fmt"
	"strings"

	"stackwright.dev/kit/apply"
	"stackwright.dev/kit/outcome"
)

// taken refuses a name that an object of another operator has, as its Secret of a name of the block's shows: each of
// the two would take it from the other for ever. A NovaCell has three of them.
func taken(s *scope, ref string) error {
	o := s.Get(ref)
	if o == nil {
		return nil
	}
	by := o.GetLabels()[apply.LabelController]
	if by == "" || by == operator {
		return nil
	}
	_, whose, _ := strings.Cut(o.GetAnnotations()[apply.AnnotationOwner], "/")
	return &outcome.Error{Class: outcome.Invalid, Reason: "NameTaken", Err: fmt.Errorf("the Secret %s belongs to %s of "+
		"operator %s, and the names of their objects are the same; make a BuildingBlock of another name", o.GetName(), whose,
		by)}
}
