package kubernetes

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	"k8s.io/kubectl/pkg/cmd"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"stackwright.dev/devcluster/internal/component"
)

// Kubectl runs kubectl with args and returns its exit code.
func Kubectl(args []string) int {
	os.Args = append([]string{component.Kubectl}, args...)
	if _, err := logs.GlogSetter(cmd.GetLogVerbosity(os.Args)); err != nil {
		cmdutil.CheckErr(err)
	}
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		cmdutil.CheckErr(err) // prints and exits with kubectl's own code
	}
	return 0
}
