//go:build e2e

package image

import (
	"os"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/image/layer"
)

// takesBack lets Nova's own code, as we start it, find the row of a host that left, and prints what it would save.
const takesBack = `
import sys, types, uuid
ours = types.ModuleType('ours')
exec(sys.argv[1], ours.__dict__)
ours.join_again()

from nova import context, objects
from nova.compute import resource_tracker
from nova.db.main import api

class Saved(Exception): pass

def update(context, id, values):
    print('saved', *('%s=%s' % kv for kv in sorted(values.items())))
    raise Saved

objects.register_all()
api.compute_node_update = update
admin = context.get_admin_context()

def known(**what):
    node = objects.ComputeNode(admin, id=1, uuid=str(uuid.UUID(int=1)), host='node-1', mapped=1, **what)
    node.obj_reset_changes()
    return node

tracker = resource_tracker.ResourceTracker.__new__(resource_tracker.ResourceTracker)
tracker.host, tracker.compute_nodes = 'node-1', {}
tracker._get_compute_node = lambda *args: known(deleted=True)
try:
    tracker._init_compute_node(admin, {'hypervisor_hostname': 'node-1', 'uuid': 'any'})
except Saved: pass
other = known(deleted=False)
other.vcpus = 2
try:
    other.save()
except Saved: pass
`

// A host that comes back is looked for by the search for new hosts; one that changes is left as it is.
func TestHostThatComesBackIsNew(t *testing.T) {
	script, err := os.ReadFile("../../../internal/fleet/buildingblock/stackwright_compute.py")
	must(t, err)
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["nova-compute"]), "", "python3", "-c", takesBack,
		string(script))
	must(t, err)
	const want = "saved deleted=False deleted_at=None mapped=0\nsaved vcpus=2\n"
	if !strings.HasSuffix(string(out), want) {
		t.Errorf("Nova says %s, want %s", out, want)
	}
}
