//go:build e2e

package image

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"stackwright.dev/stackwright/internal/image/layer"
	"stackwright.dev/stackwright/internal/pki"
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

// patient asks two buckets whose endpoints do not answer, one that takes a connection and one that drops all packets.
// Clocks go ten times as fast, but not those of the pauses between; it prints whether a minute is enough.
const patient = `
import signal, socket, subprocess, sys, threading, time, types
signal.signal(signal.SIGALRM, lambda *_: sys.exit('it waits for ever'))
signal.alarm(90)
subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
takes, drops = socket.create_server(('127.0.0.1', 0)), socket.create_server(('127.0.0.1', 0), backlog=0)
full = [socket.socket() for _ in range(4)]
for s in full:
    s.setblocking(False)
    s.connect_ex(drops.getsockname())
exec(sys.argv[1], types.ModuleType('ours').__dict__)

from botocore import config
for clock in 'connect_timeout', 'read_timeout':
    config.Config.OPTION_DEFAULTS[clock] /= 10
import glance_store
from glance_store._drivers import s3
from oslo_config import cfg

def ask(name, server):
    conf = cfg.ConfigOpts()
    address = 'http://127.0.0.1:%d' % server.getsockname()[1]
    conf.register_opts(s3.Store.OPTIONS, group='b')
    for option, value in {'s3_store_host': address, 's3_store_bucket': 'images', 's3_store_access_key': 'a',
                          's3_store_secret_key': 'k', 's3_store_bucket_url_format': 'path'}.items():
        conf.set_override(option, value, group='b')
    conf([])
    store = s3.Store(conf, 'b')
    store.configure()
    place = s3.StoreLocation({'scheme': 's3', 'bucket': 'images', 'key': 'image', 's3serviceurl': address[7:]}, conf,
                             backend_group='b')
    client, began = store._create_s3_client(place), time.monotonic()
    try:
        client.get_object(Bucket='images', Key='image')
    except Exception as e:
        took = time.monotonic() - began
        said[name] = type(e).__name__, 'in time' if 5 < took < 11 else took

said = {}
threads = [threading.Thread(target=ask, args=a) for a in (('takes', takes), ('drops', drops))]
[t.start() for t in threads]
[t.join() for t in threads]
print(*said['takes'], *said['drops'])
`

// An S3 that does not answer keeps a thread of the API for a minute, whatever it does instead.
func TestSilentS3IsGivenUp(t *testing.T) {
	inGlance(t, "s3.py", patient, "ReadTimeoutError in time ConnectTimeoutError in time")
}

// asks lets a pod of Glance ask two others about an image that is staged there, of which one has a certificate for
// another Service, and prints what comes of it, and the address that it gives to others.
const asks = `
import http.server, os, socket, ssl, subprocess, sys, threading, types
subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)
module, authority = sys.argv[1:3]
with open('/etc/hosts', 'w') as f:
    f.write('127.0.0.1 localhost\n10.0.0.7 ' + socket.gethostname() + '\n')
os.makedirs('/etc/stackwright/tls')
with open('/etc/stackwright/tls/ca.crt', 'w') as f:
    f.write(authority)

class Pod(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        print(self.path, self.headers['X-Auth-Token'], self.rfile.read(int(self.headers['Content-Length'])).decode())
        self.send_response(409, 'Conflict')
        self.send_header('Content-Length', '0')
        self.end_headers()
    def log_message(self, *args):
        pass

def pod(certificate):
    with open('/tmp/pod.pem', 'w') as f:
        f.write(certificate)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain('/tmp/pod.pem')
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Pod)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f'https://127.0.0.1:{server.server_port}'

os.environ['STACKWRIGHT_SERVICE'] = 'https://glance-internal.cloud.svc:9292'
exec(module, types.ModuleType('ours').__dict__)
from glance.api.v2 import images
from glance.common import config
import webob.exc
config.CONF([], project='glance', default_config_files=[])
print(config.CONF.worker_self_reference_url)
controller = images.ImagesController.__new__(images.ImagesController)
user = types.SimpleNamespace(auth_token='t')
request = types.SimpleNamespace(method='POST', path='/v2/images/one/import', context=user)
for host in [pod(c) for c in sys.argv[3:]] + ['https://127.0.0.1:1']:
    image = types.SimpleNamespace(image_id='one', extra_properties={'os_glance_stage_host': host})
    print(controller.is_proxyable(image), end=' ')
    try:
        controller._proxy_request_to_stage_host(image, request, {'a': 1})
    except webob.exc.HTTPException as e:
        print(e.status)
`

// A pod of Glance asks others by their addresses, knows them by the name of their Service, and says what they say.
func TestGlancesPodsAskEachOther(t *testing.T) {
	ca, err := pki.NewCA("ours", time.Now())
	must(t, err)
	args := []string{string(ca.Cert)}
	for _, name := range []string{"glance-internal.cloud.svc", "other-internal.cloud.svc"} {
		pair, err := pki.Issue(ca, pki.Request{CommonName: name, Names: []string{name}}, time.Now())
		must(t, err)
		args = append(args, string(pair.Cert)+string(pair.Key))
	}
	inGlance(t, "stage.py", asks, `https://10.0.0.7:9292
True /v2/images/one/import t {"a": 1}
409 Conflict
True 504 Gateway Timeout
True 504 Gateway Timeout`, args...)
}

// cached fills a cache beyond its size, with an image beside that a worker left half done, and prints what is in its
// folders after each of the programs that uwsgi starts every five minutes.
const cached = `
import os, subprocess, sys, time
with open('/tmp/glance.conf', 'w') as f:
    f.write('[DEFAULT]\nimage_cache_dir = /tmp/cache\nimage_cache_driver = xattr\nimage_cache_max_size = 2500\n'
            'image_cache_stall_time = 600\n')
from glance import image_cache
from glance.common import config
config.CONF(['--config-file', '/tmp/glance.conf'], project='glance')
cache = image_cache.ImageCache()

def path(name, *folder):
    return os.path.join('/tmp/cache', *folder, '8a8c6b1c-4f9d-4c8a-9d0f-0c4c1f5b1f1' + name)

def age(path, seconds):
    os.utime(path, (time.time() - seconds,) * 2)

for name, seconds in ('a', 300), ('b', 900), ('c', 600):
    list(cache.get_caching_iter(os.path.basename(path(name)), None, iter([b'x' * 1000])))
    age(path(name), seconds)
open(path('d', 'incomplete'), 'w').close()
age(path('d', 'incomplete'), 700)

def look(after):
    print(after, *sorted(f[-1] + ' ' + os.path.basename(folder) for folder, _, files in os.walk('/tmp/cache')
                         for f in files if len(f) == 36), sep=', ')

look('before')
for program in sys.argv[2:]:
    subprocess.run([*program.split(), '--config-file', '/tmp/glance.conf'], check=True, capture_output=True)
    look(program)
`

// What is broken or too much is taken out of the cache, that which was not read for longest first.
func TestGlanceTidiesItsCache(t *testing.T) {
	source, err := os.ReadFile("../../../internal/services/glance/cache.go")
	must(t, err)
	programs := regexp.MustCompile(`"(glance-cache-[a-z]+)"`).FindAllStringSubmatch(string(source), -1)
	var names []string
	for _, p := range programs {
		names = append(names, p[1])
	}
	inGlance(t, "s3.py", cached, `before, a cache, b cache, c cache, d incomplete
glance-cache-cleaner, a cache, b cache, c cache
glance-cache-pruner, a cache, c cache`, names...)
}
