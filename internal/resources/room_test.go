package resources_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stackwright.dev/kit/kittest"

	"stackwright.dev/stackwright/internal/openstack/fake"
)

// What a quota has refused is asked for again as soon as the quota is changed or something of the kind is gone, not
// after its own pause, which has grown to minutes by then.
func TestRefusedForQuotaGoOnOnceThereIsRoom(t *testing.T) {
	objects := good(namespace("default"), one("NetworkQuota", "default", "shop", "resource: {network: 2}"),
		one("VolumeQuota", "default", "shop", "resource: {volumes: 2}"))
	for i := range 2 {
		objects = append(objects, one("Network", "default", fmt.Sprint("n", i), "resource: {}"))
	}
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetQuota("Network", 2)
		for i := range 2 {
			another("Network", fmt.Sprint("late", i), "resource: {}")(p)
		}
		p.Pass(20 * time.Minute)
		wantIn(p, "Network", 2)
		wantSays(p, "Network/late0", "QuotaExceeded")

		before := len(cloudOf(p).Requests())
		p.Change("VolumeQuota/shop", "spec.resource.volumes", int64(3))
		p.Pass(5 * time.Second)
		asked := 0
		for _, r := range cloudOf(p).Requests()[before:] {
			if r.Method == http.MethodPost && strings.Contains(r.Path, "/networks") {
				asked++
			}
		}
		if asked > 1 { // the pause of one of them may be over by chance
			t.Error("the quota of another service has networks asked for")
		}
		cloudOf(p).SetQuota("Network", 3)
		p.Change("NetworkQuota/shop", "spec.resource.network", int64(3))
		p.Pass(30 * time.Second)
		wantIn(p, "Network", 3)

		p.Pass(20 * time.Minute)
		p.Remove("Network/n0")
		p.Pass(30 * time.Second)
		wantIn(p, "Network", 3)
		p.Ready()
	})
}

// Who raises a quota with another client tells nobody: for ten minutes one of those that it has refused tries each
// minute, and who gets in lets the next one try.
func TestRoomIsFoundWithinAMinute(t *testing.T) {
	const count = 12
	objects := good(namespace("default"))
	for i := range count {
		objects = append(objects, one("Network", "default", fmt.Sprint("n", i), "resource: {}"))
	}
	full := func(c *fake.Cloud) { c.SetQuota("Network", 0) }
	kittest.New(t, stage(t, full, objects...)).Run(t, func(p *kittest.Play) {
		wantSays(p, "Network/n0", "QuotaExceeded")
		cloudOf(p).SetQuota("Network", count)
		p.Pass(time.Minute)
		wantIn(p, "Network", count)
		p.Ready()
	})
}

// Later a quota that an object stands for is seen to be raised by the next list of it.
func TestRaisedQuotaIsSeenByLists(t *testing.T) {
	objects := good(namespace("default"), one("Network", "default", "late", "resource: {}"),
		one("NetworkQuota", "default", "shop", "drift: Ignore, resource: {network: 2}"))
	full := func(c *fake.Cloud) { c.SetQuota("Network", 0) }
	kittest.New(t, stage(t, full, objects...)).Run(t, func(p *kittest.Play) {
		p.Pass(20 * time.Minute)
		before := len(writes(p))
		p.Until(20*time.Minute, "a try of its own", func() bool { return len(writes(p)) > before })
		p.Pass(30 * time.Second)
		wantSays(p, "Network/late", "QuotaExceeded")
		cloudOf(p).SetQuota("Network", 5)
		cloudOf(p).Put("NetworkQuota", map[string]any{"project_id": cloudOf(p).IDs("NetworkQuota")[0],
			"network": float64(5)})
		p.Pass(5*time.Minute + 10*time.Second)
		wantIn(p, "Network", 1)
	})
}
