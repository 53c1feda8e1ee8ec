// Package outcome is what a step returns: done, waiting for something, or failed with a class of error.
package outcome

import (
	"errors"
	"fmt"
	"time"
)

// State says which of the three an outcome is.
type State int

// The states of an outcome, best first.
const (
	StateDone State = iota
	StateWaiting
	StateFailed
)

// Class says what kind of failure an outcome is; it decides the condition's reason and when to try again.
type Class int

// The classes of failure.
const (
	// Unknown is an error nobody classified.
	Unknown Class = iota
	// Invalid is an input that a person has to change.
	Invalid
	// Conflict is a lost race or an object that somebody else owns.
	Conflict
	// Quota is a limit that is reached.
	Quota
	// Denied is a missing right or a wrong credential.
	Denied
	// RateLimited is an API that asks to come back later.
	RateLimited
	// Unavailable is an API that does not answer or answers 5xx.
	Unavailable
	// Panicked is a step whose code panicked.
	Panicked
)

// String returns the condition reason of the class.
func (c Class) String() string {
	switch c {
	case Invalid:
		return "InvalidSpec"
	case Conflict:
		return "Conflict"
	case Quota:
		return "QuotaExceeded"
	case Denied:
		return "Denied"
	case RateLimited:
		return "RateLimited"
	case Unavailable:
		return "Unavailable"
	case Panicked:
		return "Panicked"
	default:
		return "Error"
	}
}

// Outcome is the result of one step. A nil *Outcome means done.
type Outcome struct {
	State State
	Class Class
	// Reason overrides the condition reason that follows from State and Class.
	Reason string
	// On names what is waited for: `Kind name`, or free text. Empty unless waiting.
	On string
	// Message is a sentence for people that is the same in two runs of the same state and ends in what to do next.
	Message string
	// After asks to look again after that time although nothing may have changed; zero leaves it to events and backoff.
	After time.Duration
	// Ends is when what a person gave is of no use any more, such as a certificate; zero when that is never. The metrics
	// tell it, as of what the operator renews itself.
	Ends time.Time
	// Detail helps to look further and differs each time, such as the id of a request: for events and the log only.
	Detail string
	// Err is the cause of a failure, for the log.
	Err error
}

// Done is the outcome of a step whose work is complete.
func Done() *Outcome { return nil }

// Wait is the outcome of a step that needs something which will wake the owner when it changes.
// on names it (`Secret keystone-admin`); the message says what to do if it never comes.
func Wait(on, format string, args ...any) *Outcome {
	return &Outcome{State: StateWaiting, On: on, Message: fmt.Sprintf(format, args...)}
}

// Poll is Wait for something that cannot wake the owner; it is looked at again after d.
func Poll(d time.Duration, on, format string, args ...any) *Outcome {
	o := Wait(on, format, args...)
	o.After = d
	return o
}

// Fail is the outcome of a step that ended in an error. A nil error is Done.
func Fail(c Class, err error) *Outcome {
	if err == nil {
		return nil
	}
	return &Outcome{State: StateFailed, Class: c, Message: err.Error(), Err: err}
}

// Refuse is a failure of class Invalid with its own condition reason: a person has to change an input.
func Refuse(reason, format string, args ...any) *Outcome {
	return &Outcome{State: StateFailed, Class: Invalid, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Ready tells whether the outcome is done. It is true for nil.
func (o *Outcome) Ready() bool { return o == nil || o.State == StateDone }

// Delay returns After, 0 for nil.
func (o *Outcome) Delay() time.Duration {
	if o == nil {
		return 0
	}
	return o.After
}

// Error is an error that carries a class, for functions that return errors rather than outcomes.
type Error struct {
	Class  Class
	Reason string
	// RetryAfter is the pause the other side asked for, zero when it did not.
	RetryAfter time.Duration
	// Detail is Outcome.Detail.
	Detail string
	Err    error
}

// Error returns the text of the wrapped error.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// Invalidf is an error of class Invalid: retried only when an input changes.
func Invalidf(format string, args ...any) error {
	return &Error{Class: Invalid, Err: fmt.Errorf(format, args...)}
}

// Missing is an error that a render function returns when an input does not have what it needs yet; the step waits.
type Missing struct{ On, Message string }

// Error returns the message.
func (m *Missing) Error() string { return m.Message }

// FromError turns an error into an outcome by the class it carries; nil is Done.
func FromError(err error) *Outcome {
	if err == nil {
		return nil
	}
	if m, ok := errors.AsType[*Missing](err); ok {
		return Wait(m.On, "%s", m.Message)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		o := Fail(e.Class, err)
		o.Reason, o.After, o.Detail = e.Reason, e.RetryAfter, e.Detail
		return o
	}
	return Fail(Unknown, err)
}
