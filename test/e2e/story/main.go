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

// Main runs the tests and takes the shared cluster down if one of them brought it up, unless KEEP is set. Its result is
// the exit code.
func Main(m Runner) int {
	// An interrupt ends the commands that run, as they are in the same process group, and then the tests.
	_, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code := m.Run()
	if shared.begun && os.Getenv("KEEP") == "" && !takeDown(Shared()) {
		return 1
	}
	return code
}

// shared is whether the shared cluster is there.
var shared struct {
	sync.Mutex
	begun bool
	err   error
}

// prepare makes the shared cluster, once, and installs the operators with one control plane, the way a person does.
func prepare(t *testing.T) {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.begun {
		shared.begun = true
		shared.err = install(t, Shared())
	}
	if shared.err != nil {
		t.Fatal(shared.err)
	}
}

// Own gives a test a cluster of its own, made the way a person does with args, and takes it down at the end of the test,
// unless KEEP is set.
func Own(t *testing.T, c Cluster, args ...string) *World {
	t.Helper()
	t.Cleanup(func() {
		if os.Getenv("KEEP") == "" && !takeDown(c) {
			t.Errorf("cluster %s is still there", c.Name)
		}
	})
	if err := install(t, c, args...); err != nil {
		t.Fatal(err)
	}
	return Join(t, c)
}

func install(t *testing.T, c Cluster, args ...string) error {
	t.Helper()
	c.Log = os.Stderr
	began := time.Now()
	if err := c.Install(t.Context(), args...); err != nil {
		return fmt.Errorf("%w\nkept what there is in %s", err, c.Keep(c.Name))
	}
	t.Logf("cluster %s with a control plane: %s", c.Name, time.Since(began).Round(time.Second))
	return nil
}

func takeDown(c Cluster) bool {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	c.Log = os.Stderr
	if err := c.Down(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	return true
}
