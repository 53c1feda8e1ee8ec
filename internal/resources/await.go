package resources

import (
	"errors"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"
	"stackwright.dev/kit/owner"

	"stackwright.dev/stackwright/internal/openstack"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
)

// awaits turns a refusal into the wait that it means, if the kind knows it; nothing tells when that ends.
func awaits(sc *scope, k *d.Kind, err error) *outcome.Outcome {
	f, ok := errors.AsType[*openstack.Fault](err)
	if !ok {
		return nil
	}
	for _, a := range k.Awaits {
		if strings.Contains(f.Message, a.Says) {
			return outcome.Poll(soon(sc), a.What, "Waits until %s; see to it if nobody does. OpenStack says: %s",
				a.Until, f.Message)
		}
	}
	return nil
}

// soon is the pause before somebody is asked again who said no: the longer it has lasted, the longer it may last.
func soon(sc *scope) time.Duration {
	waited := time.Duration(0)
	s := sc.Owner().KitStatus().Find(stepResource)
	switch deleted := sc.Owner().GetDeletionTimestamp(); {
	case !deleted.IsZero():
		waited = sc.Now().Sub(deleted.Time)
	case s != nil && s.State == owner.StepWaiting:
		waited = sc.Now().Sub(s.Since.Time)
	}
	return min(max(quick, waited/4), longest)
}

// longest is the longest of these pauses.
const longest = 30 * time.Second
