// Package kubernetes is what the one binary turns into when it is started as a part of Kubernetes. Only main imports
// it: what else is here compiles, links and is checked without the 2,000 packages that it brings along.
//
// Linking every part into one file costs a fifth of the disk and of the build that separate programs would, because
// they share nearly all their code.
package kubernetes

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // registers the client metrics the parts serve
	_ "k8s.io/component-base/metrics/prometheus/version"  // registers the build version metric
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"

	"stackwright.dev/devcluster/internal/component"
)

// Run becomes the named part with args and returns its exit code; ok is false when there is no such part.
func Run(name string, args []string) (code int, ok bool) {
	switch name {
	case component.Etcd:
		return runEtcd(args), true
	case component.Kubectl:
		return Kubectl(args), true
	}
	command := part(name)
	if command == nil {
		return 0, false
	}
	// The parts read their flags from os.Args, as if they were the program.
	os.Args = append([]string{name}, args...)
	return cli.Run(command), true
}

// ServeAPI runs kube-apiserver with args in this process, and returns only when it has failed or stopped.
func ServeAPI(args []string) error {
	command := apiserver.NewAPIServerCommand()
	command.SetArgs(args)
	return command.Execute()
}

func part(name string) *cobra.Command {
	switch name {
	case component.APIServer:
		return apiserver.NewAPIServerCommand()
	case component.ControllerManager:
		return controllermanager.NewControllerManagerCommand()
	case component.Scheduler:
		return scheduler.NewSchedulerCommand()
	case component.Kubelet:
		return kubelet.NewKubeletCommand(context.Background())
	case component.Proxy:
		return proxy.NewProxyCommand()
	}
	return nil
}
