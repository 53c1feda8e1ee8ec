//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// operators is the namespace of our operator.
const operators = "stackwright-system"

// A control plane is taken away and made again while the operator is killed at random, each third time with hosts and a
// server on one of them, all applied at once. What there is in the end, in Kubernetes and in OpenStack, is what there
// was without that, field by field. OPERATOR_SEEDS sets how often.
func TestOperatorIsKilled(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	e := newEstate(w, "cut")
	w.Apply(e.cp.DeepCopy())
	t.Logf("left alone it is ready after %s", w.Ready(story.UpToReady, e.cp).Round(time.Second))
	want := map[bool][]string{false: e.atRest("Nova/cut-nova ")}
	e.opens()
	e.serves()
	e.inhabited = true
	want[true] = e.atRest("BuildingBlock/crowd ", "Hypervisor/crowd-1 ", "Server/shop ", "shop ACTIVE")
	seeds := 20
	if n, err := strconv.Atoi(os.Getenv("OPERATOR_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		kills := killing(w, uint64(seed))
		took := e.again(seed%3 == 0)
		n := kills()
		t.Logf("seed %d: with hosts: %t, ready after %s, killed %d times", seed, e.inhabited, took.Round(time.Second), n)
		if n == 0 {
			t.Errorf("seed %d: nobody was killed", seed)
		}
		w.Cloud() // another one is as it was, too
		// The operator that was killed last may have had something in hand still.
		w.Eventually(time.Minute, "all is as it was when nobody was killed", func(context.Context) error {
			return sameLines(want[e.inhabited], e.state())
		})
	}
}

// estate is a control plane that is taken away and made again, with a shop or without.
type estate struct {
	*shop
	// inhabited tells that the shop is there.
	inhabited bool
}

func newEstate(w *story.World, name string) *estate {
	w.Helper()
	cp := w.NewCloud(name)
	cp.Spec.DeletionPolicy = controlplanev1.Delete
	core(&cp.Spec.Services)
	return &estate{shop: shopIn(w, cp)}
}

// again takes everything away, and makes it again with the shop or without. It returns how long that takes.
func (e *estate) again(inhabited bool) time.Duration {
	e.Helper()
	if e.inhabited {
		removeAll(e.World, e.objects)
		// What the block counts may be old, and its Nova goes next.
		e.insists(e.hosts())
	}
	raze(e.World, e.cp)
	e.Gone(2*time.Minute, e.hosts())
	began := time.Now()
	e.Apply(e.cp.DeepCopy())
	if e.inhabited = inhabited; inhabited {
		e.opens()
	}
	e.Ready(story.UpToReady, e.cp)
	if inhabited {
		e.serves()
	}
	return time.Since(began)
}

// killing ends the operator's pods without grace at random moments until the function that it returns is called, which
// tells how often.
func killing(w *story.World, seed uint64) (stop func() int) {
	random := rand.New(rand.NewPCG(seed, seed))
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan int, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				done <- n
				return
			case <-time.After(time.Duration(2+random.IntN(15)) * time.Second):
			}
			pods := &corev1.PodList{}
			if err := w.List(ctx, pods, client.InNamespace(operators)); err != nil {
				continue // ctx may be over
			}
			for i := range pods.Items {
				if strings.HasPrefix(pods.Items[i].Name, "stackwright-operator") {
					_ = w.Delete(ctx, &pods.Items[i], client.GracePeriodSeconds(0))
				}
			}
		}
	}()
	return func() int { cancel(); return <-done }
}

// state are the fields of all that the estate consists of in Kubernetes, what is in its Keystone, what Nova knows of
// its programs, and what the shop has.
func (e *estate) state() []string {
	e.Helper()
	out := e.Declared(e.namespace)
	commands := `service list -f value -c Name
		openstack endpoint list -f value -c "Service Name" -c Interface -c URL
		openstack user list -f value -c Name
		openstack project list -f value -c Name
		openstack role assignment list --names -f value
		openstack compute service list -f value -c Binary -c Host -c Zone -c Status`
	if e.inhabited {
		commands += `
		openstack server list --all-projects -f value -c Name -c Status
		openstack image list -f value -c Name -c Status
		openstack network list -f value -c Name
		openstack port list -f value -c Name -c Status
		openstack resource provider list -f value -c name`
	}
	for line := range strings.SplitSeq(strings.TrimSpace(inCloud(e.World, e.cp, commands)), "\n") {
		out = append(out, story.Same(line))
	}
	slices.Sort(out)
	return out
}

// atRest is the state that two looks agree on. It has to have lines that begin with these words, and many more.
func (e *estate) atRest(words ...string) (state []string) {
	e.Helper()
	e.Eventually(2*time.Minute, "nothing changes any more", func(context.Context) error {
		before := state
		state = e.state()
		return sameLines(before, state)
	})
	for _, word := range words {
		if !slices.ContainsFunc(state, func(line string) bool { return strings.HasPrefix(line, word) }) {
			e.Fatalf("there is no %s in\n%s", word, strings.Join(state, "\n"))
		}
	}
	if e.Logf("the state has %d lines", len(state)); len(state) < 5000 {
		e.Fatalf("there are only %d lines: %s", len(state), strings.Join(state, "\n"))
	}
	return state
}

// most is how many differences are told.
const most = 100

// sameLines tells what is in one list and not as often in the other, sorted: lines of one field are next to each other.
func sameLines(want, got []string) error {
	count := map[string]int{}
	for _, line := range want {
		count[line]--
	}
	for _, line := range got {
		count[line]++
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n == 0 })
	var problems []error
	for i, line := range slices.Sorted(maps.Keys(count)) {
		if i == most {
			problems = append(problems, fmt.Errorf("and %d more", len(count)-most))
			break
		}
		problems = append(problems, fmt.Errorf("%+d of %s", count[line], line))
	}
	return errors.Join(problems...)
}
