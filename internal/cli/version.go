package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"stackwright.dev/stackwright/internal/version"
)

func (a *app) version() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Tell which build this is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.print(version.Info(), func() { fmt.Fprintln(a.out, version.String()) })
		},
	}
	a.outputFlag(cmd)
	return cmd
}
