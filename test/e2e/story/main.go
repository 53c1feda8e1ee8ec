package story

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Shared is the cluster that stories share unless they need one of their own.
func Shared() Cluster { return Cluster{Name: "stories"} }

// Runner runs the tests of a package; testing.M is one.
type Runner interface{ Run() int }

// Main runs the tests, the first of which brings the shared cluster up, and takes that down, unless KEEP is set. Its
// result is the exit code.
func Main(m Runner) int {
	// An interrupt ends the commands that run, as they are in the same process group, and then the tests.
	_, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := m.Run()
	if there(Shared()) && os.Getenv("KEEP") == "" && !takeDown(Shared()) {
		return 1
	}
	return code
}

// prepare makes the shared cluster, once, and installs the operators with one control plane, the way a person does.
var prepare = sync.OnceValue(func() error { return install(context.Background(), Shared()) })

// Own gives a test a cluster of its own, made the way a person does with args, and takes it down at the end of the
// test, unless KEEP is set.
func Own(t *testing.T, c Cluster, args ...string) *World {
	t.Helper()
	t.Cleanup(func() {
		if os.Getenv("KEEP") == "" && !takeDown(c) {
			t.Errorf("cluster %s is still there", c.Name)
		}
	})
	if err := install(t.Context(), c, args...); err != nil {
		t.Fatal(err)
	}
	return Join(t, c)
}

// there tells whether a cluster exists, maybe since a play that was interrupted.
func there(c Cluster) bool {
	_, missing := os.Stat(c.Kubeconfig())
	return missing == nil
}

// install brings a cluster up with a control plane. What an interrupted play left, with its servers and half of a
// change, goes first, unless KEEP is set.
func install(ctx context.Context, c Cluster, args ...string) error {
	c.Log = os.Stderr
	if there(c) && os.Getenv("KEEP") == "" && !takeDown(c) {
		return fmt.Errorf("cluster %s of a play before is still there", c.Name)
	}
	began := time.Now()
	if err := c.Install(ctx, args...); err != nil {
		return fmt.Errorf("%w\nkept what there is in %s", err, c.Keep(c.Name))
	}
	fmt.Fprintf(os.Stderr, "cluster %s with a control plane: %s\n", c.Name, time.Since(began).Round(time.Second))
	return nil
}

func takeDown(c Cluster) bool {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Minute)
	defer stop()
	c.Log = os.Stderr
	if err := c.Down(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	return true
}
