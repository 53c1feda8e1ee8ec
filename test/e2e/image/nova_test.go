//go:build e2e

package image

import (
	"os"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/image/layer"
)

// world makes a Nova of three cells with our program, the second of which does not answer. run is a command of the
// program, in a process of its own as all that Nova keeps in mind is that of a process.
const world = `
import datetime, json, os, sys, types

def module(text):
    made = types.ModuleType('ours')
    exec(text, made.__dict__)
    return made

sources = sys.argv[1:]
ours, starts = map(module, sources[:2])

def apart(f):
    sys.stdout.flush()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        f()
    except SystemExit as e:
        print('ends:', e.code)
    sys.stdout.flush()
    os._exit(0)

def setup(name):
    with open(f'/tmp/{name}.conf', 'w') as f:
        f.write(f'[api_database]\nconnection = sqlite:////tmp/api\n'
                f'[database]\nconnection = sqlite:////tmp/{name}\nmax_retries = 1\nretry_interval = 1\n')

def run(name, *args):
    sys.argv = ['ours', '--config-file', f'/tmp/{name}.conf', *args]
    apart(ours.main)

def within(name, f):
    def look():
        ours.config.parse_args(['ours', '--config-file', '/tmp/cell0.conf'])
        ours.objects.register_all()
        admin = ours.context.get_admin_context()
        for cell in ours.objects.CellMappingList.get_all(admin):
            if cell.name == name:
                with ours.context.target_cell(admin, cell) as inside:
                    f(admin, inside)
    apart(look)

def cell_of(admin, inside):
    return ours.objects.CellMapping.get_by_uuid(admin, inside.cell_uuid)

def names():
    within('cell0', lambda admin, _: print('cells:', *(c.name for c in ours.objects.CellMappingList.get_all(admin))))

away = 'mysql+pymysql://n:hidden@127.0.0.1:1/away'
with open('/tmp/cells.json', 'w') as f:
    json.dump([dict(name=n, transport='fake:///', database=d) for n, d in
               (('cell1', 'sqlite:////tmp/cell1'), ('away', away), ('cell3', 'sqlite:////tmp/cell3'))], f)
def born(at):
    with open('/tmp/born', 'w') as f:
        f.write(at)

born('2025-01-01T00:00:00Z')
for name in 'cell0', 'cell1', 'cell3':
    setup(name)
run('cell0', 'prepare')
run('cell1', 'cell')
run('cell3', 'cell')
run('cell0', 'register', '--cells', '/tmp/cells.json')
print('---')
`

// saysInNova runs a program in the image of Nova after world, and compares what it prints.
func saysInNova(t *testing.T, program, want string) {
	t.Helper()
	const sources = "../../../internal/services/nova/"
	args := []string{"python3", "-c", world + program}
	for _, file := range []string{"nova.py", "scheduler.py", "bus.py"} {
		text, err := os.ReadFile(sources + file)
		must(t, err)
		args = append(args, string(text))
	}
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["nova"]), "", args...)
	must(t, err)
	if _, said, _ := strings.Cut(string(out), "---\n"); said != want {
		t.Errorf("Nova says\n%s\nwant\n%s", said, want)
	}
}

// arrives has a host report in the last cell, and the scheduler search for new hosts.
const arrives = `
def host(admin, inside):
    ours.objects.ComputeNode(
        inside, host='node-1', hypervisor_hostname='node-1', hypervisor_type='fake', hypervisor_version=1, vcpus=1,
        vcpus_used=0, memory_mb=1, memory_mb_used=0, local_gb=1, local_gb_used=0, cpu_info='{}',
        uuid='8a8c6b1c-4f9d-4c8a-9d0f-0c4c1f5b1f1a').create()
within('cell3', host)

def search(admin, _):
    starts.search_on()
    from nova.scheduler import manager
    for m in manager.host_mapping_obj.discover_hosts(admin):
        print(m.host, 'is in', m.cell_mapping.name)
within('cell0', search)
`

// Hosts of a cell are found although an earlier one does not answer.
func TestHostsAreFoundBehindACellThatDoesNotAnswer(t *testing.T) {
	saysInNova(t, arrives, "node-1 is in cell3\n")
}

// gone is what is said of a database that does not answer.
const gone = `(pymysql.err.OperationalError) (2003, "Can't connect to MySQL server on '127.0.0.1' ([Errno 101] ` +
	`ENETUNREACH)")`

// old has a server in each cell that was deleted two months ago, and one that was deleted yesterday.
const old = `
from oslo_utils import timeutils, uuidutils

def servers(admin, inside):
    for days in 60, 1:
        server = ours.objects.Instance(inside, uuid=uuidutils.generate_uuid(), project_id='p', user_id='u')
        server.create()
        ours.objects.InstanceMapping(admin, instance_uuid=server.uuid, project_id='p', user_id='u',
                                     cell_mapping=cell_of(admin, inside)).create()
        server.destroy()
        with ours.db.get_context_manager(inside).writer.using(inside) as session:
            session.execute(sqlalchemy.text('update instances set deleted_at = :at where uuid = :uuid'),
                            {'at': timeutils.utcnow() - datetime.timedelta(days=days), 'uuid': server.uuid})

def count(admin, inside):
    with ours.db.get_context_manager(inside).reader.using(inside) as session:
        rows = [session.execute(sqlalchemy.text(f'select count(*) from {table}')).scalar()
                for table in ('instances', 'shadow_instances')]
    cell = cell_of(admin, inside)
    print(cell.name, *rows, len(ours.objects.InstanceMappingList.get_by_cell_id(admin, cell.id)))

import sqlalchemy
for name in 'cell1', 'cell3':
    within(name, servers)
run('cell0', 'maintain', '--keep-days', '30')
for name in 'cell1', 'cell3':
    within(name, count)
`

// A cell that does not answer keeps no other from being cleaned, and is named.
func TestCellsAreCleanedBehindOneThatDoesNotAnswer(t *testing.T) {
	saysInNova(t, old, "ends: not all is done: fill_virtual_interface_list: "+gone+"; cell away: "+gone+
		"\ncell1 1 0 1\ncell3 1 0 1\n")
}

// earlier has cells that nobody wants any more: one with a host, one with records of a server and no database, and one
// with nothing.
const earlier = `
def host(admin, inside):
    ours.objects.HostMapping(admin, host='node-1', cell_mapping=cell_of(admin, inside)).create()
within('cell3', host)

def server(admin, inside):
    ours.objects.InstanceMapping(admin, instance_uuid='8a8c6b1c-4f9d-4c8a-9d0f-0c4c1f5b1f1a', project_id='p',
                                 user_id='u', cell_mapping=cell_of(admin, inside)).create()
within('away', server)

def empty(admin, _):
    for n in 'first', 'second':
        ours.put_cell(admin, [], None, n, 'sqlite:////tmp/none', 'fake:///')
within('cell0', empty)
run('cell0', 'forget', 'first', 'cell3')
run('cell0', 'prune', '--before', '2025-01-01T00:00:00Z')
born('2125-01-01T00:00:00Z')
run('cell0', 'prune', '--before', '2125-01-01T00:00:00Z', 'cell1', 'second')
names()

with open('/tmp/cells.json', 'w') as f:
    json.dump([dict(name='cell1', transport='fake:///', database='sqlite:////tmp/cell1')], f)
run('cell0', 'register', '--cells', '/tmp/cells.json')
names()
`

// Cells that are not in the list go when nothing is in them, those of an earlier Nova before its programs start. Why
// others stay is said of each.
func TestCellsThatNobodyWantsAreForgotten(t *testing.T) {
	saysInNova(t, earlier, `cell first is registered
cell second is registered
cell first is gone
ends: cell cell3 has 1 host, such as node-1: delete their BuildingBlock or compute services first, or put `+
		`the cell back into spec.cells
ends: cell away has records of 1 server, and its database does not answer, `+gone+`: repair it, or put the cell `+
		`back into spec.cells; cell cell3 has 1 host, such as node-1: delete their BuildingBlock or compute services `+
		`first, or put the cell back into spec.cells
cells: cell0 cell1 away cell3 second
cell second is gone
cells: cell0 cell1 away cell3
`)
}

// moved gives cell0 another database.
const moved = `
setup('other')
os.rename('/tmp/other.conf', '/tmp/cell0.conf')
run('cell0', 'prepare')
run('cell0', 'prepare')
within('cell0', lambda admin, inside: print(cell_of(admin, inside).database_connection))
`

// How cell0 is reached is noted anew when that has changed, and only then.
func TestCellZeroIsNotedAnew(t *testing.T) {
	saysInNova(t, moved, "cell cell0 has new addresses\nsqlite:////tmp/other\n")
}

// rows are those of a conductor as an earlier operator left them, beside others.
const rows = `
def pods(admin, inside):
    for host in 'n-conductor', 'n-conductor-0', 'n-conductor-12', 'n-conductor-far', 'm-conductor-0':
        ours.objects.Service(inside, host=host, binary='nova-conductor', topic='conductor', report_count=0).create()
within('cell1', pods)
run('cell1', 'services', 'nova-conductor=n-conductor')

def left(admin, inside):
    print(*sorted(s.host for s in ours.objects.ServiceList.get_by_binary(inside, 'nova-conductor')))
within('cell1', left)
`

// Rows that pods had for themselves go, and those of programs stay.
func TestRowsOfPodsGo(t *testing.T) {
	saysInNova(t, rows, "nova-conductor of n-conductor-0 is gone\nnova-conductor of n-conductor-12 is gone\n"+
		"m-conductor-0 n-conductor n-conductor-far\n")
}

// mute asks for servers of a cell whose bus answers nobody for a while, and of one that has the API's own bus.
const mute = `
import time
bus = module(sources[2])
world = dict(up=False)

class Connection:
    def __enter__(self): return self
    def __exit__(self, *_): pass

def connect(member, timeout):
    if not world['up']:
        raise ConnectionRefusedError(member)
    return Connection()

bus.socket = types.SimpleNamespace(create_connection=connect)

def tell(name, address):
    inside = ours.context.get_admin_context()
    cell = ours.objects.CellMapping(inside, uuid='8a8c6b1c-4f9d-4c8a-9d0f-0c4c1f5b1f1' + name[-1], name=name,
                                    transport_url=address, database_connection='sqlite://')
    ours.context.set_target_cell(inside, cell)
    default = types.SimpleNamespace(target=None, version_cap=None, serializer=None, call_monitor_timeout=None)
    began = time.monotonic()
    try:
        bus.rpc.ClientRouter(default).client(inside)
        said = 'told'
    except bus.exc.HTTPConflict as e:
        said = e.code
    print(name, said, 'after', 5 if 4 < time.monotonic() - began < 8 else round(time.monotonic() - began))

def ask(admin, _):
    far, own = 'rabbit://u:p@far:5671/cell', 'rabbit://u:p@own:5671/'
    bus.CONF.set_override('transport_url', own)
    tell('cell1', own + 'cell')
    tell('cell2', far)
    tell('cell2', far)
    world['up'] = True
    time.sleep(bus.TRUST)
    tell('cell2', far)
    tell('cell3', 'fake:///')
within('cell0', ask)
`

// Who asks for a server of a cell whose bus does not answer holds up an API for seconds, and the next ones do not. Its
// own bus an API waits for.
func TestAPIsAreNotHeldUpByABus(t *testing.T) {
	saysInNova(t, mute, `cell1 told after 0
cell2 409 after 5
cell2 409 after 0
cell2 told after 0
cell3 told after 0
`)
}
