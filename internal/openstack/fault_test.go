package openstack

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/outcome"
)

// answers are what services of current releases say.
var answers = map[string]struct {
	code         int
	body         string
	class        Class
	transitional bool
	message      string
}{
	// The eight services and more that say "quota" in five ways.
	"neutron quota": {409, `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['network'].", "detail": ""}}`,
		Quota, false, "Quota exceeded for resources: ['network']."},
	"neutron policy quota": {409, `{"NeutronError": {"type": "OverQuota", "message": "Quota exceeded for resources: ['rbac_policy']."}}`,
		Quota, false, "Quota exceeded for resources: ['rbac_policy']."},
	"nova quota": {403, `{"forbidden": {"code": 403, "message": "Quota exceeded for instances: Requested 1, but already used 10 of 10 instances"}}`,
		Quota, false, "Quota exceeded for instances: Requested 1, but already used 10 of 10 instances"},
	"nova old quota": {413, `{"overLimit": {"code": 413, "message": "Quota exceeded for cores", "retryAfter": 0}}`,
		Quota, false, "Quota exceeded for cores"},
	"nova unified limits": {403, `{"forbidden": {"message": "Resource servers is over limit of 10 due to current usage 10 and delta 1."}}`,
		Quota, false, "Resource servers is over limit of 10 due to current usage 10 and delta 1."},
	"cinder quota": {413, `{"overLimit": {"code": 413, "message": "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'."}}`,
		Quota, false, "VolumeLimitExceeded: Maximum number of volumes allowed (10) exceeded for quota 'volumes'."},
	"manila quota": {413, `{"overLimit": {"message": "Requested share exceeds allowed gigabytes quota."}}`,
		Quota, false, "Requested share exceeds allowed gigabytes quota."},
	"designate quota": {413, `{"code": 413, "type": "over_quota", "message": "Quota exceeded for zones."}`, Quota, false, "Quota exceeded for zones."},
	"glance quota": {413, `<html><head><title>413 Request Entity Too Large</title></head><body><h1>413 Request Entity Too Large</h1>
		Denying attempt to upload image because it exceeds the quota.<br /><br /></body></html>`,
		Quota, false, "413 Request Entity Too Large Denying attempt to upload image because it exceeds the quota."},
	"octavia quota": {403, `{"faultcode": "Client", "faultstring": "Quota has been met for resources: L7policy", "debuginfo": null}`,
		Quota, false, "Quota has been met for resources: L7policy"},
	"barbican quota": {403, `{"code": 403, "title": "Forbidden", "description": "Quota reached for project p1. Only 5 secrets are allowed."}`,
		Quota, false, "Quota reached for project p1. Only 5 secrets are allowed."},
	"keystone quota": {403, `{"error": {"code": 403, "title": "Forbidden", "message": "Unable to create additional application credentials, maximum of 10 already exceeded for user."}}`,
		Quota, false, "Unable to create additional application credentials, maximum of 10 already exceeded for user."},
	"heat quota": {400, `{"explanation": "x", "code": 400, "error": {"type": "RequestLimitExceeded", "message": "Request limit exceeded: You have reached the maximum stacks per project, 512. Please delete some stacks.", "traceback": "File a.py"}, "title": "Bad Request"}`,
		Quota, false, "Request limit exceeded: You have reached the maximum stacks per project, 512. Please delete some stacks."},
	"magnum quota": {403, `{"errors": [{"status": 403, "code": "", "title": "Resource limit", "detail": "You have reached the maximum clusters per project, 20."}]}`,
		Quota, false, "You have reached the maximum clusters per project, 20."},
	// What looks like it.
	"right to change quotas": {403, `{"forbidden": {"message": "Policy doesn't allow os_compute_api:os-quota-sets:update to be performed."}}`,
		Auth, false, "Policy doesn't allow os_compute_api:os-quota-sets:update to be performed."},
	"octavia policy": {403, `{"faultstring": "Policy does not allow this request to be performed."}`, Auth, false,
		"Policy does not allow this request to be performed."},
	"nova rate": {413, `{"overLimit": {"message": "This request was rate-limited.", "retryAfter": 7}}`, RateLimited, false, "This request was rate-limited."},
	"too large": {413, `{"message": "Request is too large."}`, Invalid, false, "Request is too large."},
	// Not now.
	"octavia busy": {409, `{"faultstring": "Load Balancer 8a is immutable and cannot be updated."}`, Conflict, true,
		"Load Balancer 8a is immutable and cannot be updated."},
	"nova busy": {409, `{"conflictingRequest": {"code": 409, "message": "Cannot 'attach_volume' instance 1 while it is in task_state spawning"}}`,
		Conflict, true, "Cannot 'attach_volume' instance 1 while it is in task_state spawning"},
	"nova stopped": {409, `{"conflictingRequest": {"message": "Cannot 'suspend' instance 1 while it is in vm_state stopped"}}`,
		Conflict, false, "Cannot 'suspend' instance 1 while it is in vm_state stopped"},
	"cinder busy": {400, `{"badRequest": {"code": 400, "message": "Invalid volume: Volume status must be available or error, but current status is: creating."}}`,
		Conflict, true, "Invalid volume: Volume status must be available or error, but current status is: creating."},
	"heat busy":     {409, `{"error": {"message": "Stack s already has an action (CREATE) in progress."}}`, Conflict, true, "Stack s already has an action (CREATE) in progress."},
	"magnum busy":   {400, `{"errors": [{"detail": "Updating a cluster when status is CREATE_IN_PROGRESS is not supported"}]}`, Conflict, true, "Updating a cluster when status is CREATE_IN_PROGRESS is not supported"},
	"ironic locked": {409, `{"error_message": "{\"debuginfo\": null, \"faultcode\": \"Client\", \"faultstring\": \"Node n is locked by host h, please retry after the current operation is completed.\"}"}`, Conflict, true, "Node n is locked by host h, please retry after the current operation is completed."},
	"neutron revision": {412, `{"NeutronError": {"type": "RevisionNumberConstraintFailed", "message": "Constrained to 1, but current revision is 2", "detail": ""}}`,
		Conflict, true, "Constrained to 1, but current revision is 2"},
	"neutron in use":     {409, `{"NeutronError": {"type": "NetworkInUse", "message": "Unable to complete operation on network n.", "detail": ""}}`, Conflict, false, "Unable to complete operation on network n."},
	"keystone duplicate": {409, `{"error": {"message": "Conflict occurred attempting to store user - Duplicate entry found with name x."}}`, Conflict, false, "Conflict occurred attempting to store user - Duplicate entry found with name x."},
	// The rest.
	"designate schema": {400, `{"code": 400, "type": "invalid_object", "message": "Provided object does not match schema", "errors": {"errors": [{"path": ["name"], "message": "'x' is not a 'domainname'"}]}}`,
		Invalid, false, "Provided object does not match schema: 'x' is not a 'domainname'"},
	"placement":      {404, `{"errors": [{"status": 404, "title": "Not Found", "detail": "No resource provider with uuid 1 found", "request_id": "req-1"}]}`, NotFound, false, "No resource provider with uuid 1 found"},
	"neutron string": {400, `{"NeutronError": "Bad thing"}`, Invalid, false, "Bad thing"},
	"nested deep":    {400, strings.Repeat(`{"error":`, 50) + `"x"` + strings.Repeat("}", 50), Invalid, false, "Bad Request"},
	"empty":          {409, ``, Conflict, false, "Conflict"},
	"plain":          {429, "Too many\n\n requests", RateLimited, false, "Too many requests"},
	"not acceptable": {406, `{"computeFault": {"message": "Version 9.9 is not supported by the API."}}`, Invalid, false, "Version 9.9 is not supported by the API."},
	"gone":           {410, `{}`, NotFound, false, "Gone"},
	"not made":       {501, ``, Invalid, false, "Not Implemented"},
	"proxy":          {502, "<html><body><h1>502 Bad Gateway</h1></body></html>", Unavailable, false, "502 Bad Gateway"},
	"broken": {500, `{"computeFault": {"code": 500, "message": "Unexpected API Error.\n<class 'oslo_db.exception.DBError'>"}}`, Unknown, false,
		"Unexpected API Error. <class 'oslo_db.exception.DBError'>"},
}

func TestClassesAndMessages(t *testing.T) {
	for name, c := range answers {
		t.Run(name, func(t *testing.T) {
			text := message(c.code, []byte(c.body))
			if want := c.message; want == "" || text != want && !(want == "Quota" && strings.Contains(text, want)) {
				t.Errorf("message is %q, want %q", text, c.message)
			}
			class, transitional := classify(c.code, text)
			if class != c.class || transitional != c.transitional {
				t.Errorf("class is %s (goes away by itself: %t), want %s (%t)", class, transitional, c.class, c.transitional)
			}
		})
	}
}

func FuzzMessage(f *testing.F) {
	for _, c := range answers {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text := message(500, body)
		if text == "" || len([]rune(text)) > longestMessage+3 {
			t.Errorf("message %q of %q", text, body)
		}
		if strings.ContainsAny(text, "\n\t") {
			t.Errorf("message %q has several lines", text)
		}
	})
}

func TestOutcomes(t *testing.T) {
	for class, want := range map[Class]outcome.Class{
		Unknown: outcome.Unknown, Invalid: outcome.Invalid, Conflict: outcome.Conflict, Quota: outcome.Quota, Auth: outcome.Denied,
		NotFound: outcome.Unknown, RateLimited: outcome.RateLimited, Unavailable: outcome.Unavailable, 99: outcome.Unknown,
	} {
		f := &Fault{Class: class, Service: "compute", Method: "GET", Path: "servers", Code: 418, Message: "no.", RetryAfter: time.Minute}
		o := outcome.FromError(f.Outcome())
		if o.Class != want || o.After != time.Minute || o.Message != "service compute answered GET servers with 418 I'm a teapot: no." {
			t.Errorf("outcome of %s is %+v", class, o)
		}
		if !errors.Is(o.Err, f) {
			t.Errorf("outcome of %s lost its fault", class)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	date := "Wed, 21 Oct 2026 07:28:00 GMT"
	for name, c := range map[string]struct {
		header, date string
		want         time.Duration
	}{
		"none":      {"", "", 0},
		"seconds":   {"7", "", 7 * time.Second},
		"date":      {"Wed, 21 Oct 2026 07:28:30 GMT", date, 30 * time.Second},
		"past":      {"Wed, 21 Oct 2026 07:27:30 GMT", date, 0},
		"negative":  {"-5", "", 0},
		"nonsense":  {"soon", "", 0},
		"forever":   {"99999999999", "", time.Hour},
		"next year": {"Thu, 21 Oct 2027 07:28:30 GMT", date, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			h := http.Header{"Retry-After": {c.header}, "Date": {c.date}}
			if got := retryAfter(h); got != c.want {
				t.Errorf("pause is %s, want %s", got, c.want)
			}
		})
	}
}

func TestRedact(t *testing.T) {
	body := []byte(`{"user": {"name": "alice", "password": "Tr0ub4dor", "original_password": ["old-one"]},
		"auth": {"password": {"user": {"domain": "Default"}}}, "server": {"adminPass": "adm1n", "user_data": "IyEvYmlu"}}`)
	secrets := append(secretsIn(body), "gAAAA-token", "abc", "")
	got := redact("alice of Default: Tr0ub4dor, old-one, adm1n, IyEvYmlu, gAAAA-token, abc", secrets)
	if want := "alice of Default: ***, ***, ***, ***, ***, abc"; got != want {
		t.Errorf("redacted is %q, want %q", got, want)
	}
	if bytes.Contains(body, []byte("***")) {
		t.Error("the body was changed")
	}
}
