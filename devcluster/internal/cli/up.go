package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"stackwright.dev/devcluster/internal/cluster"
	"stackwright.dev/devcluster/internal/machine"
	"stackwright.dev/devcluster/internal/supervisor"
)

const (
	upTimeout     = 3 * time.Minute
	answerTimeout = 2 * time.Second
	statusPoll    = 50 * time.Millisecond
	logTailSize   = 2 << 10
)

func newUp(name *string) *cobra.Command {
	nodes := 0
	command := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster, or resume it, and wait until it is ready",
		Long: `Start a cluster, or resume it, and wait until it is ready.

Installs the Debian packages it needs. A cluster that runs is left alone; one that was stopped by a reboot comes back
with its data and pods.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return up(command.Context(), *name, nodes)
		},
	}
	command.Flags().IntVar(&nodes, "nodes", 0, "number of nodes; 1 for a new cluster, unchanged for one that exists")
	return command
}

func up(ctx context.Context, name string, nodes int) error {
	p := newProgress(os.Stdout)
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding our own program: %w", err)
	}
	if err := prepareMachine(ctx, p, filepath.Dir(binary)); err != nil {
		return err
	}
	c, err := describe(name, nodes)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, upTimeout)
	defer cancel()
	started, err := ensureSupervisor(ctx, c, binary)
	if err != nil {
		return err
	}
	if !started {
		if err := supervisor.Reload(ctx, c); err != nil {
			return err
		}
	}
	if err := waitReady(ctx, c, p, started); err != nil {
		return err
	}
	p.reached(fmt.Sprintf("cluster %s ready", c.Name), p.seconds())
	fmt.Fprintf(p.out, "devcluster: kubeconfig %s\n", c.Kubeconfig())
	return nil
}

func prepareMachine(ctx context.Context, p *progress, programs string) error {
	if os.Geteuid() != 0 {
		return machine.Check(programs)
	}
	if missing := machine.Missing(); len(missing) > 0 {
		fmt.Fprintf(p.out, "devcluster: installing Debian packages %s\n", strings.Join(missing, ", "))
		if err := machine.Install(ctx, missing); err != nil {
			return err
		}
		p.reached("packages installed", p.seconds())
	}
	return machine.Check(programs)
}

// describe makes the cluster's description have the wanted number of nodes.
func describe(name string, nodes int) (*cluster.Cluster, error) {
	if nodes < 0 {
		return nil, fmt.Errorf("--nodes %d is not possible: want 1 or more", nodes)
	}
	return cluster.Update(name, func(c *cluster.Cluster) error {
		if nodes != 0 && nodes < len(c.Nodes) {
			return fmt.Errorf("cluster %s has %d nodes already: remove one with `devcluster node remove NAME --name %s`",
				name, len(c.Nodes), name)
		}
		for len(c.Nodes) < max(nodes, 1) {
			if _, err := c.AddNode(); err != nil {
				return err
			}
		}
		return nil
	})
}

// ensureSupervisor starts the cluster's supervisor unless it answers.
func ensureSupervisor(ctx context.Context, c *cluster.Cluster, binary string) (started bool, err error) {
	if _, err := supervisor.Ask(ctx, c, false); err == nil {
		return false, nil
	}
	spec := supervisor.Spec(c, binary)
	path := spec.Log
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, fmt.Errorf("making log folder: %w", err)
	}
	log, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return false, fmt.Errorf("opening log: %w", err)
	}
	defer log.Close()
	offset, err := log.Seek(0, 2)
	if err != nil {
		return false, fmt.Errorf("reading log: %w", err)
	}
	command := exec.Command(spec.Command[0], spec.Command[1:]...)
	command.Dir, command.Stdout, command.Stderr = spec.Folder, log, log
	command.Env = append(environment(os.Environ()), spec.Env...)
	command.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return false, fmt.Errorf("starting the supervisor: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = command.Wait() // the log tells why
		close(ended)
	}()
	return true, waitAnswer(ctx, c, ended, path, offset)
}

// waitAnswer returns when a supervisor answers. The one that was started may end in favour of another that was faster.
func waitAnswer(ctx context.Context, c *cluster.Cluster, ended <-chan struct{}, log string, offset int64) error {
	ticker := time.NewTicker(statusPoll)
	defer ticker.Stop()
	var lost <-chan time.Time
	for {
		if _, err := supervisor.Ask(ctx, c, false); err == nil {
			return nil
		}
		select {
		case <-ended:
			lost, ended = time.After(answerTimeout), nil
		case <-lost:
			return fmt.Errorf("starting the supervisor: %s", logSince(log, offset))
		case <-ctx.Done():
			return fmt.Errorf("waiting for the supervisor: %w; see %s", ctx.Err(), log)
		case <-ticker.C:
		}
	}
}

// waitReady follows the supervisor until everything works, telling each milestone.
func waitReady(ctx context.Context, c *cluster.Cluster, p *progress, tell bool) error {
	ticker := time.NewTicker(statusPoll)
	defer ticker.Stop()
	told, offset := 0, p.seconds()
	for {
		status, err := supervisor.Ask(ctx, c, false)
		if err != nil {
			return errors.Join(err, fmt.Errorf("the supervisor ended; see `devcluster logs supervisor --name %s`", c.Name))
		}
		if tell {
			for _, milestone := range status.Milestones[told:] {
				p.reached(milestone.Text, offset+milestone.Seconds)
			}
			told = len(status.Milestones)
		}
		if status.Ready {
			return nil
		}
		p.waiting("waiting for " + awaited(status))
		select {
		case <-ctx.Done():
			return fmt.Errorf("gave up (%w) waiting for %s; see `devcluster status` and `devcluster logs`",
				ctx.Err(), awaited(status))
		case <-ticker.C:
		}
	}
}

// awaited names the first thing that is not there yet.
func awaited(status supervisor.Status) string {
	if !status.API {
		return "the API server"
	}
	for _, node := range status.Cluster.Nodes {
		if !node.Cut && !status.Nodes[node.Name] {
			return node.Name
		}
	}
	return "storage class and DNS"
}

func logSince(path string, offset int64) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	content = content[min(offset, int64(len(content))):]
	return string(content[max(0, len(content)-logTailSize):])
}

// existing loads a cluster that must be there.
func existing(name string) (*cluster.Cluster, error) {
	c, err := cluster.Load(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no cluster %q; start it with `devcluster up --name %s`", name, name)
	}
	return c, err
}
