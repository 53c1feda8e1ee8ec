//go:build e2e

package image

import (
	"os"
	"testing"

	"stackwright.dev/stackwright/internal/image/layer"
)

// rings imports our module and what Neutron shares OVN's events out by, and prints what that goes by. Then it has
// workers give their last word at different times, and prints who is in the ring: one that died; none that lives, as
// the database was away; those of one pod, the last of which was slow to start. Neutron itself has two workers here.
const rings = `
import datetime, sys, types

def ours():
    exec(sys.argv[1], types.ModuleType('ours').__dict__)

ours()
from neutron.plugins.ml2.drivers.ovn.mech_driver.ovsdb import maintenance
from neutron.common.ovn import constants, hash_ring_manager
from neutron.db import ovn_hash_ring_db
from neutron.db.models import ovn
from neutron_lib import context
from neutron_lib.db import api
from oslo_config import cfg
from oslo_db import options
from oslo_utils import timeutils
import neutron.common.config
print('word', maintenance.HashRingHealthCheckPeriodics.touch_hash_ring_node._periodic_spacing, 'of',
      constants.HASH_RING_TOUCH_INTERVAL, 'in', constants.HASH_RING_NODES_TIMEOUT, 'read',
      constants.HASH_RING_CACHE_TIMEOUT)

neutron.common.config.register_common_config_options()
cfg.CONF(['--config-file', '/dev/null'])
options.set_defaults(cfg.CONF, 'sqlite:////tmp/neutron')
cfg.CONF.set_override('api_workers', 2)
cfg.CONF.set_override('host', 'api-1')
admin = context.get_admin_context()
with api.CONTEXT_WRITER.using(admin):
    ovn.OVNHashRing.__table__.create(admin.session.connection())

def look(what, **ages):
    ring = hash_ring_manager.HashRingManager('workers')
    with api.CONTEXT_WRITER.using(admin):
        admin.session.query(ovn.OVNHashRing).delete()
        for name, age in ages.items():
            at = timeutils.utcnow() - datetime.timedelta(seconds=age)
            admin.session.add(ovn.OVNHashRing(node_uuid=name, group_name='workers', updated_at=at,
                                              hostname='api-1' if name < 'm' else 'api-2'))
    ring.refresh()
    print(what, *sorted(ring._hash_ring.nodes), 'waits' if ring._wait_startup_before_caching else 'keeps')

look('dead', a=9, b=4, x=25)
look('away', a=70, x=75, y=95)
look('slow', a=4, b=0)
look('none')
del constants.HASH_RING_CACHE_TIMEOUT
try:
    ours()
except SystemExit as e:
    print(e)
`

// Neutron's workers know soon who of them has died, and no later than is meant who is there.
func TestNeutronsWorkersSoonKnowWhoHasDied(t *testing.T) {
	text, err := os.ReadFile("../../../internal/services/neutron/ring.py")
	must(t, err)
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["neutron"]), "", "python3", "-c", rings,
		string(text))
	must(t, err)
	const want = `word 5 of 5 in 20 read 2
dead a b keeps
away a x waits
slow a b keeps
none waits
the ring of OVN's workers is not the one that is known: AttributeError("module 'neutron.common.ovn.constants' ` +
		`has no attribute 'HASH_RING_CACHE_TIMEOUT'")
`
	if got := string(out); got != want {
		t.Errorf("it says\n%s\nwant\n%s", got, want)
	}
}
