package cli

import (
	"os"

	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/apiserver"
	"stackwright.dev/devcluster/internal/process"
)

func newAPIServer(serve func([]string) error) *cobra.Command {
	standalone := apiserver.Standalone{Out: os.Stdout, Serve: serve}
	command := &cobra.Command{
		Use:   "apiserver",
		Short: "Serve etcd and the Kubernetes API on the loopback interface, for tests",
		Long: `Serve etcd and the Kubernetes API on the loopback interface, for tests that need an API but no nodes.

Prints the path of a kubeconfig, one line, when the server is ready. Ends, and removes its data, when the process that
started it ends, when standard input is a pipe that closes, or on SIGTERM. Needs no rights.`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			ctx, err := process.WithParent(command.Context())
			if err != nil {
				return err
			}
			return standalone.Run(ctx)
		},
	}
	command.Flags().StringVar(&standalone.DataDir, "data-dir", "", "keep data here instead of in a temporary folder")
	command.Flags().StringVar(&standalone.Kubeconfig, "kubeconfig", "", "write the kubeconfig here")
	return command
}
