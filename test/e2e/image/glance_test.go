//go:build e2e

package image

import (
	"os"
	"strings"
	"testing"

	"stackwright.dev/stackwright/internal/image/layer"
)

// inGlance runs a program in the image of Glance, with one of our modules and further arguments, and compares what it
// prints.
func inGlance(t *testing.T, module, program, want string, args ...string) {
	t.Helper()
	text, err := os.ReadFile("../../../internal/services/glance/" + module)
	must(t, err)
	args = append([]string{"python3", "-c", program, string(text)}, args...)
	out, err := layer.Exec(t.Context(), stored(t, build(t, "", "").Images["glance"]), "", args...)
	must(t, err)
	if got := strings.TrimSpace(string(out)); got != want {
		t.Errorf("%s says\n%s\nwant\n%s", module, got, want)
	}
}

// silent lets our program ask two Swifts that take connections and say nothing, one who knows its users itself and one
// with a Keystone, and prints which of them it says do not answer.
const silent = `
import re, signal, socket, subprocess, sys, types
signal.signal(signal.SIGALRM, lambda *_: sys.exit('it waits for ever'))
signal.alarm(30)
subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
server = socket.create_server(('127.0.0.1', 0))
port = server.getsockname()[1]
with open('/tmp/glance.conf', 'w') as f:
    f.write('[DEFAULT]\nenabled_backends = plain:swift,known:swift\n[glance_store]\ndefault_backend = plain\n')
    for name, version, path, user in ('plain', 1, 'auth/v1.0', 'a:b'), ('known', 3, 'v3', 'p:u'):
        with open(f'/tmp/{name}.conf', 'w') as account:
            account.write(f'[{name}]\nauth_version = "{version}"\nauth_address = "http://127.0.0.1:{port}/{path}"\n'
                          f'user = "{user}"\nkey = "k"\n')
        f.write(f'[{name}]\nswift_store_config_file = /tmp/{name}.conf\ndefault_swift_reference = {name}\n'
                f'swift_store_container = images\n')
watch = types.ModuleType('watch')
exec(sys.argv[1], watch.__dict__)
watch.PATIENCE = 2
watch.watch = lambda stores: print(re.findall('store ([a-z]+) does not answer', watch.trouble(stores)))
sys.argv = ['watch', '--config-file', '/tmp/glance.conf']
watch.main()
`

// A Swift that takes connections and does not answer is told like one that is not there.
func TestSilentSwiftIsTold(t *testing.T) {
	inGlance(t, "watch.py", silent, "['plain', 'known']")
}
