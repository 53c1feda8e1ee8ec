package servicetest

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"stackwright.dev/kit/kittest"
)

// cron plays the runs of the kind's CronJob, where it has one.
func (k Kind) cron(t *testing.T) {
	kittest.New(t, k.Scenario(t, "")).Run(t, func(p *kittest.Play) {
		p.Settle()
		at := slices.IndexFunc(p.Objects(), func(u *unstructured.Unstructured) bool { return u.GetKind() == "CronJob" })
		if at < 0 {
			return
		}
		TellsRuns(p, k.Object, "MaintenanceReady", p.Objects()[at].GetName())
	})
}

// TellsRuns holds an object, `kind/namespace/name`, to telling in an advice that the last run of a CronJob has failed,
// where its log is, and nothing of one that still runs.
func TellsRuns(p *kittest.Play, object, condition, cron string) {
	p.T.Helper()
	const due, done = "2026-01-02T03:40:00Z", "2026-01-03T03:41:00Z"
	parts := strings.Split(object, "/")
	failed := "the run of CronJob " + cron + " that was due at " + due + " has failed, and the next one tries again; " +
		"see kubectl -n " + parts[1] + " logs -l app.kubernetes.io/instance=" + parts[2] + ",app.kubernetes.io/component=" +
		strings.TrimPrefix(cron, parts[2]+"-") + " --tail=50"
	for _, run := range []struct {
		status  map[string]any
		message string
	}{
		{map[string]any{"lastScheduleTime": due, "active": []any{map[string]any{"name": "one"}}}, ""},
		{map[string]any{"lastScheduleTime": due, "active": []any{}}, failed},
		{map[string]any{"lastScheduleTime": due, "lastSuccessfulTime": done}, ""},
	} {
		p.Behave("CronJob/"+cron, func(*kittest.Play, *unstructured.Unstructured) map[string]any { return run.status })
		p.Settle()
		p.Ready()
		got := p.Condition(object, condition)
		if want := run.message == ""; (got.Status == "True") != want || !want && got.Message != run.message {
			p.T.Errorf("after %v the condition is %s: %s", run.status, got.Status, got.Message)
		}
	}
}
