// Package component is what the one binary turns into when it is started as a part of Kubernetes.
//
// Linking every part into one file costs a fifth of the disk and of the build that separate programs would, because
// they share nearly all their code.
package component

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
)

// Names of the parts, as given as the first argument of the binary.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kubelet           = "kubelet"
	Proxy             = "kube-proxy"
	Kubectl           = "kubectl"
)

// Run becomes the named part with args and returns its exit code; ok is false when there is no such part.
func Run(name string, args []string) (code int, ok bool) {
	switch name {
	case Etcd:
		return runEtcd(args), true
	case Kubectl:
		return runKubectl(args), true
	}
	command := kubernetes(name)
	if command == nil {
		return 0, false
	}
	// The parts read their flags from os.Args, as if they were the program.
	os.Args = append([]string{name}, args...)
	return cli.Run(command), true
}

func kubernetes(name string) *cobra.Command {
	switch name {
	case APIServer:
		return apiserver.NewAPIServerCommand()
	case ControllerManager:
		return controllermanager.NewControllerManagerCommand()
	case Scheduler:
		return scheduler.NewSchedulerCommand()
	case Kubelet:
		return kubelet.NewKubeletCommand(context.Background())
	case Proxy:
		return proxy.NewProxyCommand()
	}
	return nil
}
