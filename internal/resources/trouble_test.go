package resources_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// without is a cloud of which one service does not answer.
func without(service string) func(int, *http.Request) fake.Fault {
	return func(_ int, r *http.Request) fake.Fault {
		if strings.HasPrefix(r.URL.Path, "/"+service+"/") {
			return fake.Down
		}
		return fake.None
	}
}

// answering is what a cloud says of its services.
func answering(p *kittest.Play) string {
	c := p.Condition("Cloud/default", "Answering")
	return string(c.Status) + " " + c.Message
}

// A service that does not answer is told by the cloud, which stays ready: the objects of others are made. Only when the
// identity service does not answer, either, the cloud is not ready.
func TestOneServiceIsSilent(t *testing.T) {
	s := stage(t, nil, good(namespace("default"), one("VolumeType", "default", "fast", "resource: {}"),
		one("Project", "default", "first", "resource: {}"))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		if got := answering(p); got != "True All services answer that objects need." {
			t.Errorf("Answering is %s", got)
		}
		cloudOf(p).SetFault(without("block-storage"))
		p.Pass(10 * time.Minute)
		const silent = "False Service block-storage does not answer: listing volumetypes: "
		if got := answering(p); !strings.HasPrefix(got, silent) {
			t.Errorf("without the service Answering is %s", got)
		}
		wantSays(p, "Cloud/default", "True Ready")
		if _, writes := p.During(func() { p.Pass(20 * time.Minute) }); len(writes) > 0 {
			t.Errorf("in twenty minutes in which nothing changes there are the writes %q", writes)
		}
		another("Project", "shop", "resource: {}")(p)
		p.Settle()
		wantSays(p, "Project/shop", "True")
		cloudOf(p).SetFault(func(int, *http.Request) fake.Fault { return fake.Down })
		p.Pass(10 * time.Minute)
		wantSays(p, "Cloud/default", "False Unavailable")
		cloudOf(p).SetFault(nil)
		p.Pass(10 * time.Minute)
		p.Ready()
		if got := answering(p); !strings.HasPrefix(got, "True") {
			t.Errorf("in the end Answering is %s", got)
		}
	})
}

// Nobody asks any more for what an object has stood for whose resource stays in the cloud: the service may go.
func TestNobodyWaitsForWhatWasLetGo(t *testing.T) {
	s := stage(t, nil, good(namespace("default"), one("VolumeType", "default", "fast", "policy: detach, resource: {}"))...)
	kittest.New(t, s).Run(t, func(p *kittest.Play) {
		p.Ready()
		p.Remove("VolumeType/fast")
		p.Settle()
		wantIn(p, "VolumeType", 1)
		cloudOf(p).SetFault(without("block-storage"))
		before := len(cloudOf(p).Requests())
		p.Pass(time.Hour)
		for _, r := range cloudOf(p).Requests()[before:] {
			if strings.HasPrefix(r.Path, "/block-storage/") {
				t.Fatalf("there is a request %s %s", r.Method, r.Path)
			}
		}
		p.Ready()
	})
}
