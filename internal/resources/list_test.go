package resources

import (
	"testing"

	"stackwright.dev/stackwright/internal/openstack"
	"stackwright.dev/stackwright/internal/resources/mirror"
)

// What somebody waits for goes before what is only looked after, and both before what is read in bulk.
func TestLanesOfLists(t *testing.T) {
	for why, want := range map[mirror.Reason]openstack.Lane{mirror.Asked: openstack.Urgent,
		mirror.Awaited: openstack.Wait, mirror.Due: openstack.Drift} {
		if got := (&lister{}).urgency(why); got != want {
			t.Errorf("a list for reason %d has lane %s, want %s", why, got, want)
		}
		if got := (&lister{bulk: true}).urgency(why); got != openstack.Import {
			t.Errorf("a list in bulk has lane %s", got)
		}
	}
}
