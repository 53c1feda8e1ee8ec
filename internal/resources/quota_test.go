package resources_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
	"stackwright.dev/stackwright/internal/openstack/fake"
	d "stackwright.dev/stackwright/internal/resources/descriptor"
	"stackwright.dev/stackwright/internal/resources/kinds"
)

// An object that met a quota becomes ready once somebody else has made room, by its own pause, which is never longer
// than ten minutes and a fifth; it is not asked for all the time until then.
func TestQuota(t *testing.T) {
	each(t, func(w *world) { w.quota = true }, func(w *world, p *kittest.Play) {
		if w.kind.Keyed() {
			return
		}
		before := len(writes(p))
		p.Pass(time.Hour)
		if n := len(writes(p)) - before; n < 5 || n > 20 {
			p.T.Errorf("%d tries in an hour without room, want about twelve", n)
		}
		if c := p.Condition(w.kind.Name+"/sample", "Ready"); c.Reason != "QuotaExceeded" {
			p.T.Errorf("the condition is %v", c)
		}
		cloudOf(p).SetQuota(w.kind.Name, 100)
		p.Pass(12*time.Minute + 30*time.Second)
		p.Ready()
	})
}

// writes are the requests that are to change something.
func writes(p *kittest.Play) []fake.Request {
	return slices.DeleteFunc(cloudOf(p).Requests(), func(r fake.Request) bool { return r.Method == http.MethodGet })
}

// An object that met a quota is asked for as soon as an object of ours for a quota of its service has changed.
func TestQuotaOfOurs(t *testing.T) {
	for _, k := range writable() {
		quota := quotaOf(k.Service)
		if k.Keyed() || quota == nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			w := newWorld(t, k)
			w.quota, w.also = true, quota
			limit := quota.Fields[1].Spec()
			w.objects = append(w.objects, map[string]any{"apiVersion": openstackv1.GroupVersion.String(), "kind": quota.Name,
				"metadata": map[string]any{"name": "quota", "namespace": "default"}, "spec": map[string]any{
					"resource": map[string]any{"projectRef": map[string]any{"id": fake.Project}, limit: int64(5)}}})
			t.Parallel()
			kittest.New(t, w.scenario()).Run(t, func(p *kittest.Play) {
				p.Pass(time.Hour)
				if c := p.Condition(k.Name+"/sample", "Ready"); c.Reason != "QuotaExceeded" {
					p.T.Errorf("the condition is %v", c)
				}
				cloudOf(p).SetQuota(k.Name, 100)
				p.Change(quota.Name+"/quota", "spec.resource."+limit, int64(6))
				p.Until(30*time.Second, "readiness", func() bool {
					return p.Condition(k.Name+"/sample", "Ready").Status == "True"
				})
			})
		})
	}
}

// quotaOf is the kind of a service's quotas; nil when there is none.
func quotaOf(service string) *d.Kind {
	for _, k := range kinds.Served() {
		if k.Service == service && k.Shape == d.Singleton {
			return k
		}
	}
	return nil
}
