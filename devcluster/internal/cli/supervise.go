package cli

import (
	"github.com/spf13/cobra"

	"stackwright.dev/devcluster/internal/supervisor"
)

func newSupervise(name *string) *cobra.Command {
	return &cobra.Command{
		Use:    "supervise",
		Short:  "Keep a cluster running; `up` starts this, and etcd when it died",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(command *cobra.Command, _ []string) error {
			return supervisor.Run(command.Context(), *name)
		},
	}
}
