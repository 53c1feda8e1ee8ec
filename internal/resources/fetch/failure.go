package fetch

import "fmt"

// Failure is why data cannot be had.
type Failure struct {
	// Reason is that of the condition.
	Reason string
	// Message is a sentence for people, without credentials.
	Message string
	// Lasting failures do not go away by themselves.
	Lasting bool
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// refused is a failure that lasts.
func refused(reason, format string, args ...any) *Failure {
	return &Failure{Reason: reason, Message: fmt.Sprintf(format, args...), Lasting: true}
}

// failed is a failure that may go away.
func failed(format string, args ...any) *Failure {
	return &Failure{Reason: "SourceUnavailable", Message: fmt.Sprintf(format, args...)}
}
