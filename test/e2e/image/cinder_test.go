//go:build e2e

package image

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/image/layer"
)

// opens lets os-brick, as we start it, open volumes of several Cephs, and prints the key that it has for each.
const opens = `
import os, sys, tempfile, types
folder = tempfile.mkdtemp()
for name, where in {
    'far': 'mon_host = [v2:10.0.0.10:3300,v1:10.0.0.10:6789],[2001:db8::10]:3300,mon-10',
    'near': 'mon_host = [v2:10.0.0.1:3300,v1:10.0.0.1:6789] 110.0.0.2',
    'six': 'mon host = [v2:[2001:db8::1]:3300/0,v1:[2001:db8::1]:6789/0]',
    'named': 'mon_host = mon-1,mon-2.example.org:6789',
}.items():
    ring = os.path.join(folder, 'ceph-%s.keyring' % name)
    with open(os.path.join(folder, 'ceph-%s.conf' % name), 'w') as f:
        f.write('[global]\n%s\n[client.volumes]\nkeyring = %s\n' % (where, ring))
    with open(ring, 'w') as f:
        f.write('the key of ' + name)

from os_brick.initiator.connectors import rbd
rbd.RBDConnector._get_rbd_handle = lambda self, properties: print(properties['hosts'][-1], properties['keyring'])
script = sys.argv[1]
sys.argv = ['stackwright_volume', '--config-file', os.path.join(folder, 'cinder.conf')]
exec(script, types.ModuleType('ours').__dict__)
for hosts in ['10.0.0.1'], ['10.0.0.10'], ['10.9.9.9', '2001:db8::1'], ['2001:DB8::10'], ['mon-1'], ['mon-10'], \
        ['mon-2.example.org']:
    rbd.RBDConnector._get_rbd_handle(None, {'auth_username': 'volumes', 'hosts': hosts})
`

// The key of a volume is that of its own Ceph, however alike the addresses of others are.
func TestCinderKnowsWhichCephItIs(t *testing.T) {
	script, err := os.ReadFile("../../../internal/services/cinder/ceph.py")
	must(t, err)
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["cinder"]), "", "python3", "-c", opens,
		string(script))
	must(t, err)
	want := "10.0.0.1 the key of near\n10.0.0.10 the key of far\n2001:db8::1 the key of six\n" +
		"2001:DB8::10 the key of far\nmon-1 the key of named\nmon-10 the key of far\nmon-2.example.org the key of named\n"
	if !strings.HasSuffix(string(out), want) {
		t.Errorf("the keys are\n%s\nwant\n%s", out, want)
	}
}

// stops runs a program of Cinder, with the options that we give all of them, until it has begun an order of four
// minutes, and tells it to go. A minute is a second of its alarm clock, which ends all but the first program of a
// container.
const stops = `
import configparser, os, signal, subprocess, sys
name, launcher, given = sys.argv[1:]
options = configparser.RawConfigParser()
options.read_string(given)
folder = '/tmp/ours/'
os.mkdir(folder)

def write(file, text):
    with open(folder + file, 'w') as f:
        f.write(text)

write('cinder.conf', '[DEFAULT]\n' + ''.join(
    f'{k} = {v}\n' for k, v in {**options.defaults(), 'transport_url': 'fake:///', 'state_path': folder, 'host': 'ours',
    'enabled_backends': 'b', 'backup_driver': 'cinder.backup.drivers.posix.PosixBackupDriver',
    'backup_posix_path': folder}.items()) + f"""
[b]
volume_driver = ours.Driver
[database]
connection = sqlite:///{folder}db
[oslo_concurrency]
lock_path = {folder}
""")
write('ours.py', """
from cinder.volume import driver

class Driver(driver.VolumeDriver):
    VERSION = '1'
    do_setup = check_for_setup_error = lambda self, *_: None
    def _update_volume_stats(self):
        self._stats = dict(volume_backend_name='b', vendor_name='', driver_version='1', storage_protocol='',
                           total_capacity_gb=1, free_capacity_gb=1, reserved_percentage=0)
""")
# The launchers import it before they start the program.
write('stackwright_ceph.py', """
import signal, sys, time
from cinder import objects
objects.register_all()
import eventlet, oslo_messaging
from cinder import context, manager, rpc
alarm = signal.alarm
signal.alarm = lambda seconds: alarm(seconds // 60)

def copy(self, context):
    print('begins', flush=True)
    time.sleep(4)
    print('ends', flush=True)

def order(self):
    target = oslo_messaging.Target(topic='cinder-NAME', server=self.host, version=self.RPC_API_VERSION)
    eventlet.spawn_after(1, lambda: rpc.get_client(target).cast(context.get_admin_context(), 'copy'))

for kind in manager.Manager, getattr(sys.modules.get('cinder.volume.manager'), 'VolumeManager', manager.Manager):
    kind.copy, kind.init_host_with_rpc = copy, order
""".replace('NAME', name))
write(f'stackwright_{name}.py', launcher)
config = ['--config-file', folder + 'cinder.conf']
subprocess.run(['cinder-manage', *config, 'db', 'sync'], check=True, capture_output=True)
program = subprocess.Popen(['python3', '-m', 'stackwright_' + name, *config], text=True, stdout=subprocess.PIPE,
                           env=dict(os.environ, PYTHONPATH=folder))
signal.signal(signal.SIGALRM, lambda *_: program.kill())
signal.alarm(90)
for line in program.stdout:
    print(name, line.strip())
    if line == 'begins\n':
        program.send_signal(signal.SIGTERM)
print(name, 'returns', program.wait())
`

// Who tells a program of Cinder to go waits for the copies that it has begun.
func TestCinderEndsWhatItHasBegun(t *testing.T) {
	const folder = "../../../internal/services/cinder/"
	given, err := os.ReadFile(folder + "testdata/cinder.conf")
	must(t, err)
	for _, name := range []string{"volume", "backup"} {
		launcher, err := os.ReadFile(folder + name + ".py")
		must(t, err)
		out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["cinder"]), "", "python3", "-c", stops, name,
			string(launcher), string(given))
		must(t, err)
		if got, want := string(out), fmt.Sprintf("%[1]s begins\n%[1]s ends\n%[1]s returns 0\n", name); got != want {
			t.Errorf("the program says\n%s\nwant\n%s", got, want)
		}
	}
}
