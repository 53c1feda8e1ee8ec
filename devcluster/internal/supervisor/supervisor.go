// Package supervisor keeps one cluster running: its namespaces and links, its programs, and the controllers that stand
// in for what a cloud provides. It is one process per cluster and holds no state of its own: killed and started again
// it takes over what runs.
package supervisor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
	"k8s.io/klog/v2"

	"stackwright.dev/devcluster/internal/cgroup"
	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/controlplane"
	"stackwright.dev/devcluster/internal/network"
	"stackwright.dev/devcluster/internal/node"
	"stackwright.dev/devcluster/internal/pki"
	"stackwright.dev/devcluster/internal/process"
)

// ErrRunning means that the cluster has a supervisor already.
var ErrRunning = errors.New("the cluster has a supervisor already")

// Supervisor keeps one cluster running.
type Supervisor struct {
	binary    string
	authority *pki.Authority
	journal   journal
	changed   chan struct{} // receives when the cluster's description has changed

	mu      sync.Mutex
	cluster *cluster.Cluster
	keepers map[string]*process.Keeper
	view    view
}

// Run supervises the cluster of that name until ctx is done, and leaves what runs running.
func Run(ctx context.Context, name string) error {
	c, err := cluster.Load(name)
	if err != nil {
		return err
	}
	release, err := claim(c)
	if err != nil {
		return err
	}
	defer release()
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own program: %w", err)
	}
	s := &Supervisor{
		binary: binary, cluster: c, keepers: map[string]*process.Keeper{}, changed: make(chan struct{}, 1),
	}
	s.journal.begin()
	listener, err := s.listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	if err := s.start(ctx); err != nil {
		return err
	}
	go s.control(ctx)
	<-ctx.Done()
	return nil
}

// claim makes this process the cluster's supervisor, part of its control group.
func claim(c *cluster.Cluster) (release func(), err error) {
	if err := os.MkdirAll(c.Run(), 0o711); err != nil {
		return nil, fmt.Errorf("making run folder: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(c.Run(), "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening lock: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		return nil, ErrRunning
	}
	// All clusters together are a machine beside the programs of this one.
	if err := errors.Join(cgroup.Ensure(c.SystemCgroup()), cgroup.Weigh(filepath.Dir(c.Cgroup()))); err != nil {
		return nil, err
	}
	return func() { lock.Close() }, cgroup.Enter(c.SystemCgroup())
}

func (s *Supervisor) listen() (net.Listener, error) {
	if err := os.RemoveAll(s.cluster.Socket()); err != nil {
		return nil, fmt.Errorf("removing old socket: %w", err)
	}
	listener, err := net.Listen("unix", s.cluster.Socket())
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	if err := os.Chmod(s.cluster.Socket(), 0o600); err != nil {
		return nil, fmt.Errorf("protecting socket: %w", err)
	}
	go func() {
		server := &http.Server{Handler: s.handler(), ReadHeaderTimeout: requestTimeout}
		klog.InfoS("stopped answering", "reason", server.Serve(listener))
	}()
	return listener, nil
}

// start prepares what the programs need, ends those that should not run and keeps those that should.
func (s *Supervisor) start(ctx context.Context) error {
	if err := os.MkdirAll(s.cluster.Keys(), 0o700); err != nil {
		return fmt.Errorf("making folder of keys: %w", err)
	}
	authority, err := pki.OpenAuthority(s.cluster.Keys(), "devcluster-"+s.cluster.Name)
	if err != nil {
		return err
	}
	s.authority = authority
	units, err := s.prepare(s.cluster)
	if err != nil {
		return err
	}
	commands := make([][]string, 0, len(units))
	for _, unit := range units {
		commands = append(commands, unit.Command)
	}
	programs := []string{filepath.Base(s.binary), node.Containerd, node.CoreDNS}
	if err := process.KillStrangers(s.cluster.SystemCgroup(), programs, commands); err != nil {
		return fmt.Errorf("ending programs of a former supervisor: %w", err)
	}
	s.journal.mark("network and keys ready")
	s.keep(ctx, units)
	return nil
}

func (s *Supervisor) prepare(c *cluster.Cluster) ([]process.Unit, error) {
	if err := network.Ensure(c); err != nil {
		return nil, err
	}
	plane := controlplane.Plane{Cluster: c, Authority: s.authority, Binary: s.binary}
	if err := plane.Prepare(); err != nil {
		return nil, err
	}
	units := plane.Units()
	for _, member := range c.Nodes {
		n := s.node(c, member)
		if err := n.Prepare(); err != nil {
			return nil, fmt.Errorf("preparing %s: %w", member.Name, err)
		}
		units = append(units, n.Units()...)
	}
	return units, nil
}

// keep starts the units that are not kept yet. They outlive ctx: the next supervisor takes them over.
func (s *Supervisor) keep(ctx context.Context, units []process.Unit) {
	ctx = context.WithoutCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, unit := range units {
		if s.keepers[unit.Name] == nil {
			s.keepers[unit.Name] = process.Keep(ctx, unit, s.cluster.SystemCgroup())
		}
	}
}

// reload follows the cluster's description: nodes come, go, are cut off and healed.
func (s *Supervisor) reload(ctx context.Context) error {
	old := s.Cluster()
	now, err := cluster.Load(old.Name)
	if err != nil {
		return err
	}
	for _, member := range old.Nodes {
		if !slices.ContainsFunc(now.Nodes, func(n cluster.Node) bool { return n.Name == member.Name }) {
			if err := s.removeNode(old, member); err != nil {
				return err
			}
		}
	}
	units, err := s.prepare(now)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.cluster = now
	s.mu.Unlock()
	s.keep(ctx, units)
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

func (s *Supervisor) removeNode(c *cluster.Cluster, member cluster.Node) error {
	n := s.node(c, member)
	for _, unit := range slices.Backward(n.Units()) {
		s.mu.Lock()
		keeper := s.keepers[unit.Name]
		delete(s.keepers, unit.Name)
		s.mu.Unlock()
		if keeper != nil {
			keeper.Stop()
		}
	}
	return errors.Join(n.Remove(), network.RemoveNode(c, member))
}

// Cluster is the description that is followed at the moment.
func (s *Supervisor) Cluster() *cluster.Cluster {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cluster
}

func (s *Supervisor) node(c *cluster.Cluster, member cluster.Node) node.Node {
	return node.Node{Node: member, Cluster: c, Authority: s.authority, Binary: s.binary}
}
