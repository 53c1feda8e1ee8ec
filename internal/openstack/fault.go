package openstack

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"stackwright.dev/kit/outcome"
)

// Class says what kind of failure a Fault is.
type Class int

// The classes of faults.
const (
	// Unknown is a failure that is nothing of what follows, such as an error inside the service.
	Unknown Class = iota
	// Invalid is a request or a configuration that a person has to change.
	Invalid
	// Conflict is an object that is used, exists already or is busy; Fault.Transitional tells the last apart.
	Conflict
	// Quota is a limit of the project that is reached.
	Quota
	// Auth is a credential that is wrong or lacks a right.
	Auth
	// NotFound is an object that the service says it does not have. An address where no OpenStack service answers is
	// Unavailable instead: taking that for an object that is gone would leak it.
	NotFound
	// RateLimited is a service that wants fewer requests.
	RateLimited
	// Unavailable is a service that does not answer, or is not there.
	Unavailable
)

// String returns the name of the class.
func (c Class) String() string {
	names := []string{"Unknown", "Invalid", "Conflict", "Quota", "Auth", "NotFound", "RateLimited", "Unavailable"}
	if c < 0 || int(c) >= len(names) {
		return names[Unknown]
	}
	return names[c]
}

// Fault is every error of this package. Its text is the same for the same failure and has no secret in it.
type Fault struct {
	Class Class
	// Service, Method and Path tell which request failed; they are empty for a configuration that is refused.
	Service, Method, Path string
	// Code is the HTTP status, zero when there was no answer.
	Code int
	// Message is what the service said, or what is wrong.
	Message string
	// RequestID finds the request in the logs of the service. It is not in the text, which would differ each time.
	RequestID string
	// RetryAfter is the pause that the service asked for, or after which a breaker lets requests through.
	RetryAfter time.Duration
	// Transitional marks a Conflict that goes away by itself once the service is done with what it does.
	Transitional bool

	cause error
	// trust says that the failure is about certificates, which differ between sessions of one cloud; advised, that Message
	// tells what to do.
	trust, advised bool
}

// Error returns a sentence for people.
func (f *Fault) Error() string {
	switch {
	case f.Method == "":
		return f.Message
	case f.Code == 0:
		return fmt.Sprintf("%s %s of service %s failed: %s", f.Method, f.Path, f.Service, f.Message)
	}
	return fmt.Sprintf("service %s answered %s %s with %d %s: %s", f.Service, f.Method, f.Path, f.Code,
		http.StatusText(f.Code), f.Message)
}

// Advice is what a person can do about it, empty when the text says so itself.
func (f *Fault) Advice() string {
	if f.Method == "" || f.advised {
		return ""
	}
	return map[Class]string{
		Unknown:     "it is tried again; see the log of the service",
		Invalid:     "correct what it names",
		Conflict:    "see what holds it; it is tried again",
		Quota:       "raise the quota, or delete what is not needed",
		Auth:        "correct the credentials, or give their user the right",
		NotFound:    "see whether somebody deletes it; it is tried again",
		RateLimited: "it is tried again when the service allows",
		Unavailable: "it is tried again; see why the service does not answer",
	}[f.Class]
}

// Unwrap returns the cause, for errors.Is with those of contexts.
func (f *Fault) Unwrap() error { return f.cause }

// Outcome returns the error that the kit understands.
func (f *Fault) Outcome() *outcome.Error {
	e := &outcome.Error{Class: f.Class.outcome(), RetryAfter: f.RetryAfter, Err: f}
	switch {
	case f.Class == NotFound:
		e.Reason = "NotFound"
	case f.Class == Conflict && !f.Transitional:
		// What is not merely busy stays as it is until somebody does something: it is asked less and less often.
		e.Class, e.Reason = outcome.Unknown, "Conflict"
	}
	if f.RequestID != "" {
		e.Detail = "request " + f.RequestID
	}
	return e
}

func (c Class) outcome() outcome.Class {
	switch c {
	case Invalid:
		return outcome.Invalid
	case Conflict:
		return outcome.Conflict
	case Quota:
		return outcome.Quota
	case Auth:
		return outcome.Denied
	case RateLimited:
		return outcome.RateLimited
	case Unavailable:
		return outcome.Unavailable
	}
	return outcome.Unknown
}

// Outcome returns what the kit understands of any error.
func Outcome(err error) error {
	if f, ok := errors.AsType[*Fault](err); ok {
		o := f.Outcome()
		o.Err = err
		if do := f.Advice(); do != "" {
			o.Err = advised{err, do}
		}
		return o
	}
	return err
}

// advised is an error with what to do about it, in one sentence.
type advised struct {
	error
	do string
}

func (a advised) Error() string { return strings.TrimSuffix(a.error.Error(), ".") + "; " + a.do }

func (a advised) Unwrap() error { return a.error }

// ClassOf returns the class of an error, Unknown when it is none of this package.
func ClassOf(err error) Class {
	if f, ok := errors.AsType[*Fault](err); ok {
		return f.Class
	}
	return Unknown
}

// refuse is a fault of an input.
func refuse(format string, args ...any) *Fault {
	return &Fault{Class: Invalid, Message: fmt.Sprintf(format, args...)}
}
