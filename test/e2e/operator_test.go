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

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	controlplanev1 "stackwright.dev/stackwright/api/controlplane/v1alpha1"
	infrav1 "stackwright.dev/stackwright/api/infra/v1alpha1"
	"stackwright.dev/stackwright/test/e2e/story"
)

// operators is the namespace of our operator.
const operators = "stackwright-system"

// A control plane is taken away and made again while the operator is killed at random, each third time with all
// services, a Ceph of its own, hosts, and something in each service, all applied at once. What there is in the end, in
// Kubernetes and in OpenStack, is what there was without that, field by field. OPERATOR_SEEDS sets how often.
//
// One that is killed gives up no lease: for 10 s and longer after each kill nobody works, so all takes its time.
func TestOperatorIsKilled(t *testing.T) {
	story.Slow(t)
	w := story.Start(t)
	e := newEstate(w, "cut")
	w.Apply(e.cp.DeepCopy())
	t.Logf("left alone it is ready after %s", w.Ready(story.UpToReady, e.cp).Round(time.Second))
	want := map[bool][]string{false: e.atRest("Nova/cut-nova ")}
	t.Logf("left alone all services are, with a shop, after %s", e.again(true).Round(time.Second))
	want[true] = e.atRest("BuildingBlock/crowd ", "Hypervisor/crowd-1 ", "Server/shop ", "shop ACTIVE",
		"DevCeph/ceph ", "shop available", "Stack/declared ", "KeyManagerContainer/web ", "Horizon/cut-horizon ")
	seeds := 20
	if n, err := strconv.Atoi(os.Getenv("OPERATOR_SEEDS")); err == nil {
		seeds = n
	}
	for seed := range seeds {
		w.Slack = 3
		stop := killing(w, uint64(seed))
		took := e.again(seed%3 == 0)
		got := stop()
		w.Slack = 1
		t.Logf("seed %d: with hosts: %t, ready after %s, %s", seed, e.inhabited, took.Round(time.Second), got)
		if got.leaders == 0 || got.err != nil {
			t.Errorf("seed %d: nobody who led was killed, or it went wrong: %v", seed, got.err)
		}
		w.Cloud() // another one is as it was, too
		// The operator that was killed last may have had something in hand still.
		w.Eventually(2*time.Minute, "all is as it was when nobody was killed", func(context.Context) error {
			return sameLines(want[e.inhabited], e.state())
		})
	}
}

// estate is a control plane that is taken away and made again, with all services and a shop, or a core alone.
type estate struct {
	*shop
	// core are the services where no shop is, ceph is where there is one.
	core controlplanev1.Services
	ceph *infrav1.DevCeph
	// inhabited tells that the shop is there.
	inhabited bool
}

func newEstate(w *story.World, name string) *estate {
	w.Helper()
	cp := w.NewCloud(name)
	cp.Spec.DeletionPolicy = controlplanev1.Delete
	core(&cp.Spec.Services)
	more := slices.Concat(manifest(w, "testdata/stack.yaml"), manifest(w, "testdata/keymanager.yaml"),
		decoded(w, volumeOfShop))
	return &estate{shop: shopIn(w, cp, more...), core: *cp.Spec.Services.DeepCopy(), ceph: newCeph(w, cp.Namespace)}
}

// again takes everything away, and makes it again with the shop or without. It returns how long that takes.
func (e *estate) again(inhabited bool) time.Duration {
	e.Helper()
	if e.inhabited {
		removeAll(e.World, e.objects)
		// What the block counts may be old, and its Nova goes next.
		e.insists(e.hosts())
		if err := e.Delete(e.Context(), e.ceph.DeepCopy()); err != nil {
			e.Fatal(err)
		}
	}
	raze(e.World, e.cp)
	e.Gone(2*time.Minute, e.hosts())
	e.Gone(2*time.Minute, e.ceph.DeepCopy())
	began := time.Now()
	e.cp.Spec.Services = *e.core.DeepCopy()
	if e.inhabited = inhabited; inhabited {
		everything(e.World, e.cp)
	}
	e.Apply(e.cp.DeepCopy())
	if inhabited {
		e.opens()
	}
	e.Ready(2*story.UpToReady, e.cp)
	if inhabited {
		e.serves()
	}
	return time.Since(began)
}

// toll is what killing has done.
type toll struct {
	// kills are processes of the operator that were killed, leaders those among them that held the lease.
	kills, leaders int
	// late is how often nobody led within a minute of a kill.
	late int
	err  error
}

func (t toll) String() string {
	return fmt.Sprintf("killed %d times, %d times while it led; %d times nobody led a minute later", t.kills, t.leaders,
		t.late)
}

// killing kills the operator at a random moment of the first 15 s that it leads, again and again, until the function
// that it returns is called.
func killing(w *story.World, seed uint64) (stop func() toll) {
	random := rand.New(rand.NewPCG(seed, seed))
	ctx, cancel := context.WithCancel(w.Context())
	done := make(chan toll, 1)
	go func() {
		var all toll
		for {
			story.Pause(ctx, time.Duration(random.Int64N(int64(15*time.Second))))
			if ctx.Err() != nil {
				done <- all
				return
			}
			all.strike(ctx, w)
		}
	}()
	return func() toll { cancel(); return <-done }
}

// strike kills the operator, and waits until another one leads.
func (t *toll) strike(ctx context.Context, w *story.World) {
	led, err := leading(ctx, w)
	crashed, failed := w.Crash(ctx, operators, "stackwright-operator")
	if err = errors.Join(err, failed); err != nil && ctx.Err() == nil {
		t.err = errors.Join(t.err, err)
	}
	if len(crashed) == 0 {
		return // there is none yet
	}
	t.kills += len(crashed)
	if slices.ContainsFunc(crashed, func(pod string) bool { return strings.HasPrefix(led, pod+"_") }) {
		t.leaders++
	}
	within, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	for now := led; now == led || now == ""; now, _ = leading(within, w) {
		if story.Pause(within, 200*time.Millisecond); within.Err() != nil {
			break
		}
	}
	if within.Err() != nil && ctx.Err() == nil {
		t.late++
	}
}

// leading is who holds the lease of the operator, POD_ID, as it was last told: one that was killed holds it on.
func leading(ctx context.Context, w *story.World) (string, error) {
	lease := &coordinationv1.Lease{}
	err := w.Get(ctx, client.ObjectKey{Namespace: operators, Name: "stackwright-operator"}, lease)
	if err != nil || lease.Spec.HolderIdentity == nil {
		return "", client.IgnoreNotFound(err)
	}
	return *lease.Spec.HolderIdentity, nil
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
		openstack resource provider list -f value -c name
		openstack volume service list -f value -c Binary -c Host -c Zone -c Status -c State
		openstack volume list --all-projects -f value -c Name -c Status
		openstack stack list --all-projects -f value -c "Stack Name" -c "Stack Status"
		openstack secret list -f value -c Name -c Status`
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
