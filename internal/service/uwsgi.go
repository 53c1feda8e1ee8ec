package service

import (
	"bytes"
	"cmp"
	"fmt"
)

// Time limits of an API, in seconds.
const (
	// requestTimeout ends the worker that has been busy with one request for so long.
	requestTimeout = 60
	// drainTime lets load balancers forget a pod before it stops to listen.
	drainTime = 5
)

// uwsgi is the configuration of the program that runs the API.
func (s Service[T]) uwsgi(o T) []byte {
	socket := fmt.Sprintf("https-socket = :%d,%s,%s", s.Port, path("tls", "tls.crt"), path("tls", "tls.key"))
	if o.Common().TLS.Disabled {
		socket = fmt.Sprintf("http-socket = :%d", s.Port)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `[uwsgi]
plugins = python3
%s
wsgi-file = %s
pythonpath = %s/config
master = true
processes = %d
threads = 1
enable-threads = true
lazy-apps = true
thunder-lock = true
need-app = true
buffer-size = 65535
add-header = Connection: close
wsgi-manage-chunked-input = true
harakiri = %d
worker-reload-mercy = %d
# SIGTERM lets requests that have begun come to their end.
hook-master-start = unix_signal:15 gracefully_kill_them_all
route-uri = ^%s$ donotlog:
log-format = %%(addr) "%%(method) %%(uri) %%(proto)" %%(status) %%(rsize) %%(msecs)ms
`, socket, s.Script, Folder, max(1, cmp.Or(o.Common().Workers, 2)), requestTimeout, requestTimeout, s.Health)
	return b.Bytes()
}
