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
	saysInCompute(t, takesBack, "saved deleted=False deleted_at=None mapped=0\nsaved vcpus=2\n")
}

// apart has Nova's own books of two hosts of one process looked at at the same time, those of the second twice.
const apart = `
import sys, types
ours = types.ModuleType('ours')
exec(sys.argv[1], ours.__dict__)
ours.count_apart()
from nova.compute import resource_tracker

class Books(resource_tracker.ResourceTracker):
    def __init__(self, host): self.host = host
    def _drop_move_claim(self, *args, **kwargs):
        print(self.host, 'begins')
        ours.eventlet.sleep(0.1)
        print(self.host, 'ends')

looks = [ours.eventlet.spawn(Books(host).drop_move_claim, None, None, None) for host in ('a', 'b', 'b')]
for look in looks: look.wait()
`

// Hosts of one process count what they have beside each other, and each of them once at a time.
func TestFakeHostsCountApart(t *testing.T) {
	saysInCompute(t, apart, "a begins\nb begins\na ends\nb ends\nb begins\nb ends\n")
}

// startsAgain has a process be two hosts, with a gap between their numbers, of which the second is not answered the
// first time that it starts.
const startsAgain = `
import sys, types
ours = types.ModuleType('ours')
exec(sys.argv[1], ours.__dict__)
Service = ours.service.Service

def create(host, binary, topic):
    made = Service.__new__(Service)
    made.host, made.binary, made.manager_class_name = host, binary, 'any'
    return made

answers = {'crowd-0': [True], 'crowd-4': [False, True]}

def start(self):
    answered = answers[self.host].pop(0)
    print(self.host, 'starts' if answered else 'is not answered')
    if not answered: raise TimeoutError

class Started:
    def close(self): print('all have started')

Service.create, Service.start, Service.stop = create, start, lambda self: print(self.host, 'stops')
ours.service.serve = lambda server, workers: server.start()
ours.time.sleep = lambda seconds: print('waits')
ours.open = lambda *args: Started()
ours.fake_hosts('crowd', [0, 4])
ours.service.serve(create('crowd-0', 'nova-compute', 'compute'))
ours.eventlet.sleep(0.1)
`

// A host of several that has not started is started again: the others work, and nothing else would look after it.
func TestFakeHostsStartAgain(t *testing.T) {
	saysInCompute(t, startsAgain, "crowd-0 starts\ncrowd-4 is not answered\ncrowd-4 stops\nwaits\ncrowd-4 starts\n"+
		"all have started\n")
}

// saysInCompute runs a program in the image of nova-compute, with our start of it as the argument.
func saysInCompute(t *testing.T, program, want string) {
	t.Helper()
	script, err := os.ReadFile("../../../internal/fleet/buildingblock/stackwright_compute.py")
	must(t, err)
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["nova-compute"]), "", "python3", "-c", program,
		string(script))
	must(t, err)
	if !strings.HasSuffix(string(out), want) {
		t.Errorf("Nova says %s, want %s", out, want)
	}
}

// asksAgain saves a server while the conductor first answers that it has no database, and then that it has lost a race.
const asksAgain = `
import sys, types
import oslo_messaging
ours = types.ModuleType('ours')
exec(sys.argv[1], ours.__dict__)
ours.wait_for_the_database()
ours.time.sleep = lambda seconds: print('wait')

from nova import context, objects
from nova.conductor import rpcapi
from nova.objects import base

class Client:
    answers = ['DBConnectionError', 'DBConnectionError', None, 'DBDeadlock']
    def prepare(self, **kwargs): return self
    def call(self, context, method, **kwargs):
        error = self.answers.pop(0)
        print(method, error)
        if error: raise oslo_messaging.RemoteError(error, 'text')
        return {}, None

objects.register_all()
api = rpcapi.ConductorAPI.__new__(rpcapi.ConductorAPI)
api.client = Client()
base.NovaObject.indirection_api = api
server = objects.Instance(context.get_admin_context(), uuid='8a8c6b1c-4f9d-4c8a-9d0f-0c4c1f5b1f1a')
for name in 'first', 'second':
    server.display_name = name
    try:
        server.save()
    except oslo_messaging.RemoteError as e:
        print('failed:', e.exc_type)
`

// What nova-compute notes of a server waits while the database is away; other errors are Nova's own business.
func TestComputeWaitsForTheDatabase(t *testing.T) {
	const lost = "object_action DBConnectionError\nwait\n"
	saysInCompute(t, asksAgain, lost+lost+"object_action None\nobject_action DBDeadlock\nfailed: DBDeadlock\n")
}
