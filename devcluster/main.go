// Command devcluster runs a real Kubernetes on one Linux machine. It is its own command line and every part of
// Kubernetes at once.
package main

import (
	"os"

	"stackwright.dev/devcluster/internal/cli"
	"stackwright.dev/devcluster/internal/component"
	"stackwright.dev/devcluster/internal/kubernetes"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] != component.Kubectl { // which is a command of ours, too
		if code, ok := kubernetes.Run(os.Args[1], os.Args[2:]); ok {
			os.Exit(code)
		}
	}
	os.Exit(cli.Run(cli.Kubernetes{Kubectl: kubernetes.Kubectl, ServeAPI: kubernetes.ServeAPI}))
}
