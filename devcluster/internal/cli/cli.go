// Package cli holds the commands of devcluster, one file per verb.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Run runs the command line and returns its exit code.
func Run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newRoot().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		return 1
	}
	return 0
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "devcluster",
		Short:         "A real Kubernetes on one Linux machine",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newAPIServer())
	return root
}
