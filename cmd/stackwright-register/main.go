// Command stackwright-register registers a service in Keystone that no operator looks after, and ends.
package main

import (
	"fmt"
	"os"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"stackwright.dev/stackwright/internal/standalone/register"
)

func main() {
	ctrl.SetLogger(logr.Discard())
	if err := register.Command(ctrl.SetupSignalHandler(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stackwright-register:", err)
		os.Exit(1)
	}
}
