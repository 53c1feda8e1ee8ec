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

// Kubernetes is what commands run in this process. It is linked by whoever calls Run.
type Kubernetes struct {
	Kubectl  func(args []string) (code int)
	ServeAPI func(args []string) error // kube-apiserver; returns when it has failed or stopped
}

// Run runs the command line and returns its exit code.
func Run(k Kubernetes) int {
	if len(os.Args) > 1 && os.Args[1] == component.Kubectl {
		code, err := onCluster(k.Kubectl, os.Args[2:])
		return report(err, code)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return report(newRoot(k).ExecuteContext(ctx), 0)
}

func report(err error, code int) int {
	if err == nil {
		return code
	}
	fmt.Fprintln(os.Stderr, "devcluster:", err)
	return 1
}

func newRoot(k Kubernetes) *cobra.Command {
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
		newKubeconfig(&name), newKubectl(), newAPIServer(k.ServeAPI), newSupervise(&name),
	)
	return root
}
