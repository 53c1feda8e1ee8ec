//go:build e2e

package image

import (
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
