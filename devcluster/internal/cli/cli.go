// Package cli holds the commands of devcluster, one file per verb.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/component"
)

const defaultName = "dev"

// Run runs the command line and returns its exit code.
func Run() int {
	if len(os.Args) > 1 && os.Args[1] == component.Kubectl {
		code, err := Kubectl(os.Args[2:])
		return report(err, code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return report(newRoot().ExecuteContext(ctx), 0)
}

func report(err error, code int) int {
	if err == nil {
		return code
	}
	fmt.Fprintln(os.Stderr, "devcluster:", err)
	return 1
}

func newRoot() *cobra.Command {
	name := defaultName
	root := &cobra.Command{
		Use:           "devcluster",
		Short:         "A real Kubernetes on one Linux machine",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&name, "name", defaultName, "name of the cluster")
	root.AddCommand(
		newUp(&name), newDown(&name), newStatus(&name), newNode(&name), newLoad(&name), newLogs(&name),
		newKubeconfig(&name), newKubectl(), newAPIServer(), newSupervise(&name),
	)
	return root
}
