package story

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Cluster is a devcluster of this machine, by name.
type Cluster struct {
	Name string
	// Nodes is the number of nodes that Up asks for; one when zero.
	Nodes int
	// Log receives what the commands print, besides the artifacts; nil for none.
	Log io.Writer
}

// root is the top of the repository, found from the folder that go test runs a package in.
func root() string {
	dir, err := os.Getwd()
	for err == nil && dir != "/" {
		if _, missing := os.Stat(filepath.Join(dir, "Makefile")); missing == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return "."
}

// Up starts the cluster; one that runs is left as it is.
func (c Cluster) Up(ctx context.Context) error {
	_, err := c.Run(ctx, "devcluster", "up", "--name", c.Name, "--nodes", fmt.Sprint(max(c.Nodes, 1)))
	return err
}

// Install is what a person does: it starts the cluster and puts images, operators and one control plane, openstack in
// namespace openstack, into it. It has Keystone only, unless args say otherwise.
func (c Cluster) Install(ctx context.Context, args ...string) error {
	_, err := c.Run(ctx, "stackwright", append([]string{"up", "--devcluster", c.Name,
		"--nodes", fmt.Sprint(max(c.Nodes, 1)), "--profile", "keystone"}, args...)...)
	return err
}

// Down takes the cluster away, with all that is in it.
func (c Cluster) Down(ctx context.Context) error {
	if _, err := c.Run(ctx, "stackwright", "down", "--devcluster", c.Name); err != nil {
		return err
	}
	// The folder is ours; it stays when something is left in it, for whoever asks what.
	_ = os.Remove(c.state())
	return nil
}

// Kubeconfig is the path of the administrator's configuration.
func (c Cluster) Kubeconfig() string {
	return filepath.Join("/var/lib/devcluster", c.Name, "kubeconfig")
}

// Logs is the folder of what the parts of Kubernetes print.
func (c Cluster) Logs() string { return filepath.Join("/var/lib/devcluster", c.Name, "log") }

// Build puts a program that only stories need into bin/: a package of the module in a folder. The first time may take
// minutes.
func (w *World) Build(module, program string) {
	w.Helper()
	cmd := exec.CommandContext(w.Context(), "go", "build", "-C", module, "-ldflags=-s -w",
		"-o", filepath.Join(root(), "bin")+"/", program)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("building %s: %v\n%s", program, err, out)
	}
}

// Kubectl runs kubectl against the cluster and returns what it prints.
func (c Cluster) Kubectl(ctx context.Context, args ...string) (string, error) {
	return c.Run(ctx, "devcluster", append([]string{"kubectl", "--name", c.Name}, args...)...)
}

// Stackwright runs the command line against the cluster and returns what it prints.
func (c Cluster) Stackwright(ctx context.Context, args ...string) (string, error) {
	return c.Run(ctx, "stackwright", append([]string{"--kubeconfig", c.Kubeconfig()}, args...)...)
}

// Run runs one of our programs, apart from what a person on this machine has set up for their own clouds, and returns
// what it prints. The error has the end of that.
func (c Cluster) Run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(root(), "bin", program), args...)
	cmd.Dir = root()
	cmd.Env = append(os.Environ(), "KUBECONFIG=", "XDG_STATE_HOME="+c.state())
	// A command that is told to end takes its cluster apart in good order.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	var out, both bytes.Buffer
	shared := &together{w: io.MultiWriter(append([]io.Writer{&both}, c.writers()...)...)}
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, shared), shared
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("running %s %s: %w\n%s", program, strings.Join(args, " "), err, tail(both.String()))
	}
	return out.String(), nil
}

// state is where stackwright remembers what it made for this cluster.
func (c Cluster) state() string { return filepath.Join(os.TempDir(), "stackwright-"+c.Name) }

func (c Cluster) writers() []io.Writer {
	if c.Log == nil {
		return nil
	}
	return []io.Writer{c.Log}
}

// together lets standard output and error of a process, which are copied at the same time, go to one place.
type together struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes all of p before another writer comes in.
func (t *together) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.w.Write(p)
}

// tail is the last part of a long text.
func tail(text string) string {
	const most = 4000
	return text[max(0, len(text)-most):]
}
