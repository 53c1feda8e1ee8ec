package apply

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"stackwright.dev/kit/outcome"
)

// Classify turns an error of the API server into an outcome; nil is done.
func Classify(err error) *outcome.Outcome {
	if err == nil {
		return nil
	}
	if o := outcome.FromError(err); o.State != outcome.StateFailed || o.Class != outcome.Unknown {
		return o
	}
	c := class(err)
	o := outcome.Fail(c, fmt.Errorf("%w; %s", err, remedy(c, err)))
	if s, ok := apierrors.SuggestsClientDelay(err); ok {
		o.After = time.Duration(s) * time.Second
	}
	return o
}

// remedies are what a person can do about a request that the API server did not carry out.
var remedies = map[outcome.Class]string{
	outcome.Invalid:     "correct what the message names",
	outcome.Conflict:    "it is tried again",
	outcome.Quota:       "raise the ResourceQuota, or delete what it counts",
	outcome.Denied:      "give the operator that right, or correct what the message names",
	outcome.RateLimited: "it is tried again when the API server allows",
	outcome.Unavailable: "it is tried again; see whether the message names something that is missing",
	outcome.Unknown:     "it is tried again; see the log of the operator",
}

// refusals are what the API server says of some requests, of a class or, where that is Unknown, of any, and what a
// person can do about them.
var refusals = []struct {
	class    outcome.Class
	says, do string
}{
	{outcome.Unavailable, "could not find the requested resource", "install the CustomResourceDefinition of the kind"},
	{outcome.Unavailable, "no matches for kind", "install the CustomResourceDefinition of the kind"},
	{outcome.Unavailable, `namespaces "`, "create the namespace that the message names"},
	{outcome.Denied, "because it is being terminated", "wait until the namespace is gone, or use another namespace"},
	{outcome.Denied, "in API group", "give the operator the right that it names, as the ClusterRole of its chart does"},
	{outcome.Unknown, "field not declared in schema", "apply the CustomResourceDefinitions of the operator's version"},
	{outcome.Unknown, "denied request",
		"correct the object, or ask whoever keeps the admission policy that the message names"},
}

func remedy(c outcome.Class, err error) string {
	for _, r := range refusals {
		if (r.class == c || r.class == outcome.Unknown) && strings.Contains(err.Error(), r.says) {
			return r.do
		}
	}
	return remedies[c]
}

func class(err error) outcome.Class {
	switch {
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err):
		return outcome.Invalid
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return outcome.Conflict
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "exceeded quota"):
		return outcome.Quota
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return outcome.Denied
	case apierrors.IsTooManyRequests(err):
		return outcome.RateLimited
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsServiceUnavailable(err),
		apierrors.IsInternalError(err), apierrors.IsNotFound(err), meta.IsNoMatchError(err),
		errors.Is(err, context.DeadlineExceeded):
		return outcome.Unavailable
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return outcome.Unavailable
	}
	return outcome.Unknown
}

// Immutable tells whether the API server refused a change because the field cannot change.
func Immutable(err error) bool {
	if !apierrors.IsInvalid(err) {
		return false
	}
	t := err.Error()
	return strings.Contains(t, "field is immutable") || strings.Contains(t, "may not change once set") ||
		strings.Contains(t, "updates to statefulset spec for fields other than")
}
