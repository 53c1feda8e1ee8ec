package bus_test

import (
	"testing"

	"stackwright.dev/stackwright/internal/openstack/bus"
)

func TestDecode(t *testing.T) {
	for name, c := range map[string]struct {
		body, want string
		ok         bool
	}{
		"envelope": {`{"oslo.version": "2.0", "oslo.message": "{\"event_type\": \"identity.user.updated\"}"}`,
			"identity.user.updated", true},
		"no envelope":         {`{"event_type": "port.create.end", "payload": {}}`, "port.create.end", true},
		"a call":              {`{"oslo.version": "2.0", "oslo.message": "{\"method\": \"ping\"}"}`, "", false},
		"no JSON":             {`<html>`, "", false},
		"no JSON inside":      {`{"oslo.version": "2.0", "oslo.message": "<html>"}`, "", false},
		"a type of its own":   {`{"event_type": 7}`, "", false},
		"an envelope of more": {`{"oslo.message": "{\"oslo.message\": \"{}\"}"}`, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			if e, ok := bus.Decode([]byte(c.body)); e.Type != c.want && ok || ok != c.ok {
				t.Errorf("Decode = %q, %t, want %q, %t", e.Type, ok, c.want, c.ok)
			}
		})
	}
}

func TestPrefixes(t *testing.T) {
	var got []string
	bus.Event{Type: "identity.role_assignment.created"}.Prefixes(func(p string) bool {
		got = append(got, p)
		return true
	})
	if len(got) != 3 || got[1] != "identity.role_assignment" || got[2] != "identity" {
		t.Errorf("the prefixes are %q", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"oslo.message": "{\"event_type\": \"a.b\"}"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if e, ok := bus.Decode(body); ok && e.Type == "" {
			t.Error("a notification without a type")
		}
	})
}
