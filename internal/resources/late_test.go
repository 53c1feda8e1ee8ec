package resources_test

import (
	"testing"
	"time"

	"stackwright.dev/kit/kittest"
)

// What an object refers to, or imports, may be made in the cloud after somebody looked for it: that it is there now is
// seen when the object is looked at the next time, and not when its kind is listed the next time, minutes later.
func TestWhatIsMadeLaterIsFound(t *testing.T) {
	objects := good(namespace("default"),
		one("Server", "default", "web", "resource: {flavorRef: {external: {name: small}}}"),
		one("Flavor", "default", "mine", "resource: {ram: 128, vcpus: 1, disk: 0}"),
		one("Network", "default", "mine", "resource: {}"),
		one("Image", "default", "mine", "resource: {content: {diskFormat: raw}}"),
		one("Network", "default", "taken", "policy: observe, import: {filter: {name: late}}"),
		one("Image", "default", "byid", "policy: observe, import: {id: 11111111-2222-4333-8444-555555555555}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Pass(10 * time.Second)
		cloudOf(p).Put("Flavor", map[string]any{"name": "small"})
		cloudOf(p).Put("Image", map[string]any{"id": "11111111-2222-4333-8444-555555555555", "name": "cirros",
			"status": "active"})
		cloudOf(p).Put("Network", map[string]any{"name": "late"})
		p.Pass(75 * time.Second)
		for _, ref := range []string{"Server/web", "Network/taken", "Image/byid"} {
			if c := p.Condition(ref, "Ready"); c.Status != "True" {
				t.Errorf("%s is not ready: %s", ref, c.Message)
			}
		}
	})
}
