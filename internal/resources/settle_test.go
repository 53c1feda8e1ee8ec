package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

const attachment = "ServerVolumeAttachment/data"

// attached has an attachment that is ordered, of which the volume does not show anything yet.
func attached(t *testing.T, f func(p *kittest.Play)) {
	t.Helper()
	seed := func(cloud *fake.Cloud) {
		cloud.Put("Server", map[string]any{"name": "web", "status": "ACTIVE"})
		cloud.Put("Volume", map[string]any{"name": "disk", "size": 1, "status": "attaching"})
		cloud.Unsettled = true
	}
	s := stage(t, seed, good(namespace("default"), one("ServerVolumeAttachment", "default", "data",
		"resource: {serverRef: {external: {name: web}}, volumeRef: {external: {name: disk}}}"))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Pass(30 * time.Second)
		if c := p.Condition(attachment, "Ready"); c.Status != "False" || !strings.Contains(c.Message,
			"until the ServerVolumeAttachment is made: volume.status is attaching") {
			t.Fatalf("while the volume is attaching Ready is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
		f(p)
	})
}

// asks counts requests that look at the volume alone.
func asks(p *kittest.Play) (n int) {
	for _, r := range cloudOf(p).Requests() {
		if r.Method == http.MethodGet && strings.Contains(r.Path, "/volumes/"+cloudOf(p).IDs("Volume")[0]) {
			n++
		}
	}
	return n
}

// Nova lists an attachment from its order on. It is ready once the volume is in use, also for the next process, and
// nobody asks any more.
func TestAttachmentIsReadyOnceItIsMade(t *testing.T) {
	attached(t, func(p *kittest.Play) {
		p.Restart()
		p.Pass(20 * time.Second)
		if c := p.Condition(attachment, "Ready"); c.Status != "False" {
			t.Errorf("for the next process Ready is %s, %s: %s", c.Status, c.Reason, c.Message)
		}
		volumes("in-use")(p)
		p.Settle()
		p.Ready()
		before := asks(p)
		p.Pass(20 * time.Minute)
		p.Restart()
		p.Pass(20 * time.Minute)
		p.Ready()
		if n := asks(p) - before; n > 0 {
			t.Errorf("%d requests look at the volume of an attachment that is made", n)
		}
	})
}

// An attachment that Nova gives up is said to be, and ordered again, later each time.
func TestAttachmentIsGivenUp(t *testing.T) {
	attached(t, func(p *kittest.Play) {
		cloud := cloudOf(p)
		told := false
		for range 60 {
			for _, id := range cloud.IDs("ServerVolumeAttachment") {
				cloud.Remove("ServerVolumeAttachment", id)
			}
			p.Pass(10 * time.Second)
			c := p.Condition(attachment, "Ready")
			if c.Status == "True" {
				t.Fatal("it is ready although Nova gave it up")
			}
			told = told || strings.Contains(c.Message, "was given up before it was made; see the log of nova-compute")
		}
		if !told {
			t.Errorf("nothing tells why: %v", p.Condition(attachment, "Ready"))
		}
		n := 0
		for _, r := range cloud.Requests() {
			if r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/os-volume_attachments") {
				n++
			}
		}
		if n < 3 || n > 20 {
			t.Errorf("in ten minutes it is ordered %d times", n)
		}
		cloud.Unsettled = false
		volumes("in-use")(p)
		p.Pass(20 * time.Minute)
		p.Ready()
	})
}
