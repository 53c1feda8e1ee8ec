package kittest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"stackwright.dev/kit"
	"stackwright.dev/kit/kittest/apiserver"
)

// How long nothing may change before a play counts as quiet, and how long it may take to get there. In a bubble this is
// fake time: the quiet time is longer than the longest backoff.
const (
	quietFake, limitFake = 4 * time.Minute, 2 * time.Hour
	quietReal, limitReal = 1500 * time.Millisecond, 3 * time.Minute
)

// Play is one run of a scenario.
type Play struct {
	// T fails with the play.
	T *testing.T
	// Client is a person's client: uncached, not counted, untouched by faults.
	Client client.Client
	// Server is the API server in memory; nil on a real one.
	Server *apiserver.Server
	// Outside is what Scenario.Outside made.
	Outside http.RoundTripper

	world   *World
	config  *rest.Config
	fault   atomic.Pointer[Fault]
	journal journal
	// processes are those of Scenario.Controllers and Scenario.Beside, nil where none was started yet.
	processes []*process
	stopped   bool
	// children overrides the behaviour of children in this play.
	children map[string]Behaviour
	acted    uint64
	log      []string
}

// process is one life of the operator.
type process struct {
	cancel context.CancelFunc
	done   chan error
	gone   atomic.Bool
}

func (p *process) dead() bool { return p.gone.Load() }

// kill makes every later request of the process fail: nothing it does has an effect any more.
func (p *process) kill() { p.gone.Store(true) }

func newPlay(t *testing.T, w *World) *Play {
	t.Helper()
	p := &Play{T: t, world: w, config: w.Config, children: map[string]Behaviour{}}
	maps.Copy(p.children, w.Children)
	if w.memory != nil {
		p.Server = w.memory.Fresh()
		p.config = p.Server.Config()
	} else {
		p.config = ownConnection(p.config)
	}
	if w.Outside != nil {
		p.Outside = w.Outside()
	}
	c, err := client.New(p.config, client.Options{Scheme: w.Scheme, Mapper: w.mapper})
	p.must("making a client", err)
	p.Client = client.WithFieldOwner(c, "person")
	return p
}

// ownConnection is the configuration of one process, which shares its connection to the API server with no other one;
// client-go shares one among all clients with the same certificates. A real API server takes 100 requests at a time on
// a connection, watches included, and refuses another one that comes in the moment in which one ends: PROTOCOL_ERROR,
// see processHeaders in golang.org/x/net/http2/server.go. Operators in processes of their own are far from that.
func ownConnection(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.Dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	return cfg
}

func (p *Play) must(what string, err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatalf("%s: %v", what, err)
	}
}

// begin starts the operator, creates the objects of the scenario and lets its script run.
func (p *Play) begin() {
	p.T.Helper()
	if p.Server == nil {
		p.must("installing the definitions", p.install())
	}
	p.Start()
	for _, u := range p.world.objects {
		p.Create(u.DeepCopy())
	}
	p.Settle()
	if p.world.Script != nil {
		p.world.Script(p)
		p.Settle()
	}
}

// end stops the operator and, on a real server, removes what the play left.
func (p *Play) end() {
	p.Suffer(nil)
	p.sound()
	p.discreet()
	if p.T.Failed() && p.Server != nil {
		p.Pass(5 * time.Second) // a manager that is stopped before its caches have synced never ends
	}
	p.Stop()
	if p.Server == nil {
		p.wipe()
	}
	if p.T.Failed() {
		p.T.Logf("the operator's last requests:\n%s\nits log:\n%s", tail(p.requests(), 20), tail(p.log, 20))
	}
}

func tail(lines []string, n int) string {
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func (p *Play) requests() []string {
	var out []string
	for _, x := range p.journal.since(0) {
		if x.N > 0 {
			out = append(out, fmt.Sprintf("%3d %s -> %d", x.N, x, x.Code))
		}
	}
	return out
}

// Start starts the processes of the operator that do not run.
func (p *Play) Start() {
	p.T.Helper()
	p.stopped = false
	if p.processes == nil {
		p.processes = make([]*process, 1+len(p.world.Beside))
	}
	for i, proc := range p.processes {
		if proc == nil || proc.dead() {
			p.reap(i)
			p.launch(i)
		}
	}
}

// launch starts one process.
func (p *Play) launch(i int) {
	p.T.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	proc := &process{cancel: cancel, done: make(chan error, 1)}
	p.processes[i] = proc
	outside := p.Outside
	if outside == nil {
		outside = refuse{}
	}
	cs, err := p.world.processes()[i](&wire{play: p, next: outside, outside: true, process: proc})
	p.must("making the controllers", err)
	cfg := rest.CopyConfig(p.config)
	if p.Server == nil {
		cfg = ownConnection(cfg)
		if i < len(p.world.Accounts) {
			cfg.Impersonate.UserName = p.world.Accounts[i]
		}
	}
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return &wire{play: p, next: rt, process: proc} })
	logger := p.logger()
	mgr, err := kit.NewManager(cfg, manager.Options{
		Scheme: p.world.Scheme, Logger: logger, Metrics: metricsserver.Options{BindAddress: "0"},
		GracefulShutdownTimeout: new(5 * time.Second),
	}, cs...)
	if err != nil {
		proc.done <- nil // nothing runs that has to be waited for
		if proc.dead() {
			return
		}
	}
	p.must("making the manager", err)
	go func() { proc.done <- mgr.Start(logr.NewContext(ctx, logger)) }()
}

// logger keeps what the operator logs for the report of a failure.
func (p *Play) logger() logr.Logger {
	return funcr.New(func(prefix, args string) { p.journal.log(p, prefix+" "+args) }, funcr.Options{LogTimestamp: true})
}

func (j *journal) log(p *Play, line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if p.log = append(p.log, line); len(p.log) > 400 {
		p.log = p.log[200:]
	}
}

// Stop kills the operator, all processes of it; it stays down until Start.
func (p *Play) Stop() {
	p.stopped = true
	for i := range p.processes {
		p.reap(i)
	}
}

// StopOne kills one process, 0 for that of Scenario.Controllers; it stays down until Start.
func (p *Play) StopOne(i int) { p.reap(i) }

// Restart kills the operator and starts a new one.
func (p *Play) Restart() {
	p.T.Helper()
	p.Stop()
	p.Start()
}

// reap kills a process and waits until it is gone.
func (p *Play) reap(i int) {
	proc := p.processes[i]
	if proc == nil {
		return
	}
	proc.kill()
	if p.Server != nil {
		// client-go leaks a goroutine when a watch of metadata ends while an event is on its way; a bubble minds that.
		synctest.Wait()
	}
	proc.cancel()
	if err := <-proc.done; err != nil {
		p.journal.log(p, "the manager ended: "+err.Error())
	}
	p.processes[i] = nil
}

// note writes a request down.
func (p *Play) note(x *Exchange) { p.journal.add(x) }

// Pass lets time go by: fake time in a bubble, real time on a real server.
func (p *Play) Pass(d time.Duration) {
	<-time.After(d)
	if p.Server != nil {
		synctest.Wait()
	}
}

// Settle lets the operator and the simulated controllers work until nothing changes any more. A killed operator is
// started again.
func (p *Play) Settle() {
	p.T.Helper()
	quiet, limit := quietFake, limitFake
	if p.Server == nil {
		quiet, limit = quietReal, limitReal
	}
	begin, since := time.Now(), time.Now()
	step, last := 10*time.Millisecond, p.version()
	for time.Since(since) < quiet {
		p.Pass(step)
		revived := p.revive()
		moved := p.act()
		v := p.version()
		if revived || moved || v != last {
			step, last, since = 10*time.Millisecond, v, time.Now()
		} else if step < quiet/8 {
			step *= 2
		}
		if time.Since(begin) > limit {
			p.T.Fatalf("there is no quiet after %s: something changes all the time", limit)
		}
	}
	p.coherent()
}

func (p *Play) revive() bool {
	p.T.Helper()
	revived := false
	for i, proc := range p.processes {
		if !p.stopped && proc != nil && proc.dead() {
			p.reap(i)
			p.launch(i)
			revived = true
		}
	}
	return revived
}

// version moves whenever something changed.
func (p *Play) version() uint64 {
	if p.Server != nil {
		return p.Server.Version()
	}
	n := uint64(0)
	for _, x := range p.journal.since(0) {
		if x.Write() && x.Code/100 == 2 && !strings.Contains(x.Path, "/events") {
			n++
		}
	}
	return n
}

// Create creates an object of the scenario, with its status.
func (p *Play) Create(u *unstructured.Unstructured) {
	p.T.Helper()
	status, ok := u.Object["status"]
	err := p.Client.Create(p.T.Context(), u)
	if apierrors.IsAlreadyExists(err) && u.GetKind() == "Namespace" {
		err = p.Client.Patch(p.T.Context(), u, client.Merge) // it may have other labels
	}
	p.must("creating "+name(u), err)
	if !ok {
		return
	}
	u.Object["status"] = status
	p.must("writing the status of "+name(u), p.Client.Status().Update(p.T.Context(), u))
}

// Object returns `Kind/name`, or nil when it does not exist. The namespace is that of the first owner unless it is
// given: `Kind/namespace/name`.
func (p *Play) Object(ref string) *unstructured.Unstructured {
	p.T.Helper()
	gvk, key := p.resolve(ref)
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	err := p.Client.Get(p.T.Context(), key, u)
	if apierrors.IsNotFound(err) {
		return nil
	}
	p.must("reading "+ref, err)
	return u
}

// Change sets a field of `Kind/name` by its dotted path, as a person would. A nil value removes it.
func (p *Play) Change(ref, path string, value any) {
	p.T.Helper()
	u := p.Object(ref)
	if u == nil {
		p.T.Fatalf("changing %s: there is no such object", ref)
	}
	patch := client.MergeFrom(u.DeepCopy())
	if value == nil {
		unstructured.RemoveNestedField(u.Object, fields(path)...)
	} else {
		p.must("setting "+path, unstructured.SetNestedField(u.Object, value, fields(path)...))
	}
	p.must("changing "+ref, p.Client.Patch(p.T.Context(), u, patch))
}

// Remove deletes `Kind/name` if it is there, and does not wait.
func (p *Play) Remove(ref string) {
	p.T.Helper()
	if u := p.Object(ref); u != nil {
		p.must("deleting "+ref, client.IgnoreNotFound(p.Client.Delete(p.T.Context(), u)))
	}
}

// Behave changes how a child behaves from now on.
func (p *Play) Behave(ref string, b Behaviour) {
	p.children[ref] = b
	p.acted = 0
}

func (p *Play) resolve(ref string) (schema.GroupVersionKind, types.NamespacedName) {
	p.T.Helper()
	parts := strings.Split(ref, "/")
	if len(parts) != 2 && len(parts) != 3 {
		p.T.Fatalf("%q does not name an object; write Kind/name or Kind/namespace/name", ref)
	}
	key := types.NamespacedName{Name: parts[len(parts)-1], Namespace: p.namespace()}
	if len(parts) == 3 {
		key.Namespace = parts[1]
	}
	for _, k := range p.world.kinds {
		if k.Kind == parts[0] || k.GroupKind().String() == parts[0] {
			if m, err := p.Client.RESTMapper().RESTMapping(k.GroupKind(), k.Version); err == nil && m.Scope.Name() == "root" {
				key.Namespace = ""
			}
			return k, key
		}
	}
	p.T.Fatalf("%s: no controller or file of the scenario has kind %s", ref, parts[0])
	return schema.GroupVersionKind{}, key
}

// namespace of the first owner.
func (p *Play) namespace() string {
	for _, u := range p.world.objects {
		if p.world.owned(u.GroupVersionKind()) {
			return u.GetNamespace()
		}
	}
	return ""
}

func name(u *unstructured.Unstructured) string { return u.GetKind() + "/" + u.GetName() }

// fields splits a dotted path; a dot in a name is written as `\.`.
func fields(path string) []string {
	out := strings.Split(strings.ReplaceAll(path, `\.`, "\x00"), ".")
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], "\x00", ".")
	}
	return out
}

// refuse is the outside of a scenario that has none.
type refuse struct{}

// RoundTrip fails.
func (refuse) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf(
		"the scenario has nothing outside of Kubernetes, but the operator asks for %s; set Scenario.Outside", r.URL)
}
