package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// more lets the cloud know names that no descriptor has; it keeps quiet about the second.
func more(c *fake.Cloud) { c.More = map[string]bool{"vpnservice": true, "quiet": false} }

// What spec.extra has is sent when the resource is made and when it is changed, and is kept where the cloud shows it.
func TestExtra(t *testing.T) {
	for name, c := range map[string]struct{ kind, spec string }{
		"a resource":  {"Network", "resource: {}, extra: {vpnservice: 5, quiet: 1}"},
		"a singleton": {"NetworkQuota", "resource: {network: 1}, extra: {vpnservice: 5, quiet: 1}"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := good(namespace("default"), one(c.kind, "default", "shop", c.spec))
			kittest.New(t, stage(t, more, objects...)).Run(t, func(p *kittest.Play) {
				shop := c.kind + "/shop"
				p.Ready()
				wantExtra(p, c.kind, 5.0)
				if _, writes := p.During(func() { p.Pass(20 * time.Minute) }); len(writes) > 0 {
					t.Errorf("in twenty minutes in which nothing changes there are the writes %q", writes)
				}
				p.Change(shop, "spec.extra.vpnservice", int64(6))
				p.Pass(time.Minute)
				wantExtra(p, c.kind, 6.0)
				before := len(cloudOf(p).Requests())
				p.Change(shop, "spec.extra.quiet", int64(2))
				p.Pass(time.Minute)
				if n := count(p, before, http.MethodPut); n != 1 {
					t.Errorf("%d requests tell of what the cloud does not show, want 1", n)
				}
				spoilt(p, c.kind, map[string]any{"vpnservice": 7.0})
				p.Pass(10 * time.Minute)
				wantExtra(p, c.kind, 6.0)
				p.Change(shop, "spec.ignorePaths", []any{"extra.vpnservice"})
				p.Settle()
				spoilt(p, c.kind, map[string]any{"vpnservice": 8.0})
				p.Pass(10 * time.Minute)
				wantExtra(p, c.kind, 8.0)
				p.Ready()
			})
		})
	}
}

func wantExtra(p *kittest.Play, kind string, want any) {
	p.T.Helper()
	for _, fields := range cloudOf(p).All(kind) {
		if got := fields["vpnservice"]; got != want {
			p.T.Errorf("the cloud has %v, want %v", got, want)
		}
	}
}

// spoilt changes the one resource of a kind behind our back.
func spoilt(p *kittest.Play, kind string, fields map[string]any) {
	p.T.Helper()
	if kind == "NetworkQuota" {
		fields["project_id"], fields["network"] = fake.Project, 1.0
		cloudOf(p).Put(kind, fields)
		return
	}
	for _, id := range cloudOf(p).IDs(kind) {
		fields["id"] = id
		cloudOf(p).Put(kind, fields)
	}
}

// What cannot be changed any more is told: as drift where the cloud shows it, and else by the condition.
func TestExtraOfWhatCannotBeChanged(t *testing.T) {
	objects := good(namespace("default"),
		one("ServerGroup", "default", "web", "resource: {policy: affinity}, extra: {vpnservice: 5, quiet: 1}"))
	kittest.New(t, stage(t, more, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		wantExtra(p, "ServerGroup", 5.0)
		p.Change("ServerGroup/web", "spec.extra.vpnservice", int64(6))
		p.Pass(time.Minute)
		if c := p.Condition("ServerGroup/web", "Drifted"); !strings.Contains(c.Message, "extra.vpnservice") {
			t.Errorf("Drifted is %v", c)
		}
		p.Change("ServerGroup/web", "spec.extra.vpnservice", int64(5))
		p.Change("ServerGroup/web", "spec.extra.quiet", int64(2))
		p.Pass(time.Minute)
		wantSays(p, "ServerGroup/web", "quiet of spec.extra")
		p.Change("ServerGroup/web", "spec.extra.quiet", int64(1))
		p.Pass(time.Minute)
		p.Ready()
	})
}
