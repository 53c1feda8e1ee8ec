package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

func newKubeconfig(name *string) *cobra.Command {
	return &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the administrator's kubeconfig",
		Args:  cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			c, err := existing(*name)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(c.Kubeconfig())
			if err != nil {
				return fmt.Errorf("reading kubeconfig: %w", err)
			}
			_, err = command.OutOrStdout().Write(content)
			return err
		},
	}
}

// newKubectl is found in the help only: kubectl is called before any flag is read, as all of them are kubectl's.
func newKubectl() *cobra.Command {
	return &cobra.Command{
		Use:                "kubectl [--name NAME] ...",
		Short:              "Run kubectl with the administrator's kubeconfig",
		DisableFlagParsing: true,
	}
}

// onCluster runs kubectl on a cluster, that of a leading --name or the default one, or on what --kubeconfig says.
func onCluster(kubectl func([]string) int, arguments []string) (code int, err error) {
	name, arguments := leadingName(arguments)
	elsewhere := slices.ContainsFunc(arguments, func(a string) bool { return strings.HasPrefix(a, "--kubeconfig") })
	if !elsewhere {
		c, err := existing(name)
		if err != nil {
			return 1, err
		}
		if err := os.Setenv("KUBECONFIG", c.Kubeconfig()); err != nil {
			return 1, fmt.Errorf("setting KUBECONFIG: %w", err)
		}
	}
	return kubectl(arguments), nil
}

func leadingName(arguments []string) (name string, rest []string) {
	if len(arguments) > 1 && arguments[0] == "--name" {
		return arguments[1], arguments[2:]
	}
	if len(arguments) > 0 {
		if name, ok := strings.CutPrefix(arguments[0], "--name="); ok {
			return name, arguments[1:]
		}
	}
	return defaultName, arguments
}
