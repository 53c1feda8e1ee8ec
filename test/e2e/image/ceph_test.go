//go:build e2e

package image

import (
	"os"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/image/layer"
)

// asked answers a script as the daemon of a disk does, over its socket, with the blocked requests that it is given, and
// prints how the script ends.
const asked = `
import json, os, socket, subprocess, sys, threading
script, path = sys.argv[1], '/run/ceph/ceph-osd.0.asok'
os.makedirs('/run/ceph', exist_ok=True)

def op(point, age): return {'age': age, 'type_data': {'flag_point': point}}

def ends(what, state, *ops):
    if os.path.exists(path): os.unlink(path)
    server = socket.socket(socket.AF_UNIX)
    if state:
        server.bind(path)
        server.listen()
    def serve():
        peer, _ = server.accept()
        command = json.loads(peer.recv(4096).rstrip(b'\0'))['prefix']
        answer = json.dumps({'status': {'state': state}, 'dump_blocked_ops': {'ops': ops}}[command]).encode()
        peer.sendall(len(answer).to_bytes(4, 'big') + answer)
        peer.close()
    if state: threading.Thread(target=serve, daemon=True).start()
    run = subprocess.run([sys.executable, '-c', script] + what, capture_output=True, text=True)
    print(run.returncode, (run.stderr.strip().splitlines() or [''])[-1])

ends([], 'active')
ends([], 'booting')
ends(['stuck'], 'active')
ends(['stuck'], 'active', op('waiting for readable', 20.5), op('waiting for rw locks', 500))
ends(['stuck'], 'active', op('delayed', 1), op('waiting for readable', 304.2))
ends(['stuck'], None)
`

// The disk of a Ceph is started again when it has forgotten that it may be read, and for no other reason.
func TestStuckDiskIsSeen(t *testing.T) {
	script, err := os.ReadFile("../../../internal/infra/devceph/answers.py")
	must(t, err)
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["ceph"]), "", "python3", "-c", asked,
		string(script))
	must(t, err)
	want := []string{"0", "1 the disk is booting", "0", "0", "1 the disk may not be read for 304 s", "0"}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("the script ends in\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
