package rabbitmq

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stackwright.dev/stackwright/internal/agent/member"
)

// api answers as the management API of a broker does, by the path.
type api map[string]string

func (a api) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(r.URL.Path, "/api/")
	body, code := a[path], http.StatusOK
	if strings.Contains(body, `"status":"failed"`) {
		code = http.StatusServiceUnavailable
	}
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// A broker without room or memory stops publishers only, so it serves, with an alarm. Anything else that a check finds
// keeps it from serving.
func TestObserveAlarms(t *testing.T) {
	alarm := func(resources ...string) string {
		var list []string
		for _, r := range resources {
			list = append(list, `{"node":"rabbit@mq-1","resource":"`+r+`"}`)
		}
		return `{"status":"failed","reason":"There are alarms in effect on the node","alarms":[` +
			strings.Join(list, ",") + `]}`
	}
	const ok = `{"status":"ok"}`
	for name, c := range map[string]struct {
		listener, alarms string
		want             member.Service
	}{
		"none": {ok, ok, member.Service{}},
		"disk": {ok, alarm("disk space"), member.Service{Alarms: []member.Alarm{member.Disk}}},
		"both": {ok, alarm("memory", "disk space"), member.Service{Alarms: []member.Alarm{member.Disk,
			member.Memory}}},
		"descriptors": {ok, alarm("file descriptors"), member.Service{Why: "the broker runs short of file descriptors"}},
		"all": {ok, alarm("file descriptors", "memory"), member.Service{Alarms: []member.Alarm{member.Memory},
			Why: "the broker runs short of file descriptors"}},
		"unknown": {ok, alarm(), member.Service{Why: "There are alarms in effect on the node"}},
		"no listener": {`{"status":"failed","reason":"No active listener"}`, alarm("memory"),
			member.Service{Why: "No active listener"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.want.Running, c.want.Version = []string{"mq-1"}, "4.0.5"
			term := &term{Agent: &Agent{cfg: config(t)}}
			term.door = newDoor("secret")
			term.door.http.Transport = api{
				"nodes":                            `[{"name":"` + term.cfg.node("mq-1") + `","running":true}]`,
				"overview":                         `{"rabbitmq_version":"4.0.5"}`,
				"health/checks/port-listener/5671": c.listener, "health/checks/local-alarms": c.alarms,
			}
			got, _, err := term.observe(t.Context())
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("the state differs (-want +got), %v:\n%s", err, diff)
			}
			state := member.State{Phase: member.Running, Service: got}
			if state.Serves() != (c.want.Why == "") {
				t.Errorf("it serves: %t", state.Serves())
			}
		})
	}
}
