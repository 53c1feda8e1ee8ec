// Package component names the parts of Kubernetes, as which the one binary may be started.
package component

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
