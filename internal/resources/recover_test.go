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

// What waited for a service that was away for long goes on as soon as the service answers anybody, not each object
// after its own pause, which has grown to minutes by then.
func TestAllGoOnOnceTheServiceAnswers(t *testing.T) {
	const count = 12
	objects := []string{namespace("default")}
	for i := range count {
		objects = append(objects, one("Network", "default", fmt.Sprint("n", i), "resource: {}"))
	}
	kittest.New(t, stage(t, nil, append(objects, good()...)...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetFault(func(_ int, r *http.Request) fake.Fault {
			if strings.Contains(r.URL.Path, "/networks") {
				return fake.Lost
			}
			return fake.None
		})
		for i := range count {
			p.Remove(fmt.Sprint("Network/n", i))
		}
		p.Pass(time.Hour)
		if n := len(cloudOf(p).IDs("Network")); n != count {
			t.Fatalf("there are %d networks although the service does not answer", n)
		}
		cloudOf(p).SetFault(nil)
		asked := len(cloudOf(p).Requests())
		p.Pass(10 * time.Minute)
		if left := len(cloudOf(p).IDs("Network")); left != 0 {
			t.Errorf("%d of %d networks are left", left, count)
		}
		var deleted []time.Time
		for _, r := range cloudOf(p).Requests()[asked:] {
			if r.Method == http.MethodDelete {
				deleted = append(deleted, r.At)
			}
		}
		if spread := deleted[len(deleted)-1].Sub(deleted[0]); spread > 5*time.Second {
			t.Errorf("the last network is asked for %s after the first", spread)
		}
	})
}
