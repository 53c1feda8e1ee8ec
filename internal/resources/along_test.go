package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// hung is a server whose guest does not give its devices back: Nova accepts that one is taken off, and nothing happens.
func hung(_ int, r *http.Request) fake.Fault {
	if r.Method == http.MethodDelete && strings.Contains(r.URL.Path, "/os-") {
		return fake.Refused(http.StatusAccepted, "")
	}
	return fake.None
}

// What is attached to a server whose guest hangs goes with the server, and not without it.
func TestAttachmentsGoWithTheirServer(t *testing.T) {
	seed := func(cloud *fake.Cloud) {
		orderlySeed(cloud)
		cloud.Put("Volume", map[string]any{"name": "used", "size": 1, "status": "in-use"})
		cloud.Put("Port", map[string]any{"name": "second"})
	}
	all := good(namespace("default"), one("Server", "default", "web", "resource: "+orderly["Server"]),
		one("ServerVolumeAttachment", "default", "data",
			"resource: {serverRef: {name: web}, volumeRef: {external: {name: used}}}"),
		one("ServerInterface", "default", "second",
			"resource: {serverRef: {name: web}, portRef: {external: {name: second}}}"))
	for name, first := range map[string]string{"the server first": "Server/web", "the server last": ""} {
		t.Run(name, func(t *testing.T) {
			kittest.New(t, stage(t, seed, all...)).Run(t, func(p *kittest.Play) {
				p.Ready()
				cloudOf(p).SetFault(hung)
				if first != "" {
					p.Remove(first)
					p.Pass(10 * time.Second)
				}
				p.Remove(attachment)
				p.Remove("ServerInterface/second")
				p.Pass(20 * time.Minute)
				if first == "" {
					wantSays(p, attachment, "Waits until the ServerVolumeAttachment ")
					p.Remove("Server/web")
				}
				p.Pass(time.Minute)
				for _, gone := range []string{"Server/web", attachment, "ServerInterface/second"} {
					if p.Object(gone) != nil {
						t.Errorf("%s is left: %s", gone, says(p, gone))
					}
				}
			})
		})
	}
}

// What is attached to a server that stays in the cloud is waited for.
func TestAttachmentsOfAServerThatStays(t *testing.T) {
	seed := func(cloud *fake.Cloud) {
		orderlySeed(cloud)
		cloud.Put("Port", map[string]any{"name": "second"})
	}
	all := good(namespace("default"), one("Server", "default", "web", "policy: detach, resource: "+orderly["Server"]),
		one("ServerInterface", "default", "second",
			"resource: {serverRef: {name: web}, portRef: {external: {name: second}}}"))
	kittest.New(t, stage(t, seed, all...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetFault(hung)
		p.Remove("ServerInterface/second")
		p.Remove("Server/web")
		p.Pass(20 * time.Minute)
		wantSays(p, "ServerInterface/second", "Waits until the ServerInterface ")
	})
}
