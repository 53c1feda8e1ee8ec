//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"strings"
	"time"

	fleetv1 "stackwright.dev/stackwright/api/fleet/v1alpha1"
	servicev1 "stackwright.dev/stackwright/api/service/v1alpha1"
)

// options has one option.
func (f fleet) options(name string, value any) servicev1.Options {
	f.Helper()
	v, err := servicev1.ValueOf(value)
	if err != nil {
		f.Fatal(err)
	}
	return servicev1.Options{name: v}
}

// Options of Open vSwitch and of ovn-controller that differ from those of every host.
const (
	idle, idleFor   = "max-idle", 31000
	cache, cacheMax = "ovn-memlimit-lflow-cache-kb", 65536
)

// tuned gives a block such options.
func (f fleet) tuned(b *fleetv1.BuildingBlock) {
	f.Helper()
	b.Spec.Agents.Chassis.Config = map[string]servicev1.Options{"other_config": f.options(idle, idleFor),
		"external_ids": f.options(cache, cacheMax)}
}

// takesBack finds the options in the database of Open vSwitch on the host, and nothing of them any more once nobody
// asks for them. What somebody else has written there stays.
func (f fleet) takesBack(rack *fleetv1.BuildingBlock) {
	f.Helper()
	const others = "stats-update-interval"
	ask := func(ctx context.Context, order ...string) (string, error) {
		return f.Cluster.Kubectl(ctx, append([]string{"-n", f.namespace, "exec", "daemonset/" + rack.Name + "-ovn-chassis",
			"-c", "switch", "--", "ovs-vsctl", "--timeout=10"}, order...)...)
	}
	if _, err := ask(f.Context(), "set", "Open_vSwitch", ".", "other_config:"+others+"=6000"); err != nil {
		f.Fatal(err)
	}
	for _, want := range []struct {
		what    string
		options bool
	}{{"the options are set", true}, {"the options are gone", false}} {
		if !want.options {
			rack.Spec.Agents.Chassis.Config = nil
			f.Apply(rack.DeepCopy())
		}
		f.Eventually(3*time.Minute, want.what, func(ctx context.Context) error {
			has, err := ask(ctx, "get", "Open_vSwitch", ".", "other_config", "external_ids")
			if err != nil {
				return err
			}
			for option, set := range map[string]bool{fmt.Sprintf("%s=\"%d\"", idle, idleFor): want.options,
				fmt.Sprintf("%s=\"%d\"", cache, cacheMax): want.options, others + "=": true, "ovn-monitor-all=": true} {
				if strings.Contains(has, option) != set {
					return fmt.Errorf("the database has %s, and %s is to be there: %t", has, option, set)
				}
			}
			return nil
		})
	}
	f.Ready(2*time.Minute, rack)
	if _, err := ask(f.Context(), "remove", "Open_vSwitch", ".", "other_config", others); err != nil {
		f.Fatal(err)
	}
}
