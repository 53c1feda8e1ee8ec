package apply

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

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
	o := outcome.Fail(class(err), err)
	if s, ok := apierrors.SuggestsClientDelay(err); ok {
		o.After = time.Duration(s) * time.Second
	}
	return o
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
