package operator

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func known() map[string][]string {
	return map[string][]string{"keystone": {"main", "setup"}, "galera": nil, "nova": {"api", "conductor", "main"}}
}

func TestSelect(t *testing.T) {
	for name, c := range map[string]struct {
		flag string
		want Selection
		err  string
	}{
		"all":               {flag: "", want: Selection{"keystone": nil, "galera": nil, "nova": nil}},
		"one":               {flag: "keystone", want: Selection{"keystone": nil}},
		"spaces":            {flag: " galera , keystone", want: Selection{"galera": nil, "keystone": nil}},
		"component":         {flag: "nova/api", want: Selection{"nova": {"api"}}},
		"two components":    {flag: "nova/api,nova/conductor,nova/api", want: Selection{"nova": {"api", "conductor"}}},
		"whole wins":        {flag: "nova/api,nova", want: Selection{"nova": nil}},
		"whole wins before": {flag: "nova,nova/api", want: Selection{"nova": nil}},
		"unknown": {flag: "glance",
			err: `controller "glance" does not exist; those that exist are galera, keystone, nova`},
		"unknown component": {flag: "nova/gui",
			err: `controller nova has no component "gui"; those that exist are api, conductor, main`},
		"no components":         {flag: "galera/api", err: "controller galera has no components; leave out /api"},
		"empty between commas":  {flag: "nova,,galera", err: `controller "" does not exist`},
		"component of a nobody": {flag: "/api", err: `controller "" does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Select(c.flag, known())
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error is %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Operators of different selections run beside each other; replicas of one selection take turns.
func TestLeaseFollowsTheSelection(t *testing.T) {
	leases := map[string]string{}
	for _, flag := range []string{"", "keystone", "nova/api", "nova/conductor", "nova/api,keystone",
		"galera,keystone,nova/api"} {
		s, err := Select(flag, known())
		if err != nil {
			t.Fatal(err)
		}
		lease := s.Lease(len(known()))
		if other, taken := leases[lease]; taken {
			t.Errorf("selections %q and %q share lease %s", flag, other, lease)
		}
		leases[lease] = flag
	}
	one, _ := Select("nova/api,keystone", known())
	two, _ := Select("keystone,nova/api", known())
	if one.Lease(3) != two.Lease(3) {
		t.Error("the order of the flag changes the lease")
	}
	if all, _ := Select("galera,nova,keystone", known()); all.Lease(3) != "stackwright-operator" {
		t.Error("naming all controllers is not the same as naming none")
	}
}
