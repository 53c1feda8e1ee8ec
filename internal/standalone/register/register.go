// Package register registers a service in Keystone where no operator runs, by the controllers that do it where one
// does: on a cluster in memory that has just the objects which the service's definition makes for Keystone.
//
// It is a package, and a program, of its own because of what an API server in memory brings along: it doubles what an
// operator takes of memory, and no operator needs it. See docs/adr/0033-controllers-register-on-a-cluster-in-memory.md.
package register

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"stackwright.dev/stackwright/internal/standalone"
)

// patience is how long it may take: less than Helm waits for a hook.
const patience = 4 * time.Minute

// Command registers a service once and ends. It is what a chart runs after its objects are there.
func Command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("register", flag.ContinueOnError)
	file := flags.String("object", "", "file with the object of the service, in JSON")
	timeout := flags.Duration("timeout", patience, "how long it may take")
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("reading the flags: %w", err)
	}
	data, c, err := standalone.Inputs(*file)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()
	return Run(ctx, c, data, Options{Out: os.Stdout})
}

// Options say how a service is registered.
type Options struct {
	// Transport is how OpenStack is reached; nil is the network.
	Transport http.RoundTripper
	// Out is told what is ready, by name.
	Out io.Writer
}

// Run registers the service of an object. What is in Keystone already is taken over.
func Run(ctx context.Context, c client.Reader, data []byte, options Options) error {
	made, err := standalone.Register(ctx, c, data)
	if err != nil {
		return err
	}
	r := &registration{made}
	return r.run(ctx, options)
}

// registration is what is to be in Keystone.
type registration struct{ *standalone.Registration }
