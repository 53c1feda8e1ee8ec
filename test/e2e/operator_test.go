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

// A control plane is taken away and made again while the operator is killed at random. What there is in the end, in
// Kubernetes and in OpenStack, is what there was without that, field by field. OPERATOR_SEEDS sets how often.
func TestOperatorIsKilled(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	cp := w.NewCloud("cut")
	cp.Spec.DeletionPolicy = controlplanev1.Delete
	core(&cp.Spec.Services)
	w.Apply(cp.DeepCopy())
	t.Logf("left alone it is ready after %s", w.Ready(story.UpToReady, cp).Round(time.Second))
	want := atRest(w, cp)
	if t.Logf("its state has %d lines", len(want)); len(want) < 5000 {
		t.Fatalf("there are only %d lines: %s", len(want), strings.Join(want, "\n"))
	}
	seeds := 20
	if n, err := strconv.Atoi(os.Getenv("OPERATOR_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		kills := killing(w, uint64(seed))
		took := remake(w, cp)
		n := kills()
		t.Logf("seed %d: ready after %s, killed %d times", seed, took.Round(time.Second), n)
		if n == 0 {
			t.Errorf("seed %d: nobody was killed", seed)
		}
		w.Cloud() // another one is as it was, too
		var got []string
		// The operator that was killed last may have had something in hand still.
		w.Eventually(time.Minute, "all is as it was when nobody was killed", func(context.Context) error {
			got = endState(w, cp)
			return sameLines(want, got)
		})
	}
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

// endState are the fields of all that a control plane consists of in Kubernetes, what is in its Keystone, and what Nova
// knows of its programs.
func endState(w *story.World, cp *controlplanev1.OpenStackControlPlane) []string {
	w.Helper()
	out := w.Declared(cp.Namespace)
	known := inCloud(w, cp, `service list -f value -c Name
		openstack endpoint list -f value -c "Service Name" -c Interface -c URL
		openstack user list -f value -c Name
		openstack project list -f value -c Name
		openstack role assignment list --names -f value
		openstack compute service list -f value -c Binary -c Host -c Zone -c Status`)
	for line := range strings.SplitSeq(strings.TrimSpace(known), "\n") {
		out = append(out, story.Same(line))
	}
	slices.Sort(out)
	return out
}

// atRest is the state of a control plane that two looks agree on.
func atRest(w *story.World, cp *controlplanev1.OpenStackControlPlane) (state []string) {
	w.Helper()
	w.Eventually(2*time.Minute, "nothing changes any more", func(context.Context) error {
		before := state
		state = endState(w, cp)
		return sameLines(before, state)
	})
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
