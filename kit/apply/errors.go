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
	do := remedies[c]
	if unserved(err) {
		c, do = outcome.Unavailable, "install the CustomResourceDefinition of the kind"
	}
	o := outcome.Fail(c, fmt.Errorf("%w; %s", err, do))
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

// unserved tells whether the API server does not know the kind that a request was about.
func unserved(err error) bool {
	return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) &&
		strings.Contains(err.Error(), "could not find the requested resource")
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
		apierrors.IsInternalError(err), apierrors.IsNotFound(err), errors.Is(err, context.DeadlineExceeded):
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
