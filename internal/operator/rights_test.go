package operator

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"stackwright.dev/kit"

	openstackv1 "stackwright.dev/stackwright/api/openstack/v1alpha1"
)

// except allows all but some plurals.
func except(plurals ...string) func(context.Context, schema.GroupResource) (bool, error) {
	return func(_ context.Context, gr schema.GroupResource) (bool, error) {
		return !slices.Contains(plurals, gr.Resource), nil
	}
}

func everything(t *testing.T) []kit.Controller {
	t.Helper()
	known := Registry(Environment{})
	s, err := Select("", known.Components())
	if err != nil {
		t.Fatal(err)
	}
	all, err := known.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Controllers that need what may not be listed do not run, and the others do.
func TestMissingRightsStopSome(t *testing.T) {
	all := everything(t)
	for name, c := range map[string]struct {
		missing  []string
		idle, on []string
	}{
		"none": {nil, nil, []string{"User", "Galera", "Network"}},
		"one": {[]string{"users"}, []string{"User", "RoleAssignment", "GroupMembership"},
			[]string{"Project", "Server"}},
		"of no one":   {[]string{"spoons"}, nil, []string{"User"}},
		"of services": {[]string{"statefulsets"}, []string{"Galera"}, []string{"Keystone", "User"}},
		"of clouds":   {[]string{"clouds"}, []string{"User", "Network", "Cloud"}, []string{"Galera"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRights(except(c.missing...))
			runs := map[string]bool{}
			for _, ctl := range r.allow(t.Context(), all) {
				runs[ctl.Plan().Kind.Kind] = true
			}
			for _, kind := range slices.Concat(c.idle, c.on) {
				idle := slices.Contains(c.idle, kind)
				if runs[kind] == idle || r.unseen(kind) != idle {
					t.Errorf("%s runs: %v", kind, runs[kind])
				}
			}
			if n := testutil.CollectAndCount(r); n != len(r.missing) || len(c.idle) > 0 && n == 0 {
				t.Errorf("there are %d series about %d missing rights", n, len(r.missing))
			}
		})
	}
}

// Who may not ask about rights runs everything: the lists will tell.
func TestUnknownRightsStopNothing(t *testing.T) {
	all := everything(t)
	r := newRights(func(context.Context, schema.GroupResource) (bool, error) { return false, errors.New("forbidden") })
	if n := len(r.allow(t.Context(), all)); n != len(all) || len(r.missing) > 0 {
		t.Errorf("%d of %d controllers run", n, len(all))
	}
}

// A right that is given ends the process, which starts anew with what it left out; without news it waits.
func TestRightIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Bool
		r := newRights(func(_ context.Context, gr schema.GroupResource) (bool, error) {
			return gr.Resource != "users" || given.Load(), nil
		})
		r.missing = []schema.GroupResource{{Resource: "users"}}
		done := make(chan error, 1)
		go func() { done <- r.Start(t.Context()) }()
		<-time.After(time.Hour)
		synctest.Wait()
		if len(done) > 0 {
			t.Fatalf("it ended without a right: %v", <-done)
		}
		given.Store(true)
		<-time.After(rightsAgain)
		synctest.Wait()
		if err := <-done; err == nil || !strings.Contains(err.Error(), "may list users now") {
			t.Errorf("the error is %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Start(ctx); err != nil {
			t.Errorf("at the end of the process: %v", err)
		}
	})
}

// What an operator lists for a kind depends on what it runs.
func TestListedBy(t *testing.T) {
	user := openstackv1.GroupVersion.WithKind("User")
	for args, want := range map[string]bool{"": true, "--controllers=resources": true, "--controllers=keystone": false,
		"--controllers resources": true, "-controllers=galera,resources": true, "--controllers=spoon": false} {
		pod := &corev1.Pod{}
		pod.Spec.Containers = []corev1.Container{{Args: append([]string{"--leader-elect"}, strings.Fields(args)...)}}
		found := listed(pod, user)
		if (len(found) > 0) != want || want && !strings.Contains(join(found), "users.openstack.stackwright.dev") {
			t.Errorf("with %q it lists %v for users", args, found)
		}
	}
}
