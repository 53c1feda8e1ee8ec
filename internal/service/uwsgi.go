package service

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// tlsModule is imported by the programs that run APIs.
//
//go:embed tls.py
var tlsModule []byte

// shareModule is imported by them after the modules that the processes of an API have in common.
//
//go:embed share.py
var shareModule []byte

// drainScript lets load balancers forget a pod before it stops to listen.
//
//go:embed drain.sh
var drainScript []byte

const (
	keyTLS   = "stackwright_tls.py"
	keyShare = "stackwright_share.py"
	keyDrain = "drain.sh"
)

// Time limits of an API, in seconds.
const (
	// requestTimeout ends the worker that has been busy with one request for so long.
	requestTimeout = 60
	// streamTimeout is how long a pod that stops waits for data that moves, and stallTimeout how long nothing may move.
	streamTimeout = 600
	stallTimeout  = 60
	// drainTime is the longest that drainScript takes.
	drainTime = 20
)

// streams is how many requests a worker takes at a time when they carry data.
const streams = 8

// patience is how long a pod that stops waits for requests that have begun.
func (s Service[T]) patience() int {
	if s.Streams {
		return streamTimeout
	}
	return requestTimeout
}

// keyUWSGIOf is the key of the configuration of the program that runs the API of a worker.
func keyUWSGIOf(worker string) string { return "uwsgi-" + worker + ".ini" }

// programs are the configurations of the programs that run the APIs.
func (s Service[T]) programs(o T) map[string][]byte {
	out := map[string][]byte{keyTLS: tlsModule, keyShare: shareModule, keyDrain: drainScript,
		keyUWSGI: s.uwsgi(o, program{s.Port, s.Script, s.Health, s.Leads, s.Shares})}
	for _, w := range s.Workers {
		if w.Serves != nil {
			out[keyUWSGIOf(w.Name)] = s.uwsgi(o, program{w.Port, w.Serves.Script, w.Health, nil, w.Serves.Shares})
		}
	}
	return out
}

// program runs a script at a port.
type program struct {
	port           int32
	script, health string
	leads, shares  []string
}

// imports are of modules that are imported once, before the processes of an API are forked. One process would have
// nobody to share them with, and uwsgi's own, which only watches, would have them too: it imports just those that
// change others.
func (p program) imports(processes int32) string {
	modules := append([]string{"stackwright_tls"}, p.leads...)
	if processes > 1 {
		modules = slices.Concat(modules, p.shares, []string{"stackwright_share"})
	}
	return "shared-import = " + strings.Join(modules, "\nshared-import = ")
}

// Processes is how many an API has in each pod.
func Processes(o Object) int32 { return max(1, cmp.Or(o.Common().Workers, 2)) }

// uwsgi is the configuration of the program that runs an API.
func (s Service[T]) uwsgi(o T, p program) []byte {
	processes := Processes(o)
	socket := fmt.Sprintf("https-socket = :%d,%s,%s", p.port, path("tls", "tls.crt"), path("tls", "tls.key"))
	if o.Common().TLS.Disabled {
		socket = fmt.Sprintf("http-socket = :%d", p.port)
	}
	threads, limits := 1, fmt.Sprintf("harakiri = %d", requestTimeout)
	if s.Streams {
		threads = streams
		// Clients send data whose length they do not know in chunks, of which uwsgi takes 1 MiB and waits 4 s for the next
		// one unless it is told otherwise.
		limits = fmt.Sprintf("chunked-input-limit = %d\nchunked-input-timeout = %d\nsocket-timeout = %d",
			16<<20, stallTimeout, stallTimeout)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `[uwsgi]
plugins = python3
%s
wsgi-file = %s
pythonpath = %s/config
%s
master = true
processes = %d
threads = %d
enable-threads = true
lazy-apps = true
thunder-lock = true
need-app = true
buffer-size = 65535
add-header = Connection: close
wsgi-manage-chunked-input = true
%s
worker-reload-mercy = %d
# SIGTERM lets requests that have begun come to their end.
hook-master-start = unix_signal:15 gracefully_kill_them_all
route-uri = ^%s$ donotlog:
log-format = %%(addr) "%%(method) %%(uri) %%(proto)" %%(status) %%(rsize) %%(msecs)ms
`, socket, p.script, Folder, p.imports(processes), processes, threads, limits, s.patience(), p.health)
	lines := s.UWSGI
	if s.Asked != nil {
		lines = slices.Concat(lines, s.Asked(o))
	}
	for _, line := range lines {
		fmt.Fprintln(&b, line)
	}
	return b.Bytes()
}
