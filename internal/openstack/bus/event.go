package bus

import (
	"encoding/json"
	"strings"
)

// Event is a notification.
type Event struct {
	// Type such as identity.project.updated or port.create.end.
	Type string
	// Message is the whole of it, as JSON without the envelope.
	Message string
}

// Decode opens a message of format 2.0, in an envelope, or 1.0, without one. It is false for what is no notification.
func Decode(body []byte) (Event, bool) {
	var m struct {
		Inner string `json:"oslo.message"`
		Type  string `json:"event_type"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return Event{}, false
	}
	if m.Inner == "" {
		return Event{m.Type, string(body)}, m.Type != ""
	}
	inner := m.Inner
	if err := json.Unmarshal([]byte(inner), &m); err != nil {
		return Event{}, false
	}
	return Event{m.Type, inner}, m.Type != ""
}

// Ahead tells that nothing has changed yet: another notification follows.
func (e Event) Ahead() bool { return strings.HasSuffix(e.Type, ".start") }

// Deletion tells that something is gone.
func (e Event) Deletion() bool { return strings.Contains(e.Type, ".delete") }

// Prefixes calls f with the type and each prefix of it that ends before a dot, longest first, until it returns false.
func (e Event) Prefixes(f func(string) bool) {
	for p := e.Type; ; {
		if !f(p) {
			return
		}
		i := strings.LastIndexByte(p, '.')
		if i < 0 {
			return
		}
		p = p[:i]
	}
}

// Names tells whether the notification has that id in it.
func (e Event) Names(id string) bool { return id != "" && strings.Contains(e.Message, id) }
