package story

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Shared is the cluster that stories share unless they need one of their own.
func Shared() Cluster { return Cluster{Name: "stories"} }

// Runner runs the tests of a package; testing.M is one.
type Runner interface{ Run() int }

// Main brings the shared cluster up with our operators in it, runs the tests and takes the cluster down, unless KEEP is
// set. Its result is the exit code.
func Main(m Runner) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := Shared()
	c.Log = os.Stderr
	if err := prepare(ctx, c, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "%v\nkept what there is in %s\n", err, c.Keep("start"))
		if os.Getenv("KEEP") == "" {
			takeDown(c)
		}
		return 1
	}
	code := m.Run()
	if os.Getenv("KEEP") == "" && !takeDown(c) {
		return 1
	}
	return code
}

// prepare makes the cluster and installs the operators, with one control plane, the way a person does.
func prepare(ctx context.Context, c Cluster, log io.Writer) error {
	began := time.Now()
	if err := c.Install(ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintf(log, "cluster %s with a control plane: %s\n", c.Name, time.Since(began).Round(time.Second))
	return err
}

func takeDown(c Cluster) bool {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Minute)
	defer stop()
	if err := c.Down(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	return true
}
