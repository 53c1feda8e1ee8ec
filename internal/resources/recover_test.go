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

// A service that answers all but what an object wants, such as one that can read its database and not write, is asked
// for it at most twice in each pause, and all go on once one of them got it.
func TestServiceThatOnlyReadsIsNotPressed(t *testing.T) {
	for _, count := range []int{1, 2, 12} {
		t.Run(fmt.Sprint(count), func(t *testing.T) { pressesOnlyReaders(t, count) })
	}
}

func pressesOnlyReaders(t *testing.T, count int) {
	t.Helper()
	objects := good(namespace("default"), one("Network", "default", "first", "resource: {}"))
	kittest.New(t, stage(t, nil, objects...)).Run(t, func(p *kittest.Play) {
		p.Ready()
		cloudOf(p).SetFault(func(_ int, r *http.Request) fake.Fault {
			if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/networks") {
				return fake.Down
			}
			return fake.None
		})
		for i := range count {
			another("Network", fmt.Sprint("n", i), "resource: {}")(p)
		}
		p.Pass(time.Hour)
		// Pauses of 1, 2, 4 to 64 s and then of two minutes are 35 in an hour.
		if n := len(cloudOf(p).Requests()); n < 30*count || n > 4*35*count {
			t.Errorf("%d requests for %d networks in an hour without success", n, count)
		}
		cloudOf(p).SetFault(nil)
		asked := len(cloudOf(p).Requests())
		p.Pass(3 * time.Minute)
		var made []time.Time
		for _, r := range cloudOf(p).Requests()[asked:] {
			if r.Method == http.MethodPost {
				made = append(made, r.At)
			}
		}
		if len(made) != count || made[count-1].Sub(made[0]) > 5*time.Second {
			t.Errorf("the networks are asked for at %v", made)
		}
	})
}
